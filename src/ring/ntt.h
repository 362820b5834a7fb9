#pragma once

#include <cstdint>
#include <vector>

#include "base/aligned.h"
#include "ring/modulus.h"

namespace tacit::ring {

/// Roots for the negacyclic NTT of one prime and degree. Immutable, thread safe.
/// Order of the NTT domain ("standard"): position i holds the evaluation at psi^(2*brv(i)+1), brv = bit reversal on
/// log2 N bits, the same for every instruction set, so that automorphisms and artefacts do not depend on the machine.
class NttTables {
 public:
  /// Throws InputError unless q = 1 mod 2N, N a power of two, 2^3 <= N <= 2^17.
  NttTables(const Modulus& q, std::size_t n);
  const Modulus& modulus() const;
  std::size_t n() const;

  /// In place; input in [0, q), output in [0, q). `next`, if given, is the limb that the caller transforms
  /// afterwards: it is prefetched while this one is finished.
  void forward(std::uint64_t* a, const std::uint64_t* next = nullptr) const;
  /// In place inverse, including the factor 1/N; input and output in [0, q).
  void inverse(std::uint64_t* a, const std::uint64_t* next = nullptr) const;

  // The ring owner decides what the tables look like.
};

}  // namespace tacit::ring
