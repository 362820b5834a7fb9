#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tacit::base {

/// Bounds the memory that is kept for reuse. Kept blocks raise the largest use of the process by at most this many
/// bytes.
inline constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

/// Returns memory on a 64-byte boundary (one cache line, one AVX-512 register). A size of 0 is allowed. The function
/// throws std::bad_alloc. It is thread safe.
///
/// Blocks of 256 KiB or more begin at different offsets, so that rows that are read together do not share cache sets.
/// The kernel may use huge pages for these blocks. A returned block is kept for reuse by any thread, and its contents
/// are not cleared: a holder of secrets zeroises them before it returns the block. Two bounds limit the kept bytes:
/// - They are at most kMostKeptBytes plus an eighth of the bytes in use.
/// - Together with the bytes in use, they exceed the largest use so far by at most kMostKeptBytes.
void* allocate_aligned(std::size_t bytes);
void deallocate_aligned(void* block, std::size_t bytes) noexcept;

template <class T>
struct AlignedAllocator {
  using value_type = T;
  AlignedAllocator() = default;
  template <class U>
  AlignedAllocator(const AlignedAllocator<U>&) noexcept {}
  T* allocate(std::size_t count) {
    if (count > static_cast<std::size_t>(-1) / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_aligned(count * sizeof(T)));
  }
  void deallocate(T* block, std::size_t count) noexcept { deallocate_aligned(block, count * sizeof(T)); }
  /// Default-initialises the element, so that a large buffer about to be overwritten is not cleared first.
  template <class U>
  void construct(U* p) noexcept {
    ::new (static_cast<void*>(p)) U;
  }
  template <class U, class... Args>
  void construct(U* p, Args&&... args) {
    ::new (static_cast<void*>(p)) U(static_cast<Args&&>(args)...);
  }
  template <class U>
  bool operator==(const AlignedAllocator<U>&) const noexcept {
    return true;
  }
};

/// A std::vector on 64-byte boundaries. Its `resize` leaves new elements of trivial types uninitialised.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace tacit::base
