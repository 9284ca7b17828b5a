#pragma once

// Replaces operator new, in all its forms, by one that obeys ScarceMemory: to be included by one file of a
// program.

#include <cstddef>
#include <cstdlib>
#include <new>

#include "native/scarce_memory.h"

namespace nextid::new_operators {

inline void* allocate(std::size_t size, std::size_t alignment = 0) noexcept {
  if (ScarceMemory::fails_now()) return nullptr;
  const std::size_t least = size == 0 ? 1 : size;
  void* const memory = alignment <= alignof(std::max_align_t)
                           ? std::malloc(least)
                           : std::aligned_alloc(alignment, (least + alignment - 1) / alignment * alignment);
  if (memory != nullptr) ++allocations;
  return memory;
}

inline void* allocate_or_throw(std::size_t size, std::size_t alignment = 0) {
  if (void* const memory = allocate(size, alignment)) return memory;
  throw std::bad_alloc();
}

inline void release(void* memory) noexcept {
  if (memory != nullptr) --allocations;
  std::free(memory);
}

}  // namespace nextid::new_operators

// Not inlined, or gcc compares what it sees of one side with the name of the other.
#if defined(__GNUC__)
#define NEXTID_NOINLINE __attribute__((noinline))
#else
#define NEXTID_NOINLINE
#endif

NEXTID_NOINLINE void* operator new(std::size_t size) {
  return nextid::new_operators::allocate_or_throw(size);
}
NEXTID_NOINLINE void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return nextid::new_operators::allocate(size);
}
NEXTID_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment) {
  return nextid::new_operators::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
NEXTID_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment,
                                   const std::nothrow_t&) noexcept {
  return nextid::new_operators::allocate(size, static_cast<std::size_t>(alignment));
}
NEXTID_NOINLINE void* operator new[](std::size_t size) {
  return nextid::new_operators::allocate_or_throw(size);
}
NEXTID_NOINLINE void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return nextid::new_operators::allocate(size);
}
NEXTID_NOINLINE void* operator new[](std::size_t size, std::align_val_t alignment) {
  return nextid::new_operators::allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
NEXTID_NOINLINE void* operator new[](std::size_t size, std::align_val_t alignment,
                                     const std::nothrow_t&) noexcept {
  return nextid::new_operators::allocate(size, static_cast<std::size_t>(alignment));
}
NEXTID_NOINLINE void operator delete(void* memory) noexcept { nextid::new_operators::release(memory); }
NEXTID_NOINLINE void operator delete(void* memory, std::size_t) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete(void* memory, const std::nothrow_t&) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete(void* memory, std::align_val_t) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete(void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete[](void* memory) noexcept { nextid::new_operators::release(memory); }
NEXTID_NOINLINE void operator delete[](void* memory, std::size_t) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete[](void* memory, const std::nothrow_t&) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete[](void* memory, std::align_val_t) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  nextid::new_operators::release(memory);
}
NEXTID_NOINLINE void operator delete[](void* memory, std::align_val_t, const std::nothrow_t&) noexcept {
  nextid::new_operators::release(memory);
}

#undef NEXTID_NOINLINE
