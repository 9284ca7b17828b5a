// Windows only. A module is linked with node.exe, but the program that loads it may have another name:
// Electron, a single executable application. So the functions of Node-API are looked up in the running
// program.
#ifdef _WIN32
#include <windows.h>

#ifdef _MSC_VER
#include <delayimp.h>

#include <cstring>

namespace {

FARPROC WINAPI own_program(unsigned event, DelayLoadInfo* info) {
  if (event != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) return nullptr;
  return reinterpret_cast<FARPROC>(GetModuleHandle(nullptr));
}

}  // namespace

decltype(__pfnDliNotifyHook2) __pfnDliNotifyHook2 = own_program;
#else
// MinGW has no delay loading: each function jumps to that of the running program. CMakeLists.txt writes the
// list.
#ifdef __aarch64__
#define JUMP_TO(pointer) "adrp x16, " pointer "\n ldr x16, [x16, :lo12:" pointer "]\n br x16"
#else
#define JUMP_TO(pointer) "jmp *" pointer "(%rip)"
#endif
#define NODE_API(name)                                                      \
  extern "C" {                                                              \
  FARPROC nextid_##name = GetProcAddress(GetModuleHandleW(nullptr), #name); \
  }                                                                         \
  asm(".globl " #name "\n" #name ": " JUMP_TO("nextid_" #name));
#include "node_api_functions.h"
#endif

namespace {

// A worker_thread that ends closes its modules; code that other threads still run must stay mapped.
[[maybe_unused]] const BOOL stays_mapped = [] {
  HMODULE module;
  return GetModuleHandleExW(GET_MODULE_HANDLE_EX_FLAG_PIN | GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS,
                            reinterpret_cast<LPCWSTR>(&stays_mapped), &module);
}();

}  // namespace
#endif
