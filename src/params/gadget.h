#pragma once

#include <cstddef>
#include <vector>

namespace tacit::params {

/// Describes how the primes of a set serve one kind of key switch: the switches of rotations, or those of products.
struct Gadget {
  std::vector<std::size_t> digits;          ///< ciphertext primes in each digit at the top level, from q_0 upwards
  std::vector<std::size_t> special_primes;  ///< by level: number of leading special primes in the divisor

  /// Returns the number of digits of a key switch at the level. Lower levels cut the list off.
  double count(int level) const;
  /// Returns the number of special primes at the level.
  double special(int level) const;
  /// Returns the number of rows of an extended polynomial at the level.
  double extended(int level) const { return level + 1 + special(level); }
  bool operator==(const Gadget&) const = default;
};

}  // namespace tacit::params
