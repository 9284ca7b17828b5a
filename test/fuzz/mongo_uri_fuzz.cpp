// Any text as a MongoDB URL, and any texts as its secrets: libmongoc's own parser does not crash, and neither
// its error nor any other text that goes through the scrubber shows a secret.

#include <string>
#include <vector>

#include "fuzz/fuzz_input.h"
#include "stores/mongo/mongo_uri.h"

namespace nextid::mongo {
namespace {

// The scrubber writes asterisks, so a secret with some in it may appear by chance.
void check_scrubbed(const std::string& text, const std::vector<std::string>& secrets) {
  for (const std::string& secret : secrets) {
    if (secret.empty() || secret.find('*') != std::string::npos) continue;
    require(text.find(secret) == std::string::npos, "no secret is shown, but: " + text);
  }
}

void run(FuzzInput input) {
  static constexpr const char* kStarts[] = {"",
                                            "mongodb://",
                                            "mongodb+srv://",
                                            "mongodb://me:Qx7z@host/db?",
                                            "mongodb://host/db?authMechanismProperties=A:",
                                            "mongodb://host/db?tlsCertificateKeyFilePassword="};
  const std::string start = kStarts[input.below(std::size(kStarts))];
  std::vector<std::string> secrets(input.below(5));
  for (std::string& secret : secrets) secret = input.text();
  const std::string text = input.text();
  const std::string rest = input.rest();
  // No secret may be part of our own words.
  for (std::string& secret : secrets) secret.insert(0, "Qx7z");
  std::string quoted = text;
  for (const std::string& secret : secrets) quoted += secret + secret.substr(secret.size() / 2) + text;

  MongoUri uri;
  const auto error = uri.parse({start + rest, "the URL", secrets});
  if (error) {
    require(error->code == ErrorCode::kStoreInvalid, "a URL is refused as one");
    check_scrubbed(error->message, secrets);
  } else {
    require(mongoc_write_concern_is_acknowledged(mongoc_uri_get_write_concern(uri.get())),
            "writes are acknowledged");
  }
  check_scrubbed(uri.scrub(quoted), secrets);
}

}  // namespace
}  // namespace nextid::mongo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::mongo::run(nextid::FuzzInput(data, size));
  return 0;
}
