#pragma once

#include <cstddef>

namespace tacit::ring {

/// The two rings of degree N, a power of two.
enum class Kind {
  /// Z[X] / (X^N + 1): N / 2 complex slots, the values at zeta^(5^j) of a primitive 2N-th root of unity zeta.
  negacyclic,
  /// The elements of Z[X] / (X^2N + 1) that X -> X^-1 leaves unchanged (Kim, Song 2018, "Approximate homomorphic
  /// encryption over the conjugate-invariant ring"). They are integer combinations of 1 and X^i + X^-i, 0 < i < N, and
  /// the factors are the N coefficients. The N real slots are the values at zeta^(5^j) of a primitive 4N-th root of
  /// unity zeta.
  conjugate_invariant,
};

/// Returns the order of zeta.
constexpr std::size_t root_order(std::size_t n, Kind kind) { return kind == Kind::negacyclic ? 2 * n : 4 * n; }
/// Returns the number of slots of a polynomial of degree N.
constexpr std::size_t slot_count(std::size_t n, Kind kind) { return kind == Kind::negacyclic ? n / 2 : n; }

}  // namespace tacit::ring
