#include "stores/mongo/mongo_errors.h"

#include <mongoc/mongoc.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace nextid::mongo {
namespace {

bool is_one_of(int64_t code, std::initializer_list<int64_t> codes) {
  return std::find(codes.begin(), codes.end(), code) != codes.end();
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Numbers and names: the server's error_codes.yml.
bool denies_access(int64_t code) {
  return is_one_of(code, {
                             11,    // UserNotFound
                             13,    // Unauthorized
                             18,    // AuthenticationFailed
                             334,   // MechanismUnavailable
                             8000,  // AtlasError: bad auth
                         });
}

// What no waiting heals.
bool needs_mending(int64_t code) {
  return is_one_of(code, {
                             2,      // BadValue
                             9,      // FailedToParse
                             14,     // TypeMismatch
                             17,     // ProtocolError
                             20,     // IllegalOperation
                             53,     // InvalidIdField
                             59,     // CommandNotFound
                             61,     // ShardKeyNotFound
                             66,     // ImmutableField
                             72,     // InvalidOptions
                             73,     // InvalidNamespace
                             79,     // UnknownReplWriteConcern
                             100,    // UnsatisfiableWriteConcern
                             115,    // CommandNotSupported
                             121,    // DocumentValidationFailure
                             166,    // CommandNotSupportedOnView
                             167,    // OptionNotSupportedOnView
                             238,    // NotImplemented
                             303,    // FeatureNotSupported
                             322,    // APIVersionError
                             323,    // APIStrictError
                             10334,  // BSONObjectTooLarge
                             13297,  // DatabaseDifferCase
                             40414,  // a field is missing
                             40415,  // an unknown field
                         });
}

// Errors of a server that refused before it did anything. Of any other a write may have been done.
bool refuses_untouched(int64_t code, const std::string& message) {
  // FerretDB says this, or NamespaceNotFound, where many make the same new collection at once.
  if (code == 1 && contains(message, "Unable to create the specified collection")) return true;
  return is_conflict(code, message) || is_one_of(code, {
                                                           24,     // LockTimeout
                                                           26,     // NamespaceNotFound
                                                           112,    // WriteConflict
                                                           10058,  // LegacyNotPrimary
                                                           10107,  // NotWritablePrimary
                                                           13435,  // NotPrimaryNoSecondaryOk
                                                           13436,  // NotPrimaryOrSecondary
                                                       });
}

// libmongoc gives every failure of a login the same code, be it refused or cut short.
bool login_was_cut_short(const std::string& message) {
  for (const char* part : {"Failed to send", "socket", "connect", "EOF", "broken pipe", "closed", "shut down",
                           "shutdown", "shutting down", "starting up", "quiesce", "nterrupted", "timed out",
                           "not master", "not primary", "recovering"}) {
    if (contains(message, part)) return true;
  }
  return false;
}

std::string code_of(int64_t code) { return code == 0 ? "" : " (code " + std::to_string(code) + ")"; }

// The text as the first half of a sentence.
std::string unstopped(std::string text) {
  while (!text.empty() && (text.back() == '.' || text.back() == ' ')) text.pop_back();
  return text;
}

Error make(ErrorCode code, ErrorClass error_class, std::string message, const std::string& said,
           int64_t number) {
  return Error{code, error_class, std::move(message), DriverError{"MongoError", said, number}, 0};
}

}  // namespace

bool is_conflict(int64_t code, const std::string& message) {
  if (code == kDuplicateKey || code == kOldDuplicateKey) return true;
  // FerretDB passes on what PostgreSQL says, as an internal error or under PostgreSQL's own number.
  constexpr int64_t kDeadlock = 16908292;  // SQLSTATE 40P01
  if (code == kDeadlock) return true;
  // The last one comes where many make the same new database at once.
  return code == 1 &&
         (contains(message, "conflicting key value") || contains(message, "deadlock detected") ||
          contains(message, "duplicate key value") || contains(message, "create metadata database sentinel"));
}

Error MongoErrors::of_driver(const bson_error_t& error, const std::string& log, int times_sent,
                             Effect effect) const {
  const int64_t code = error.code;
  if (error.domain == MONGOC_ERROR_SERVER) return of_server(code, error.message, times_sent, effect);

  const std::string said = said_by(error, log);
  if (error.domain == MONGOC_ERROR_CLIENT && code == MONGOC_ERROR_CLIENT_AUTHENTICATE &&
      !login_was_cut_short(said)) {
    return make(ErrorCode::kAccessDenied, ErrorClass::kFinal,
                server() + " refused the login: " + unstopped(said) +
                    ". Check the user name, the password, authSource and authMechanism in the URL.",
                said, code);
  }
  if (times_sent == 0 && error.domain == MONGOC_ERROR_PROTOCOL &&
      code == MONGOC_ERROR_PROTOCOL_BAD_WIRE_VERSION) {
    return of_misfit(said, code);
  }
  if (times_sent == 0 || effect == Effect::kReads) return of_unreachable(said, code);
  return make(ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful,
              server() + " did not answer, so it may or may not have done what was asked: " +
                  unstopped(said) + ". No number of that request is used.",
              said, code);
}

Error MongoErrors::of_no_client(const bson_error_t& error, const std::string& log) const {
  const std::string said = said_by(error, log);
  return error.domain == MONGOC_ERROR_STREAM ? of_unreachable(said, error.code) : of_misfit(said, error.code);
}

Error MongoErrors::of_unreachable(const std::string& said, int64_t code) const {
  std::string message = server() + " cannot be reached: " + unstopped(said) +
                        ". Check that it is running and that the URL names its host and port.";
  if (contains(said, "TLS") || contains(said, "certificate")) {
    message += " A certificate of a private authority is trusted with tlsCAFile=FILE in the URL.";
  } else if (contains(said, "connection closed") && !mongoc_uri_get_tls(uri_.get())) {
    message += " A server that speaks nothing but TLS needs tls=true in the URL.";
  }
  if (mongoc_uri_get_replica_set(uri_.get()) != nullptr) {
    message += " Check that replicaSet in the URL is the name of its replica set.";
  }
  return make(ErrorCode::kStoreUnavailable, ErrorClass::kPassing, std::move(message), said, code);
}

Error MongoErrors::of_misfit(const std::string& said, int64_t code) const {
  return make(ErrorCode::kStoreInvalid, ErrorClass::kFinal,
              server() + " cannot be used: " + unstopped(said) +
                  ". Check the options of the URL and the versions of the server and of libmongoc.",
              said, code);
}

std::string MongoErrors::said_by(const bson_error_t& error, const std::string& log) const {
  const std::string said = error.message;
  return uri_.scrub(log.empty() ? said : said + " (" + log + ")");
}

Error MongoErrors::of_server(int64_t code, const std::string& message, int times_sent, Effect effect) const {
  const std::string said = uri_.scrub(message);
  const std::string what = unstopped(said) + code_of(code);
  if (denies_access(code)) {
    return make(
        ErrorCode::kAccessDenied, ErrorClass::kFinal,
        server() + " denied access to " + place_ + ": " + what +
            ". Log in, by user:password@ in the URL, as a user who may find, insert and update there.",
        said, code);
  }
  if (needs_mending(code)) {
    return make(
        ErrorCode::kStoreInvalid, ErrorClass::kFinal,
        server() + " cannot keep a counter in " + place_ + ": " + what +
            ". Check the names of database and collection, the collection's rules and the write concern.",
        said, code);
  }
  if (effect == Effect::kReads || (times_sent <= 1 && refuses_untouched(code, message))) {
    return make(
        ErrorCode::kStoreUnavailable, ErrorClass::kPassing,
        server() + " cannot serve just now: " + what + ". Nothing was changed; trying again may help.", said,
        code);
  }
  return make(ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful,
              server() + " failed, and may or may not have done what was asked: " + what +
                  ". No number of that request is used.",
              said, code);
}

Error MongoErrors::of_write_concern(int64_t code, const std::string& message) const {
  const std::string said = uri_.scrub(message);
  const bool hopeless = needs_mending(code);
  return make(
      hopeless ? ErrorCode::kStoreInvalid : ErrorCode::kStoreUnavailable,
      hopeless ? ErrorClass::kFinal : ErrorClass::kDoubtful,
      server() +
          " made the change, but not as safely as the write concern asks, so a failover may undo it: " +
          unstopped(said) + code_of(code) + ". No number of that request is used. " +
          (hopeless ? "Check w in the URL." : "Check that a majority of the replica set's members is up."),
      said, code);
}

Error MongoErrors::of_nonsense(const std::string& what) const {
  const std::string said = uri_.scrub(what);
  return make(ErrorCode::kStoreUnavailable, ErrorClass::kDoubtful,
              server() + " sent an answer that cannot be read: " + unstopped(said) +
                  ". No number of that request is used. Check that a MongoDB server listens there.",
              said, 0);
}

}  // namespace nextid::mongo
