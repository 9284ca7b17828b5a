#pragma once

#include <mongoc/mongoc.h>

#include <memory>
#include <mutex>
#include <vector>

#include "stores/mongo/mongo_uri.h"

namespace nextid::mongo {

// A single-threaded libmongoc client with its connections. One thread at a time.
class Client {
 public:
  explicit Client(mongoc_client_t* client);
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  mongoc_client_t* get() { return client_; }

  // How many commands went out so far, each attempt of a retried one counted. Those that libmongoc sends on
  // its own account, to greet a server or to log in, do not count.
  int commands_sent() const { return commands_sent_; }

  // From now on nothing is sent any more, also not by destroying the client or one of its cursors, which
  // otherwise say good-bye to the server: that could hang.
  void hang_up() { mongoc_client_reset(client_); }

 private:
  mongoc_client_t* client_;
  int commands_sent_ = 0;
};

// The clients that are not in use. Any thread.
//
// libmongoc's own pool watches servers from background threads, which every process would pay for; and a
// client that failed avoids its server for five seconds, while the caller has a backoff of its own. So a
// client that failed is thrown away, and a fresh one finds a server that is back at once.
class ClientPool {
 public:
  // REQUIRES: `uri` outlives the pool.
  explicit ClientPool(const MongoUri& uri) : uri_(uri) {}

  // An idle client or a new one, not connected yet. Null, with `error` filled, if the URL's hosts cannot be
  // looked up (mongodb+srv).
  std::unique_ptr<Client> take(bson_error_t& error);

  // Keeps a client for the next take(). REQUIRES: its last command went well.
  void give_back(std::unique_ptr<Client> client);

  // Throws the idle clients away: what cut one connection may have cut them all.
  void clear();

 private:
  const MongoUri& uri_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Client>> idle_;  // guarded by mutex_
};

}  // namespace nextid::mongo
