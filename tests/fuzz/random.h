#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>

namespace tacit::fuzz {

/// Choices that are the same on every machine for the same seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : words_(seed) {}
  std::uint64_t word() { return words_(); }
  /// In [0, bound); 0 where the bound is 0.
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : static_cast<std::size_t>(words_() % bound); }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class T, std::size_t Size>
  const T& pick(const T (&list)[Size]) {
    return list[below(Size)];
  }
  template <class List>
  decltype(auto) pick(List& list) {
    return list[below(std::size(list))];
  }

 private:
  std::mt19937_64 words_;
};

}  // namespace tacit::fuzz
