#pragma once

#include <mongoc/mongoc.h>

#include <memory>
#include <optional>
#include <string>

#include "core/error.h"
#include "stores/mongo/checked_url.h"

namespace nextid::mongo {

// libmongoc's form of a URL, with the defaults that a counter needs for options that the URL does not have:
//   connectTimeoutMS, socketTimeoutMS, serverSelectionTimeoutMS:   5000
//   w, journal:                                                    majority, true
//   wtimeoutMS:                                                    4/5 of socketTimeoutMS, at most 4000
//   appName:                                                       nextid
// The server stops waiting for its other members before we stop waiting for the server. So its answer says
// whether the write is confirmed.
class MongoUri {
 public:
  // Any thread. kStoreInvalid if libmongoc cannot read the URL, does not know one of its options or lacks
  // what an option asks for, or if the URL asks for unconfirmed writes (w=0).
  std::optional<Error> parse(CheckedUrl url);

  // REQUIRES for all below: parse() succeeded.
  const mongoc_uri_t* get() const { return uri_.get(); }
  const char* database() const { return mongoc_uri_get_database(uri_.get()); }
  const std::string& shown() const { return url_.shown; }

  // `text` with `***` in the place of every secret of the URL.
  std::string scrub(const std::string& text) const;

 private:
  struct Destroy {
    void operator()(mongoc_uri_t* uri) const { mongoc_uri_destroy(uri); }
  };

  Error refused(const std::string& problem, const std::string& remedy) const;
#ifdef NEXTID_BUNDLED_LIBMONGOC
  void leave_snappy_out();
#endif
  void set_defaults();

  CheckedUrl url_;
  std::unique_ptr<mongoc_uri_t, Destroy> uri_;
};

}  // namespace nextid::mongo
