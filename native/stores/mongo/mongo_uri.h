#pragma once

#include <mongoc/mongoc.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace nextid::mongo {

// A MongoDB URL, with the defaults that a counter needs where the URL says nothing:
//   connectTimeoutMS, socketTimeoutMS, serverSelectionTimeoutMS:   5000
//   w, journal:                                                    majority, true
//   wtimeoutMS:                                                    4/5 of socketTimeoutMS, at most 4000
//   appName:                                                       nextid
// The server gives up waiting for its other members before we give up waiting for the server. So its answer
// says how the write stands.
class MongoUri {
 public:
  // kStoreInvalid, with no credentials in it, where the URL cannot be used: libmongoc cannot read it, it
  // names no database, has an option that libmongoc does not know, or asks for writes that nobody
  // acknowledges (w=0).
  std::optional<Error> parse(const std::string& url);

  // REQUIRES for all below: parse() went well.
  const mongoc_uri_t* get() const { return uri_.get(); }
  const char* database() const { return mongoc_uri_get_database(uri_.get()); }

  // `mongodb://host:port/database`, for errors: without credentials and options.
  const std::string& shown() const { return shown_; }

  // `text` with every password of the URL, as it is or percent-encoded, replaced by `***`.
  std::string scrub(std::string text) const;

 private:
  struct Destroy {
    void operator()(mongoc_uri_t* uri) const { mongoc_uri_destroy(uri); }
  };

  bool has_stray_at(const std::string& url) const;
  bool has_odd_host() const;
  void add_secret(const std::string& secret);
  void collect_secrets(const std::string& url);
#ifdef NEXTID_BUNDLED_LIBMONGOC
  void leave_snappy_out();
#endif
  void set_defaults();
  void describe();

  std::unique_ptr<mongoc_uri_t, Destroy> uri_;
  std::string shown_;
  std::vector<std::string> secrets_;
};

}  // namespace nextid::mongo
