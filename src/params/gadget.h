#pragma once

#include <cstddef>
#include <vector>

namespace tacit::params {

/// How the primes of a set serve one kind of key switch: that of rotations, or that of products.
struct Gadget {
  std::vector<std::size_t> digits;          ///< ciphertext primes in each digit at the top level, from q_0 upwards
  std::vector<std::size_t> special_primes;  ///< by level: so many of the first special primes are divided by there

  /// Digits that a key switch at the level has; lower levels cut the list off.
  double count(int level) const;
  /// Special primes at the level.
  double special(int level) const;
  /// Rows of an extended polynomial at the level.
  double extended(int level) const { return level + 1 + special(level); }
  bool operator==(const Gadget&) const = default;
};

}  // namespace tacit::params
