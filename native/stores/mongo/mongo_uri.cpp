#include "stores/mongo/mongo_uri.h"

#ifdef _WIN32
#define strncasecmp _strnicmp
#else
#include <strings.h>
#include <sys/socket.h>
#endif

#include <algorithm>
#include <cctype>
#include <cstring>
#include <string_view>

#include "stores/mongo/bson_document.h"
#include "stores/mongo/mongo_driver.h"

namespace nextid::mongo {
namespace {

constexpr int32_t kTimeoutMs = 5000;
constexpr int32_t kLongestWriteWaitMs = 4000;
constexpr const char* kExpected = " Expected mongodb://user:password@host:port/database?option=value.";

Error invalid(std::string message) {
  return Error{ErrorCode::kStoreInvalid, ErrorClass::kFinal, std::move(message), std::nullopt, 0};
}

bool is_secret_option(std::string_view name) {
  for (const char* secret :
       {"tlscertificatekeyfilepassword", "sslclientcertificatekeypassword", "authmechanismproperties"}) {
    if (name.size() == std::strlen(secret) && strncasecmp(name.data(), secret, name.size()) == 0) return true;
  }
  return false;
}

// True if one of the hosts has a port that is no number: then it may be a password whose @ was forgotten.
bool has_odd_port(const std::string& hosts) {
  for (size_t from = 0; from <= hosts.size();) {
    const size_t to = std::min(hosts.find(',', from), hosts.size());
    const std::string host = hosts.substr(from, to - from);
    const size_t colon = host.rfind(':');
    const bool has_port = colon != std::string::npos && host.back() != ']';  // [::1] has none
    if (has_port && host.find_first_not_of("0123456789", colon + 1) != std::string::npos) return true;
    from = to + 1;
  }
  return false;
}

// To libmongoc a backslash escapes the delimiter behind it: credentials would begin or end elsewhere than
// they seem to, and a part of the password would be shown as something else.
bool has_escaped_delimiter(const std::string& url) {
  const size_t at = url.rfind('@');
  for (size_t found = url.find('\\'); found < at && at != std::string::npos;
       found = url.find('\\', found + 1)) {
    if (found + 1 < url.size() && std::strchr(":@/?,\\", url[found + 1]) != nullptr) return true;
  }
  return false;
}

// The URL with stand-ins for everything that may be secret: what libmongoc then says of it can be shown. The
// credentials end at the very last @, since a badly written password may hold any character.
std::string with_stand_ins(const std::string& url) {
  const size_t authority = url.find("://");
  if (authority == std::string::npos) return "";
  const size_t start = authority + 3;
  const size_t at = url.rfind('@');
  std::string safe = url.substr(0, start);
  if (at != std::string::npos && at >= start) {
    const bool has_password = url.find(':', start) < at;
    safe += has_password ? "user:password@" : "user@";
    safe += url.substr(at + 1);
  } else {
    const size_t end = std::min(url.find_first_of("/?", start), url.size());
    const std::string hosts = url.substr(start, end - start);
    safe += (has_odd_port(hosts) ? "host:port" : hosts) + url.substr(end);
  }

  const size_t question = safe.find('?');
  if (question == std::string::npos) return safe;
  std::string result = safe.substr(0, question + 1);
  for (size_t from = question + 1; from <= safe.size();) {
    const size_t to = std::min(safe.find('&', from), safe.size());
    const std::string option = safe.substr(from, to - from);
    const size_t equals = option.find('=');
    if (equals != std::string::npos && is_secret_option(std::string_view(option).substr(0, equals))) {
      result += option.substr(0, equals) + "=a:b";
    } else {
      result += option;
    }
    if (to < safe.size()) result += '&';
    from = to + 1;
  }
  return result;
}

Error unencoded() {
  return invalid(
      "The user name or the password in the MongoDB URL is not written as a URL needs it. Write each of "
      ": / ? # [ ] @ % \\ in them percent-encoded (@ as %40, % as %25), and so an @ anywhere else in the "
      "URL.");
}

// Says why libmongoc cannot read `url`, without a word of its credentials.
Error explain_unreadable(const std::string& url) {
  DriverLog log;
  bson_error_t error{};
  mongoc_uri_t* safe = mongoc_uri_new_with_error(with_stand_ins(url).c_str(), &error);
  if (safe != nullptr) {
    mongoc_uri_destroy(safe);
    return unencoded();
  }
  std::string reason = error.message;
  for (const std::string& line : log.warnings()) reason += ". " + line;
  for (const std::string& line : log.errors()) reason += ". " + line;
  return invalid("The MongoDB URL cannot be used: " + reason + "." + kExpected);
}

std::string percent_encoded(const std::string& text, const char* hex_digits) {
  std::string encoded;
  for (const unsigned char byte : text) {
    if (std::isalnum(byte) != 0 || std::strchr("-._~", byte) != nullptr) {
      encoded += static_cast<char>(byte);
    } else {
      encoded += '%';
      encoded += hex_digits[byte >> 4];
      encoded += hex_digits[byte & 15];
    }
  }
  return encoded;
}

}  // namespace

std::optional<Error> MongoUri::parse(const std::string& url) {
  if (url.find('\0') != std::string::npos) {
    return invalid(std::string("The MongoDB URL holds a NUL character.") + kExpected);
  }
  start_mongo_driver();
  std::vector<std::string> warnings;
  {
    DriverLog log;
    bson_error_t error{};
    uri_.reset(mongoc_uri_new_with_error(url.c_str(), &error));
    warnings = log.warnings();
  }
  if (uri_ == nullptr) return explain_unreadable(url);
  if (has_odd_host() || has_stray_at(url) || has_escaped_delimiter(url)) return unencoded();
  collect_secrets(url);

  // libmongoc only warns of these, and a misspelt `tls=true` would send everything in the clear.
  for (const std::string& warning : warnings) {
    if (warning.find("Unsupported URI option") != std::string::npos) {
      return invalid("The MongoDB URL has an option that the MongoDB driver does not know: " +
                     scrub(warning) + ". Correct its spelling or leave it out.");
    }
  }
  const char* name = database();
  if (name == nullptr || *name == '\0') {
    return invalid(
        "The MongoDB URL names no database. Write it after the host: mongodb://host:port/database.");
  }
  if (!mongoc_write_concern_is_acknowledged(mongoc_uri_get_write_concern(uri_.get()))) {
    return invalid(
        "The MongoDB URL asks for writes that nobody acknowledges (w=0). Without an answer no number can be "
        "reserved: leave w out, which means majority.");
  }
#ifdef NEXTID_BUNDLED_LIBMONGOC
  const char* mechanism = mongoc_uri_get_auth_mechanism(uri_.get());
  if (mechanism != nullptr && std::strcmp(mechanism, "GSSAPI") == 0) {
    return invalid(
        "The MongoDB URL asks for Kerberos (authMechanism=GSSAPI), which the prebuilt binaries leave out. "
        "Build nextid from source, with libmongoc installed: node node_modules/nextid/native/install.js "
        "--build-from-source.");
  }
  leave_snappy_out();
#endif
  set_defaults();
  describe();
  return std::nullopt;
}

#ifdef NEXTID_BUNDLED_LIBMONGOC
// A driver passes over a compressor that it does not have.
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

// An @ that ends no credentials: then there are some before it that libmongoc took for something else.
bool MongoUri::has_stray_at(const std::string& url) const {
  const char* user = mongoc_uri_get_username(uri_.get());
  if (user == nullptr || *user == '\0') return url.find('@') != std::string::npos;
  // An @ in the options is allowed. They begin after the slash behind the hosts: a ? or / before it may
  // belong to a password.
  const size_t first = url.find('@');
  const size_t slash = url.find('/', first);
  return url.find('@', first + 1) < url.find('?', slash);
}

// libmongoc takes any text for a host, also the rest of a password that has an @ in it.
bool MongoUri::has_odd_host() const {
  const auto is_odd = [](const char* host) {
    return std::any_of(host, host + std::strlen(host), [](unsigned char c) {
      return c < 0x80 && std::isalnum(c) == 0 && std::strchr("-._:%", c) == nullptr;
    });
  };
  if (const char* srv = mongoc_uri_get_srv_hostname(uri_.get())) return is_odd(srv);
  for (const mongoc_host_list_t* host = mongoc_uri_get_hosts(uri_.get()); host != nullptr;
       host = host->next) {
    if (host->family != AF_UNIX && is_odd(host->host)) return true;
  }
  return false;
}

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

void MongoUri::describe() {
  const char* srv = mongoc_uri_get_srv_hostname(uri_.get());
  if (srv != nullptr) {
    shown_ = std::string("mongodb+srv://") + srv;
  } else {
    shown_ = "mongodb://";
    for (const mongoc_host_list_t* host = mongoc_uri_get_hosts(uri_.get()); host != nullptr;
         host = host->next) {
      if (shown_.back() != '/') shown_ += ',';
      shown_ += host->host_and_port;
    }
  }
  shown_ += std::string("/") + database();
}

void MongoUri::add_secret(const std::string& secret) {
  if (secret.empty()) return;
  secrets_.push_back(secret);
  secrets_.push_back(percent_encoded(secret, "0123456789ABCDEF"));
  secrets_.push_back(percent_encoded(secret, "0123456789abcdef"));
}

void MongoUri::collect_secrets(const std::string& url) {
  if (const char* password = mongoc_uri_get_password(uri_.get())) {
    add_secret(password);
    // As the URL has it, which may be encoded more or less than need be. The first @ ends it.
    const size_t start = url.find("://") + 3;
    const size_t at = url.find('@', start);
    const size_t colon = url.find(':', start);
    if (colon < at && at != std::string::npos) add_secret(url.substr(colon + 1, at - colon - 1));
  }
  if (const char* key_password =
          mongoc_uri_get_option_as_utf8(uri_.get(), MONGOC_URI_TLSCERTIFICATEKEYFILEPASSWORD, nullptr)) {
    add_secret(key_password);
  }
  bson_t properties;
  if (mongoc_uri_get_mechanism_properties(uri_.get(), &properties)) {
    bson_iter_t property;
    if (bson_iter_init(&property, &properties)) {
      while (bson_iter_next(&property)) {
        const bool names_a_service = strncasecmp(bson_iter_key(&property), "SERVICE_", 8) == 0;
        if (BSON_ITER_HOLDS_UTF8(&property) && !names_a_service) {
          add_secret(bson_iter_utf8(&property, nullptr));
        }
      }
    }
  }
  // Longest first: a secret may hold another one.
  std::sort(secrets_.begin(), secrets_.end(),
            [](const std::string& a, const std::string& b) { return a.size() > b.size(); });
}

std::string MongoUri::scrub(std::string text) const {
  for (const std::string& secret : secrets_) {
    for (size_t found = text.find(secret); found != std::string::npos; found = text.find(secret, found + 3)) {
      text.replace(found, secret.size(), "***");
    }
  }
  return text;
}

}  // namespace nextid::mongo
