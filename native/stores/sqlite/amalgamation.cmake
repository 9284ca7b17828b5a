# SQLite's source in one file, pinned by version and hash, from the npm package better-sqlite3, which carries it. `npm
# pack` only downloads: no script of the package runs, and node-gyp is not involved.
# Sets SQLITE_AMALGAMATION to the folder of sqlite3.c.

set(sqlite_package 13.2.0)
set(sqlite_sha256 40487589df3496f2ee0079d22b73c63fccebe7db0e8ee9a2c42421861e321e0b)

set(sqlite_folder "${CMAKE_BINARY_DIR}/better-sqlite3-${sqlite_package}")
set(SQLITE_AMALGAMATION "${sqlite_folder}/package/deps/sqlite3")
if(NOT EXISTS "${SQLITE_AMALGAMATION}/sqlite3.c")
  set(sqlite_tarball "${sqlite_folder}/better-sqlite3-${sqlite_package}.tgz")
  if(NOT EXISTS "${sqlite_tarball}")
    file(MAKE_DIRECTORY "${sqlite_folder}")
    message(STATUS "Fetching the source of SQLite: npm pack better-sqlite3@${sqlite_package}")
    execute_process(COMMAND ${npm} pack --silent --ignore-scripts "better-sqlite3@${sqlite_package}"
      WORKING_DIRECTORY "${sqlite_folder}" OUTPUT_QUIET RESULT_VARIABLE failed)
    if(failed)
      message(FATAL_ERROR "the source of SQLite could not be fetched by npm pack better-sqlite3@${sqlite_package} (${failed}): "
        "it needs npm and its registry; without them, put that tarball into ${sqlite_folder}")
    endif()
  endif()
  file(SHA256 "${sqlite_tarball}" found)
  if(NOT found STREQUAL sqlite_sha256)
    file(REMOVE "${sqlite_tarball}")
    message(FATAL_ERROR "better-sqlite3-${sqlite_package}.tgz has the SHA-256 ${found}: expected ${sqlite_sha256}; find out where npm "
      "got it from, then try again")
  endif()
  execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xzf "${sqlite_tarball}" -- package/deps/sqlite3
    WORKING_DIRECTORY "${sqlite_folder}" COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE "${sqlite_tarball}")
endif()
