# SQLite's source in one file, pinned by version and hash, from the npm package better-sqlite3, which carries it. `npm
# pack` only downloads: no script of the package runs, and node-gyp is not involved.
# Sets SQLITE_AMALGAMATION to the folder of sqlite3.c, or leaves it empty where the package cannot be fetched.

set(package better-sqlite3-13.2.0)
set(sha256 40487589df3496f2ee0079d22b73c63fccebe7db0e8ee9a2c42421861e321e0b)

set(SQLITE_AMALGAMATION "${CMAKE_BINARY_DIR}/${package}/package/deps/sqlite3")
if(NOT EXISTS "${SQLITE_AMALGAMATION}/sqlite3.c")
  set(folder "${CMAKE_BINARY_DIR}/${package}")
  file(REMOVE_RECURSE "${folder}")
  file(MAKE_DIRECTORY "${folder}")
  string(REGEX REPLACE "-([0-9.]+)$" "@\\1" name "${package}")
  message(STATUS "Fetching the source of SQLite: npm pack ${name}")
  execute_process(COMMAND ${npm} pack --silent --ignore-scripts "${name}" WORKING_DIRECTORY "${folder}"
    RESULT_VARIABLE failed OUTPUT_QUIET)
  set(tarball "${folder}/${package}.tgz")
  if(failed OR NOT EXISTS "${tarball}")
    message(WARNING "the source of SQLite could not be fetched (npm pack ${name}: ${failed}); trying the system's library")
    set(SQLITE_AMALGAMATION "")
  else()
    file(SHA256 "${tarball}" found)
    if(NOT found STREQUAL sha256)
      message(FATAL_ERROR "${tarball} has the SHA-256 ${found}: expected ${sha256}; delete it and look where npm got it from")
    endif()
    execute_process(COMMAND "${CMAKE_COMMAND}" -E tar xzf "${tarball}" -- package/deps/sqlite3
      WORKING_DIRECTORY "${folder}" COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE "${tarball}")
  endif()
endif()
