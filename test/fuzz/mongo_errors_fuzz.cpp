// Whatever a server and the driver say: it becomes an Error without the password of the URL, and a write that
// may have been done is never called undone.

#include <mongoc/mongoc.h>

#include <cstring>
#include <string>

#include "fuzz/fuzz_input.h"
#include "fuzz/secret.h"
#include "stores/mongo/mongo_errors.h"

namespace nextid::mongo {
namespace {

using Effect = MongoErrors::Effect;

const MongoUri& uri() {
  static const MongoUri& parsed = *[] {
    auto* uri = new MongoUri;
    const auto error = uri->parse({std::string("mongodb://anna:") + kSecretEncoded + "@127.0.0.1/shop",
                                   "mongodb://127.0.0.1/shop",
                                   {kSecret, kSecretEncoded, kSecretEncodedSmall}});
    require(!error, "the URL is fine");
    return uri;
  }();
  return parsed;
}

void check(const Error& error) {
  require(error.driver.has_value(), "the cause is given");
  check_no_secret(error.message);
  check_no_secret(error.driver->message);
}

// What was sent more than once, or left unanswered, may have been done.
void check_write(const Error& error, const std::string& said) {
  require(error.error_class != ErrorClass::kPassing,
          "a write that may have been done is not called undone: " + said);
}

void run(FuzzInput input) {
  const MongoErrors errors(uri(), "ids");
  const uint32_t what = input.below(5);
  const auto code = static_cast<int32_t>(input.number());
  const int times_sent = static_cast<int>(input.below(3));
  const Effect effect = input.below(2) == 0 ? Effect::kReads : Effect::kWrites;
  static constexpr uint32_t kDomains[] = {MONGOC_ERROR_CLIENT,           MONGOC_ERROR_STREAM,
                                          MONGOC_ERROR_PROTOCOL,         MONGOC_ERROR_SERVER,
                                          MONGOC_ERROR_SERVER_SELECTION, MONGOC_ERROR_COMMAND};
  bson_error_t error{};
  error.domain = kDomains[input.below(std::size(kDomains))];
  error.code = static_cast<uint32_t>(code);
  const std::string log = input.text();
  const std::string half = input.text();
  static constexpr const char* kSecrets[] = {kSecret, kSecretEncoded, kSecretEncodedSmall};
  const std::string said = half + kSecrets[input.below(3)] + input.rest();
  std::strncpy(error.message, said.c_str(), sizeof error.message - 1);
  // What is cut off in the middle of the password is no password any more.
  if (said.find('\0') != std::string::npos || half.size() + 16 > sizeof error.message)
    error.message[0] = '\0';

  const bool may_be_done = effect == Effect::kWrites && times_sent > 1;
  switch (what) {
    case 0: {
      const Error result = errors.of_driver(error, log, times_sent, effect);
      check(result);
      const bool unanswered = error.domain != MONGOC_ERROR_SERVER && times_sent > 0;
      if (may_be_done || (effect == Effect::kWrites && unanswered)) check_write(result, said);
      break;
    }
    case 1:
      check(errors.of_no_client(error, log));
      break;
    case 2: {
      const Error result = errors.of_server(code, said, times_sent, effect);
      check(result);
      if (may_be_done) check_write(result, said);
      break;
    }
    case 3: {
      const Error result = errors.of_write_concern(code, said);
      check(result);
      check_write(result, said);
      break;
    }
    case 4: {
      const Error result = errors.of_nonsense(said);
      check(result);
      check_write(result, said);
      break;
    }
  }
}

}  // namespace
}  // namespace nextid::mongo

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  nextid::mongo::run(nextid::FuzzInput(data, size));
  return 0;
}
