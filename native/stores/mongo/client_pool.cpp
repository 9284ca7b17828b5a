#include "stores/mongo/client_pool.h"

#include <utility>

namespace nextid::mongo {
namespace {

void count_command(const mongoc_apm_command_started_t* event) {
  ++*static_cast<int*>(mongoc_apm_command_started_get_context(event));
}

}  // namespace

Client::Client(mongoc_client_t* client) : client_(client) {
  mongoc_client_set_error_api(client_,
                              MONGOC_ERROR_API_VERSION_2);  // tells a server's errors from the driver's
  mongoc_apm_callbacks_t* callbacks = mongoc_apm_callbacks_new();
  mongoc_apm_set_command_started_cb(callbacks, count_command);
  mongoc_client_set_apm_callbacks(client_, callbacks, &commands_sent_);
  mongoc_apm_callbacks_destroy(callbacks);
}

Client::~Client() {
  hang_up();
  mongoc_client_destroy(client_);
}

std::unique_ptr<Client> ClientPool::take(bson_error_t& error) {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_.empty()) {
      std::unique_ptr<Client> client = std::move(idle_.back());
      idle_.pop_back();
      return client;
    }
  }
  mongoc_client_t* client = mongoc_client_new_from_uri_with_error(uri_.get(), &error);
  return client == nullptr ? nullptr : std::make_unique<Client>(client);
}

void ClientPool::give_back(std::unique_ptr<Client> client) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(client));
}

void ClientPool::clear() {
  std::vector<std::unique_ptr<Client>> cut_off;
  const std::lock_guard lock(mutex_);
  cut_off.swap(idle_);
}

}  // namespace nextid::mongo
