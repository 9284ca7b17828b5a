// Windows: a module is linked with node.exe, but the program that loads it may have another name. When delay
// loading asks for node.exe, this returns the running program.
#ifdef _MSC_VER
#include <windows.h>

#include <delayimp.h>

#include <cstring>

namespace {

FARPROC WINAPI own_program(unsigned event, DelayLoadInfo* info) {
  if (event != dliNotePreLoadLibrary || _stricmp(info->szDll, "node.exe") != 0) return nullptr;
  return reinterpret_cast<FARPROC>(GetModuleHandle(nullptr));
}

}  // namespace

decltype(__pfnDliNotifyHook2) __pfnDliNotifyHook2 = own_program;
#endif
