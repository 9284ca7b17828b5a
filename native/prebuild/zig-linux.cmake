# Toolchain of the prebuilt binaries: zig's clang, with headers and stubs of any glibc, for any processor.
#   NEXTID_ZIG     the program zig
#   NEXTID_TOOLS   a folder with its `ar` and `ranlib`, each as one program
#   NEXTID_ARCH    x86_64 or aarch64

# Node 20 runs on nothing older: RHEL 8.
set(NEXTID_GLIBC 2.28)

set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${NEXTID_ARCH})
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES NEXTID_ZIG NEXTID_TOOLS NEXTID_ARCH)
set(target -target ${NEXTID_ARCH}-linux-gnu.${NEXTID_GLIBC})
set(CMAKE_C_COMPILER ${NEXTID_ZIG} cc ${target})
set(CMAKE_CXX_COMPILER ${NEXTID_ZIG} c++ ${target})
set(CMAKE_AR ${NEXTID_TOOLS}/ar)
set(CMAKE_RANLIB ${NEXTID_TOOLS}/ranlib)
# Nothing of this machine.
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
