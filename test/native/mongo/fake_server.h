#pragma once

#include <bson/bson.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace nextid::mongo {

// A server on 127.0.0.1 that speaks MongoDB's wire protocol and does what a script says: for what no real
// server can be brought to do.
class FakeMongoServer {
 public:
  struct Reply {
    enum class How { kAnswer, kAnswerAndClose, kAnswerDamaged, kAnswerCutOff, kClose, kSilence };
    How how = How::kAnswer;
    std::string json = R"({"ok": 1})";  // extended JSON

    Reply(std::string answer) : json(std::move(answer)) {}
    Reply(const char* answer) : json(answer) {}
    Reply(How how, std::string answer = R"({"ok": 1})") : how(how), json(std::move(answer)) {}
  };
  using How = Reply::How;

  // Says what to do with a command, given as canonical extended JSON. `nth` counts those of that name,
  // from 1. Called by one thread at a time.
  using Script = std::function<Reply(const std::string& command, const std::string& json, int nth)>;

  enum class Kind { kStandalone, kPrimary };

  // A standalone server, or the only member and primary of the replica set `rs`.
  explicit FakeMongoServer(Script script, Kind kind = Kind::kStandalone, int port = 0)
      : script_(std::move(script)), kind_(kind) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    const int yes = 1;
    ::setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    socklen_t length = sizeof address;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
        ::listen(listener_, 64) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
      throw std::runtime_error("cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }

  ~FakeMongoServer() {
    stopping_ = true;
    ::shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    ::close(listener_);
    {
      const std::lock_guard lock(mutex_);
      for (const int connection : connections_) ::shutdown(connection, SHUT_RDWR);
    }
    for (std::thread& thread : threads_) thread.join();
    for (const int connection : connections_) ::close(connection);
  }
  FakeMongoServer(const FakeMongoServer&) = delete;
  FakeMongoServer& operator=(const FakeMongoServer&) = delete;

  int port() const { return port_; }
  std::string url(const std::string& options = "") const {
    std::string url = "mongodb://127.0.0.1:" + std::to_string(port_) + "/db?connectTimeoutMS=2000";
    if (kind_ == Kind::kPrimary) url += "&replicaSet=rs";
    if (!options.empty()) url += "&" + options;
    return url;
  }

  // How many commands of that name came in.
  int count(const std::string& command) {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(
        std::count_if(seen_.begin(), seen_.end(), [&](const auto& seen) { return seen.first == command; }));
  }
  // How many connections were made.
  int connections() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>(connections_.size());
  }
  // From now on a client that connects hears nothing.
  void ignore_greetings() { ignores_greetings_ = true; }

  // All commands but the greetings, in order, as `name json`.
  std::vector<std::string> commands() {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> commands;
    for (const auto& [name, json] : seen_) {
      if (!is_greeting(name)) commands.push_back(name + " " + json);
    }
    return commands;
  }

 private:
  static bool is_greeting(const std::string& name) {
    return name == "hello" || name == "isMaster" || name == "ismaster";
  }

  void accept_all() {
    for (;;) {
      const int connection = ::accept(listener_, nullptr, nullptr);
      if (connection < 0 || stopping_) {
        if (connection >= 0) ::close(connection);
        return;
      }
      const std::lock_guard lock(mutex_);
      connections_.push_back(connection);
      threads_.emplace_back([this, connection] { serve(connection); });
    }
  }

  void serve(int connection) {
    for (;;) {
      std::string request(16, '\0');
      if (!read_all(connection, request.data(), 16)) return;
      const int32_t length = int_at(request, 0);
      request.resize(static_cast<size_t>(length));
      if (!read_all(connection, request.data() + 16, request.size() - 16)) return;
      if (!answer(connection, request)) {
        ::shutdown(connection, SHUT_RDWR);
        return;
      }
    }
  }

  // False if the connection is to be closed.
  bool answer(int connection, const std::string& request) {
    constexpr int32_t kOpReply = 1;
    constexpr int32_t kOpQuery = 2004;
    constexpr int32_t kOpMsg = 2013;
    const bool is_query = int_at(request, 12) == kOpQuery;
    const size_t body = is_query ? 20 + std::strlen(request.c_str() + 20) + 1 + 8 : 21;
    bson_t command;
    if (!bson_init_static(&command, reinterpret_cast<const uint8_t*>(request.data()) + body,
                          static_cast<size_t>(int_at(request, body)))) {
      return false;
    }
    bson_iter_t first;
    bson_iter_init(&first, &command);
    const std::string name = bson_iter_next(&first) ? bson_iter_key(&first) : "";
    char* text = bson_as_canonical_extended_json(&command, nullptr);
    const std::string json = text;
    bson_free(text);

    int nth = 0;
    {
      const std::lock_guard lock(mutex_);
      seen_.emplace_back(name, json);
      const auto same = [&](const auto& seen) { return seen.first == name; };
      nth = static_cast<int>(std::count_if(seen_.begin(), seen_.end(), same));
    }
    const Reply reply = is_greeting(name) ? greet() : script_(name, json, nth);
    if (reply.how == How::kSilence) return true;
    if (reply.how == How::kClose) return false;

    bson_error_t error;
    bson_t* document = bson_new_from_json(reinterpret_cast<const uint8_t*>(reply.json.data()),
                                          static_cast<ssize_t>(reply.json.size()), &error);
    if (document == nullptr) throw std::runtime_error("cannot read " + reply.json + ": " + error.message);
    std::string bson(reinterpret_cast<const char*>(bson_get_data(document)), document->len);
    bson_destroy(document);
    // The field `x` gets a type that there is not.
    if (reply.how == How::kAnswerDamaged) bson.at(bson.find(std::string("\x10x\0", 3))) = 0x7E;

    std::string message;
    append_int(message, static_cast<int32_t>(16 + (is_query ? 20 : 5) + bson.size()));
    append_int(message, 1);
    append_int(message, int_at(request, 4));  // the request that this answers
    append_int(message, is_query ? kOpReply : kOpMsg);
    append_int(message, 0);
    if (is_query) {
      for (const int32_t field : {0, 0, 0, 1}) append_int(message, field);  // no cursor, one document
    } else {
      message += '\0';
    }
    message += bson;
    if (reply.how == How::kAnswerCutOff) message.resize(message.size() - 4);  // shorter than it says
    return ::send(connection, message.data(), message.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(message.size()) &&
           reply.how != How::kAnswerAndClose && reply.how != How::kAnswerCutOff;
  }

  Reply greet() const {
    if (ignores_greetings_) return How::kSilence;
    const std::string me = "\"127.0.0.1:" + std::to_string(port_) + "\"";
    std::string json =
        R"({"ismaster": true, "isWritablePrimary": true, "helloOk": true, "maxBsonObjectSize": 16777216,
            "maxMessageSizeBytes": 48000000, "maxWriteBatchSize": 100000, "logicalSessionTimeoutMinutes": 30,
            "minWireVersion": 0, "maxWireVersion": 17, "readOnly": false, "ok": 1)";
    if (kind_ == Kind::kPrimary) {
      json += R"(, "setName": "rs", "setVersion": 1, "secondary": false, "hosts": [)" + me + R"(], "me": )" +
              me + R"(, "primary": )" + me;
    }
    return json + "}";
  }

  static bool read_all(int connection, char* into, size_t size) {
    while (size > 0) {
      const ssize_t got = ::recv(connection, into, size, 0);
      if (got <= 0) return false;
      into += got;
      size -= static_cast<size_t>(got);
    }
    return true;
  }
  static int32_t int_at(const std::string& bytes, size_t position) {
    int32_t value;
    std::memcpy(&value, bytes.data() + position, 4);
    return value;
  }
  static void append_int(std::string& bytes, int32_t value) {
    bytes.append(reinterpret_cast<const char*>(&value), 4);
  }

  const Script script_;
  const Kind kind_;
  int listener_;
  int port_;
  std::atomic<bool> stopping_{false};
  std::atomic<bool> ignores_greetings_{false};
  std::thread acceptor_;
  std::mutex mutex_;  // guards all below
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::vector<std::pair<std::string, std::string>> seen_;
};

}  // namespace nextid::mongo
