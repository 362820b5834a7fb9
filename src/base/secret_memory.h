#pragma once

#include <cstddef>
#include <vector>

namespace tacit::base {

/// Returns memory for secrets. Its pages hold nothing else and are left out of core dumps. They are locked, so that
/// they never reach a swap file, up to the system's limit (RLIMIT_MEMLOCK). deallocate_secret zeroises them, also when
/// an exception unwinds the stack. If the system refuses one of these measures, the work goes on without it. Throws
/// std::bad_alloc. Thread safe.
void* allocate_secret(std::size_t bytes);
void deallocate_secret(void* block, std::size_t bytes) noexcept;

template <class T>
struct SecretAllocator {
  using value_type = T;
  SecretAllocator() = default;
  template <class U>
  SecretAllocator(const SecretAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_secret(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept { deallocate_secret(block, count * sizeof(T)); }
  template <class U>
  bool operator==(const SecretAllocator<U>&) const noexcept {
    return true;
  }
};

template <class T>
using SecretVector = std::vector<T, SecretAllocator<T>>;

/// Asks the system to write no core dump of this process, and to hide its memory from other processes of the same user.
/// This holds until the process ends. If the system refuses, nothing changes.
void forbid_core_dumps() noexcept;

}  // namespace tacit::base
