// Lets memory run out in the addon, and only there: preloaded (LD_PRELOAD) into a node process, it counts the
// calls of operator new that come from nextid's modules and fails one of them. See scarce-memory.js.

#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

// The content of the file that JavaScript writes to.
struct Orders {
  std::atomic<int64_t> on;    // 0: nothing is counted
  std::atomic<int64_t> left;  // allocations until one fails
  std::atomic<int64_t> gone;  // 1: so do all after it
};
Orders* orders = nullptr;

__attribute__((constructor)) void find_orders() {
  const char* path = std::getenv("NEXTID_SCARCE_MEMORY");
  const int file = path == nullptr ? -1 : open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return;
  void* memory = mmap(nullptr, sizeof(Orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) orders = static_cast<Orders*>(memory);
  close(file);
}

// Which file an address of code belongs to. (dladdr() looks for the name of the function too, which takes
// long.)
struct Module {
  uintptr_t address;
  const char* name;
};

int find_module(dl_phdr_info* info, size_t, void* data) {
  auto& module = *static_cast<Module*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || module.address < begin || module.address >= begin + part.p_memsz) continue;
    const char* slash = std::strrchr(info->dlpi_name, '/');
    module.name = slash == nullptr ? info->dlpi_name : slash + 1;
    return 1;
  }
  return 0;
}

bool begins_with(const char* text, const char* start) {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

// Looks at one caller: passes over the standard library, and stops at the first other one.
_Unwind_Reason_Code look(_Unwind_Context* context, void* from_addon) {
  Module module{_Unwind_GetIP(context), ""};
  dl_iterate_phdr(find_module, &module);
  if (begins_with(module.name, "libstdc++") || begins_with(module.name, "scarce-memory"))
    return _URC_NO_REASON;
  *static_cast<bool*>(from_addon) = begins_with(module.name, "nextid");
  return _URC_END_OF_STACK;
}

bool fails_now() {
  if (orders == nullptr || orders->on == 0) return false;
  bool from_addon = false;
  _Unwind_Backtrace(look, &from_addon);
  if (!from_addon) return false;
  const int64_t left = --orders->left;
  return left == 0 || (left < 0 && orders->gone == 1);
}

}  // namespace

// The forms of the standard library that are not here call this one.
void* operator new(std::size_t size) {
  void* memory = fails_now() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
