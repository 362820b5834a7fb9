#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::ring {

/// Where words are written. `around`: they are stored around the caches where the instruction set can, as they should
/// be when more is written before it is read than the caches hold; they then lie on cache lines, and base::parallel_for
/// orders them (outside of it a caller fences before other threads read).
struct Destination {
  std::uint64_t* words = nullptr;
  bool around = false;

  Destination(std::uint64_t* to, bool past_the_caches = false) : words(to), around(past_the_caches) {}
  Destination operator+(std::size_t offset) const { return {words + offset, around}; }
};

}  // namespace tacit::ring
