// What Debian's static archives ask for and glibc 2.28 does not have, and stubs in the place of what the
// prebuilt MongoDB module leaves out: Kerberos (SASL), Snappy and client-side encryption. check.js finds what
// is missing here.
#define _GNU_SOURCE
#include <resolv.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef dn_expand
#undef res_nsearch

// --- names that glibc gave later to what it had

int dn_expand(const unsigned char* message, const unsigned char* end, const unsigned char* from, char* to,
              int size) {
  return __dn_expand(message, end, from, to, size);
}
int res_nsearch(res_state state, const char* name, int class, int type, unsigned char* answer, int size) {
  return __res_nsearch(state, name, class, type, answer, size);
}
long __isoc23_strtol(const char* text, char** end, int base) { return strtol(text, end, base); }
unsigned long __isoc23_strtoul(const char* text, char** end, int base) { return strtoul(text, end, base); }
long long __isoc23_strtoll(const char* text, char** end, int base) { return strtoll(text, end, base); }
unsigned long long __isoc23_strtoull(const char* text, char** end, int base) {
  return strtoull(text, end, base);
}

// As in BSD: always ends `to` with a 0 if there is room for it, and tells how long `from` is.
size_t strlcpy(char* to, const char* from, size_t size) {
  const size_t length = strlen(from);
  if (size > 0) {
    const size_t copied = length < size ? length : size - 1;
    memcpy(to, from, copied);
    to[copied] = '\0';
  }
  return length;
}

// --- Kerberos: mongo_uri.cpp refuses authMechanism=GSSAPI before it comes to these

enum { kSaslOk = 0, kSaslFail = -1 };
int sasl_client_init(const void* callbacks) {
  (void)callbacks;
  return kSaslOk;  // mongoc_init() insists
}
void sasl_set_mutex(void* make, void* lock, void* unlock, void* destroy) {
  (void)make, (void)lock, (void)unlock, (void)destroy;
}
int sasl_client_done(void) { return kSaslOk; }
int sasl_client_new(void) { return kSaslFail; }
int sasl_client_start(void) { return kSaslFail; }
int sasl_client_step(void) { return kSaslFail; }
void sasl_dispose(void** connection) { (void)connection; }
const char* sasl_errdetail(void* connection) {
  (void)connection;
  return "Kerberos is not part of this build";
}
const char* sasl_errstring(int error, const char* languages, const char** language) {
  (void)error, (void)languages, (void)language;
  return "Kerberos is not part of this build";
}
const char** sasl_global_listmech(void) { return NULL; }

// --- Snappy: mongo_uri.cpp takes it out of `compressors`

enum { kSnappyInvalidInput = 1 };
int snappy_compress(void) { return kSnappyInvalidInput; }
int snappy_uncompress(void) { return kSnappyInvalidInput; }
size_t snappy_max_compressed_length(size_t length) { return length; }

// --- client-side encryption: nothing here ever asks for it

#define NEVER_CALLED(name)                                          \
  void name(void) {                                                 \
    fputs("nextid: " #name " is not part of this build\n", stderr); \
    abort();                                                        \
  }
NEVER_CALLED(mongocrypt_binary_data)
NEVER_CALLED(mongocrypt_binary_destroy)
NEVER_CALLED(mongocrypt_binary_len)
NEVER_CALLED(mongocrypt_binary_new)
NEVER_CALLED(mongocrypt_binary_new_from_data)
NEVER_CALLED(mongocrypt_crypt_shared_lib_version_string)
NEVER_CALLED(mongocrypt_ctx_datakey_init)
NEVER_CALLED(mongocrypt_ctx_decrypt_init)
NEVER_CALLED(mongocrypt_ctx_destroy)
NEVER_CALLED(mongocrypt_ctx_encrypt_init)
NEVER_CALLED(mongocrypt_ctx_explicit_decrypt_init)
NEVER_CALLED(mongocrypt_ctx_explicit_encrypt_expression_init)
NEVER_CALLED(mongocrypt_ctx_explicit_encrypt_init)
NEVER_CALLED(mongocrypt_ctx_finalize)
NEVER_CALLED(mongocrypt_ctx_kms_done)
NEVER_CALLED(mongocrypt_ctx_mongo_done)
NEVER_CALLED(mongocrypt_ctx_mongo_feed)
NEVER_CALLED(mongocrypt_ctx_mongo_op)
NEVER_CALLED(mongocrypt_ctx_new)
NEVER_CALLED(mongocrypt_ctx_next_kms_ctx)
NEVER_CALLED(mongocrypt_ctx_provide_kms_providers)
NEVER_CALLED(mongocrypt_ctx_rewrap_many_datakey_init)
NEVER_CALLED(mongocrypt_ctx_setopt_algorithm)
NEVER_CALLED(mongocrypt_ctx_setopt_algorithm_range)
NEVER_CALLED(mongocrypt_ctx_setopt_contention_factor)
NEVER_CALLED(mongocrypt_ctx_setopt_key_alt_name)
NEVER_CALLED(mongocrypt_ctx_setopt_key_encryption_key)
NEVER_CALLED(mongocrypt_ctx_setopt_key_id)
NEVER_CALLED(mongocrypt_ctx_setopt_key_material)
NEVER_CALLED(mongocrypt_ctx_setopt_query_type)
NEVER_CALLED(mongocrypt_ctx_state)
NEVER_CALLED(mongocrypt_ctx_status)
NEVER_CALLED(mongocrypt_destroy)
NEVER_CALLED(mongocrypt_init)
NEVER_CALLED(mongocrypt_kms_ctx_bytes_needed)
NEVER_CALLED(mongocrypt_kms_ctx_endpoint)
NEVER_CALLED(mongocrypt_kms_ctx_fail)
NEVER_CALLED(mongocrypt_kms_ctx_feed)
NEVER_CALLED(mongocrypt_kms_ctx_get_kms_provider)
NEVER_CALLED(mongocrypt_kms_ctx_message)
NEVER_CALLED(mongocrypt_kms_ctx_status)
NEVER_CALLED(mongocrypt_kms_ctx_usleep)
NEVER_CALLED(mongocrypt_new)
NEVER_CALLED(mongocrypt_setopt_append_crypt_shared_lib_search_path)
NEVER_CALLED(mongocrypt_setopt_bypass_query_analysis)
NEVER_CALLED(mongocrypt_setopt_encrypted_field_config_map)
NEVER_CALLED(mongocrypt_setopt_key_expiration)
NEVER_CALLED(mongocrypt_setopt_kms_providers)
NEVER_CALLED(mongocrypt_setopt_log_handler)
NEVER_CALLED(mongocrypt_setopt_retry_kms)
NEVER_CALLED(mongocrypt_setopt_schema_map)
NEVER_CALLED(mongocrypt_setopt_set_crypt_shared_lib_path_override)
NEVER_CALLED(mongocrypt_setopt_use_need_kms_credentials_state)
NEVER_CALLED(mongocrypt_setopt_use_range_v2)
NEVER_CALLED(mongocrypt_status)
NEVER_CALLED(mongocrypt_status_code)
NEVER_CALLED(mongocrypt_status_destroy)
NEVER_CALLED(mongocrypt_status_message)
NEVER_CALLED(mongocrypt_status_new)
