# Toolchain of the prebuilt binaries: zig's clang, with headers and stubs of each system, for any processor.
#   NEXTID_ZIG      the program zig
#   NEXTID_TOOLS    a folder with its `ar`, `ranlib` and `rc`, each as one program
#   NEXTID_TARGET   what to build for, as zig calls it, such as x86_64-linux-gnu.2.28

if(NOT NEXTID_TARGET MATCHES "^(x86_64|aarch64)-(linux|windows|macos)")
  message(FATAL_ERROR "NEXTID_TARGET is ${NEXTID_TARGET}: expected one of prebuild.sh's targets")
endif()
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(systems_linux Linux)
set(systems_windows Windows)
set(systems_macos Darwin)
set(CMAKE_SYSTEM_NAME ${systems_${CMAKE_MATCH_2}})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEXTID_ZIG NEXTID_TOOLS NEXTID_TARGET)

set(CMAKE_C_COMPILER ${NEXTID_ZIG} cc -target ${NEXTID_TARGET})
set(CMAKE_CXX_COMPILER ${NEXTID_ZIG} c++ -target ${NEXTID_TARGET})
set(CMAKE_AR ${NEXTID_TOOLS}/ar)
set(CMAKE_RANLIB ${NEXTID_TOOLS}/ranlib)
set(CMAKE_RC_COMPILER ${NEXTID_TOOLS}/rc)
# Nothing of this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
