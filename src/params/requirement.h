#pragma once

#include <string>
#include <string_view>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// The needs of a computation, in the words of its author.
struct Requirement {
  int slots = 16384;        ///< numbers in a ciphertext, a power of two
  int depth = 8;            ///< products in sequence
  int fraction_bits = 40;   ///< the scale is 2^fraction_bits
  int integer_bits = 20;    ///< values are below 2^integer_bits in magnitude
  int security_bits = 128;  ///< 128, 192 or 256; 0 marks the set insecure (tests)
  bool operator==(const Requirement&) const = default;

  /// Parses "slots 16384, depth 8, fraction 40 bits, integer 20 bits, security 128". A missing word keeps its default.
  /// Throws InputError naming the word.
  static Requirement parse(std::string_view text);
  std::string to_string() const;
};

struct RequiredParameters {
  CkksLiteral literal;
  /// The level at which values are decrypted. It is above 0 if one prime is too small for the integer part.
  int base_level = 0;
};

/// Returns the cheapest parameter set that satisfies a requirement within the security bound. The price is the work of
/// a rotation (key_switch_price), averaged over the levels. The set has `depth` primes of the size of the scale above
/// as many primes as the integer part needs. The search covers real slots (N = slots) and complex ones (N = 2 * slots),
/// and the number of special primes. Throws InputError that says which bound is broken and by what.
RequiredParameters parameters_for(const Requirement& requirement);

}  // namespace tacit::params
