// What libmongoc alone needs for a refill: `bare_mongoc URL DATABASE COUNT` moves the counter `bare` of the
// collection `ids` up COUNT times, one findAndModify after the other on one client, and prints how many
// microseconds of processor time each took. Connecting and the first tenth do not count.

#include <mongoc/mongoc.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

[[noreturn]] void fail(const char* message) {
  std::fprintf(stderr, "bare_mongoc: %s\n", message);
  std::exit(1);
}

double microseconds(const timeval& time) {
  return 1e6 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec);
}

double processor_time() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
}

mongoc_client_t* connect(const char* url) {
  bson_error_t error;
  mongoc_uri_t* uri = mongoc_uri_new_with_error(url, &error);
  if (uri == nullptr) fail(error.message);
  mongoc_write_concern_t* concern = mongoc_write_concern_new();  // as nextid's
  mongoc_write_concern_set_w(concern, MONGOC_WRITE_CONCERN_W_MAJORITY);
  mongoc_write_concern_set_journal(concern, true);
  mongoc_write_concern_set_wtimeout_int64(concern, 4000);
  mongoc_uri_set_write_concern(uri, concern);
  mongoc_write_concern_destroy(concern);
  mongoc_client_t* client = mongoc_client_new_from_uri_with_error(uri, &error);
  if (client == nullptr) fail(error.message);
  mongoc_uri_destroy(uri);
  return client;
}

// Moves the counter up by one. Returns where it stands then.
int64_t move(mongoc_client_t* client, const char* database, const bson_t* command) {
  bson_t reply;
  bson_error_t error;
  if (!mongoc_client_write_command_with_opts(client, database, command, nullptr, &reply, &error)) {
    fail(error.message);
  }
  bson_iter_t fields;
  bson_iter_t index;
  if (!bson_iter_init(&fields, &reply) || !bson_iter_find_descendant(&fields, "value.index", &index)) {
    fail("the counter is not there");
  }
  const int64_t stands_at = bson_iter_as_int64(&index);
  bson_destroy(&reply);
  return stands_at;
}

}  // namespace

int main(int argc, char** argv) {
  const long count = argc == 4 ? std::strtol(argv[3], nullptr, 10) : 0;
  if (count <= 0) fail("expected URL DATABASE COUNT");
  const char* database = argv[2];
  mongoc_init();
  mongoc_client_t* client = connect(argv[1]);
  bson_t* command = BCON_NEW("findAndModify", BCON_UTF8("ids"), "query", "{", "_id", BCON_UTF8("bare"), "}",
                             "update", "{", "$inc", "{", "index", BCON_INT64(1), "}", "}", "new",
                             BCON_BOOL(true), "fields", "{", "index", BCON_INT64(1), "}");

  int64_t stood_at = move(client, database, command);
  for (long n = 0; n < count / 10; n++) stood_at = move(client, database, command);
  int64_t stands_at = stood_at;
  const double before = processor_time();
  for (long n = 0; n < count; n++) stands_at = move(client, database, command);
  const double took = processor_time() - before;
  if (stands_at != stood_at + count) fail("somebody else moved the counter");
  std::printf("%.3f\n", took / static_cast<double>(count));

  bson_destroy(command);
  mongoc_client_destroy(client);
  mongoc_cleanup();
}
