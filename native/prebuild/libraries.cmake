# The libraries that the prebuilt MongoDB module holds, as static archives: those of prebuild.sh's Debian packages in the
# folder NEXTID_LIBRARIES. The target `mongoc` stands for all of them.
file(GLOB lib "${NEXTID_LIBRARIES}/usr/lib/*-linux-gnu")
add_library(mongoc INTERFACE)
add_library(shims STATIC native/prebuild/shims.c)
target_include_directories(mongoc SYSTEM INTERFACE
  "${NEXTID_LIBRARIES}/usr/include/libmongoc-1.0" "${NEXTID_LIBRARIES}/usr/include/libbson-1.0")
target_compile_definitions(mongoc INTERFACE MONGOC_STATIC BSON_STATIC NEXTID_BUNDLED_LIBMONGOC)
target_link_libraries(mongoc INTERFACE
  "${lib}/libmongoc-static-1.0.a" "${lib}/libbson-static-1.0.a" "${lib}/libssl.a" "${lib}/libcrypto.a"
  "${lib}/libutf8proc.a" "${lib}/libz.a" "${lib}/libzstd.a" shims resolv)
