#pragma once

#include <cstddef>
#include <cstdint>

namespace tacit::ring {

/// The place where words are written. With `around`, they are stored around the caches if the instruction set can do
/// so. This is best when more is written before it is read than the caches hold. The words must then be on cache lines.
/// base::parallel_for orders the stores. Outside of it, a caller fences before other threads read.
struct Destination {
  std::uint64_t* words = nullptr;
  bool around = false;

  Destination(std::uint64_t* to, bool past_the_caches = false) : words(to), around(past_the_caches) {}
  Destination operator+(std::size_t offset) const { return {words + offset, around}; }
};

}  // namespace tacit::ring
