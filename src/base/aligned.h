#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace tacit::base {

/// Most bytes of returned blocks that are kept for reuse beyond the most that was in use at once.
inline constexpr std::size_t kMostKeptBytes = std::size_t{64} << 20;

/// Allocates on 64-byte boundaries (one cache line, one AVX-512 register). Blocks of 256 KiB or more begin at different
/// offsets, so that rows which are read side by side do not share cache sets; those are offered to the
/// kernel for huge pages. Zero sizes are allowed. Blocks that were given back are kept for reuse, whatever thread asks,
/// uncleared: secrets are zeroised by whoever held them. Kept are at most kMostKeptBytes and an eighth of what is in
/// use, and with what is in use at most kMostKeptBytes more than the most that was. Throws std::bad_alloc. Thread safe.
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
  /// Default-initialises, so that a large buffer about to be overwritten is not cleared first.
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

/// A std::vector on 64-byte boundaries whose `resize` leaves new elements of trivial types uninitialised.
template <class T>
using AlignedVector = std::vector<T, AlignedAllocator<T>>;

}  // namespace tacit::base
