#include "stores/mongo/mongo_uri.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "stores/mongo/mongo_driver.h"

namespace nextid::mongo {
namespace {

constexpr int32_t kTimeoutMs = 5000;
constexpr int32_t kLongestWriteWaitMs = 4000;

}  // namespace

std::optional<Error> MongoUri::parse(CheckedUrl url) {
  url_ = std::move(url);
  start_mongo_driver();
  DriverLog log;
  bson_error_t error{};
  uri_.reset(mongoc_uri_new_with_error(url_.text.c_str(), &error));
  if (uri_ == nullptr) {
    std::string reason = error.message;
    for (const auto* lines : {&log.warnings(), &log.errors()}) {
      for (const std::string& line : *lines) reason += (reason.empty() ? "" : "; ") + line;
    }
    reason.resize(reason.find_last_not_of(". \n") + 1);
    return refused("cannot be read by libmongoc (" + scrub(reason) + ")",
                   "options as in MongoDB's connection strings; correct the URL");
  }
  // libmongoc only warns about an option that it ignores, even if the option is about security.
  for (const std::string& warning : log.warnings()) {
    if (warning.find("Unsupported URI option") != std::string::npos) {
      return refused("has an option that libmongoc " + std::string(mongoc_get_version()) +
                         " does not know (" + scrub(warning) + ")",
                     "options that this version knows; leave it out, or install a newer libmongoc");
    }
  }
  if (!mongoc_write_concern_is_acknowledged(mongoc_uri_get_write_concern(uri_.get()))) {
    return refused("asks for writes that the server does not confirm (w=0)",
                   "w=majority, the default; leave w and safe out");
  }
#ifdef NEXTID_BUNDLED_LIBMONGOC
  const char* mechanism = mongoc_uri_get_auth_mechanism(uri_.get());
  if (mechanism != nullptr && std::strcmp(mechanism, "GSSAPI") == 0) {
    return refused("asks for Kerberos (authMechanism=GSSAPI), which the prebuilt binaries leave out",
                   "another authMechanism; for Kerberos, install libmongoc and build nextid from source: "
                   "node node_modules/nextid/native/install.js --build-from-source");
  }
  leave_snappy_out();
#endif
  set_defaults();
  return std::nullopt;
}

Error MongoUri::refused(const std::string& problem, const std::string& remedy) const {
  return refusal(ErrorCode::kStoreInvalid, "the URL " + url_.shown + " " + problem + ": expected " + remedy);
}

#ifdef NEXTID_BUNDLED_LIBMONGOC
// A driver ignores a compressor that it does not have.
void MongoUri::leave_snappy_out() {
  bson_iter_t compressor;
  std::string others;
  bool found = false;
  if (!bson_iter_init(&compressor, mongoc_uri_get_compressors(uri_.get()))) return;
  while (bson_iter_next(&compressor)) {
    if (std::strcmp(bson_iter_key(&compressor), "snappy") == 0) {
      found = true;
    } else {
      others += (others.empty() ? "" : ",") + std::string(bson_iter_key(&compressor));
    }
  }
  if (found) mongoc_uri_set_compressors(uri_.get(), others.c_str());
}
#endif

void MongoUri::set_defaults() {
  mongoc_uri_t* uri = uri_.get();
  for (const char* option :
       {MONGOC_URI_CONNECTTIMEOUTMS, MONGOC_URI_SOCKETTIMEOUTMS, MONGOC_URI_SERVERSELECTIONTIMEOUTMS}) {
    if (!mongoc_uri_has_option(uri, option)) mongoc_uri_set_option_as_int32(uri, option, kTimeoutMs);
  }
  if (mongoc_uri_get_appname(uri) == nullptr) mongoc_uri_set_appname(uri, "nextid");

  mongoc_write_concern_t* concern = mongoc_write_concern_copy(mongoc_uri_get_write_concern(uri));
  if (!mongoc_uri_has_option(uri, MONGOC_URI_W) && !mongoc_uri_has_option(uri, MONGOC_URI_SAFE)) {
    mongoc_write_concern_set_w(concern, MONGOC_WRITE_CONCERN_W_MAJORITY);
  }
  if (!mongoc_uri_has_option(uri, MONGOC_URI_JOURNAL)) mongoc_write_concern_set_journal(concern, true);
  if (!mongoc_uri_has_option(uri, MONGOC_URI_WTIMEOUTMS)) {
    const int64_t answer_ms = mongoc_uri_get_option_as_int32(uri, MONGOC_URI_SOCKETTIMEOUTMS, kTimeoutMs);
    mongoc_write_concern_set_wtimeout_int64(concern,
                                            std::clamp<int64_t>(answer_ms * 4 / 5, 1, kLongestWriteWaitMs));
  }
  mongoc_uri_set_write_concern(uri, concern);
  mongoc_write_concern_destroy(concern);
}

std::string MongoUri::scrub(const std::string& text) const {
  std::vector<bool> is_secret(text.size());
  for (const std::string& secret : url_.secrets) {
    for (size_t found = text.find(secret); found != std::string::npos; found = text.find(secret, found + 1)) {
      std::fill_n(is_secret.begin() + static_cast<ptrdiff_t>(found), secret.size(), true);
    }
  }
  std::string shown;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!is_secret[i])
      shown += text[i];
    else if (i == 0 || !is_secret[i - 1])
      shown += "***";
  }
  return shown;
}

}  // namespace nextid::mongo
