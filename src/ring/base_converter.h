#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "ring/modulus.h"

namespace tacit::ring {

/// Fast approximate base conversion (Bajard, Eynard, Hasan, Zucca 2016; Halevi, Polyakov, Shoup 2018 section 2.2, the
/// centred variant with a floating-point quotient so that no multiple of the source product is added):
/// residues x mod each prime of `from`, coefficient domain, to residues mod each prime of `to`.
/// x is taken as the centred representative modulo the product of `from`. Immutable, thread safe.
class BaseConverter {
 public:
  BaseConverter(std::vector<Modulus> from, std::vector<Modulus> to);
  const std::vector<Modulus>& from() const;
  const std::vector<Modulus>& to() const;
  /// src[i] and dst[j] are limbs of n words in [0, q).
  void convert(std::span<const std::uint64_t* const> src, std::span<std::uint64_t* const> dst, std::size_t n) const;
};

}  // namespace tacit::ring
