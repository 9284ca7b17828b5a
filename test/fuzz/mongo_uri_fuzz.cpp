// Any text as a MongoDB URL, with a password in it at each place where one may stand: it is refused in words
// or read, and nothing that is said or shown of it ever holds the password.

#include <optional>
#include <string>

#include "fuzz/fuzz_input.h"
#include "fuzz/secret.h"
#include "stores/mongo/mongo_uri.h"

namespace nextid::mongo {
namespace {

// A URL with kSecret in it. What stands around it may be anything.
struct SecretUrl {
  std::string text;
  std::string password;  // as the URL has it; empty if an option holds the secret
};

std::optional<SecretUrl> any_secret_url(FuzzInput& input) {
  static constexpr const char* kSchemes[] = {"mongodb://", "mongodb+srv://"};
  static constexpr const char* kSecretOptions[] = {
      "tlsCertificateKeyFilePassword=", "sslClientCertificateKeyPassword=", "authMechanismProperties=A:"};
  const std::string scheme = kSchemes[input.below(2)];
  const uint32_t where = input.below(4);
  const std::string before = input.text();
  const std::string after = input.text();
  const std::string rest = input.rest();
  if (holds_secret(before) || holds_secret(after) || holds_secret(rest))
    return std::nullopt;  // is none there
  if (where == 0) {
    // Everything up to the last @ is credentials.
    const std::string password = after.substr(0, after.size() / 2) + kSecret + after.substr(after.size() / 2);
    return SecretUrl{scheme + before + ":" + password + "@" + rest, password};
  }
  const bool ends_hosts = before.find_first_of("?@") != std::string::npos;
  const std::string hosts = ends_hosts ? "" : before;
  std::string url = scheme + hosts + "host/db?" + kSecretOptions[where - 1] + kSecret;
  return SecretUrl{rest.empty() ? url : url + "&" + rest, ""};
}

void check_read(const MongoUri& uri, const SecretUrl& url) {
  check_no_secret(uri.shown());
  require(uri.database() != nullptr && *uri.database() != '\0', "a URL names a database");
  require(mongoc_write_concern_is_acknowledged(mongoc_uri_get_write_concern(uri.get())),
          "writes are acknowledged");
  if (url.password.empty()) return;
  check_no_secret(uri.scrub("it said " + url.password + url.password + "."));
  if (const char* decoded = mongoc_uri_get_password(uri.get())) {
    check_no_secret(uri.scrub(std::string("it said ") + decoded + decoded + "."));
  }
}

void run(FuzzInput input) {
  MongoUri uri;
  if (input.below(4) == 0) {
    const auto error = uri.parse(input.rest());
    require(!error || error->code == ErrorCode::kStoreInvalid, "a URL is refused as one");
    return;
  }
  const std::optional<SecretUrl> url = any_secret_url(input);
  if (!url) return;
  const auto error = uri.parse(url->text);
  if (!error) return check_read(uri, *url);
  require(error->code == ErrorCode::kStoreInvalid, "a URL is refused as one");
  require(!error->message.empty(), "a refusal says why");
  check_no_secret(error->message);
}

}  // namespace
}  // namespace nextid::mongo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::mongo::run(nextid::FuzzInput(data, size));
  return 0;
}
