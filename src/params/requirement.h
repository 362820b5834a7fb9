#pragma once

#include <string>
#include <string_view>

#include "params/ckks_parameters.h"

namespace tacit::params {

/// What a computation needs of a parameter set, in the words of who writes it.
struct Requirement {
  int slots = 16384;        ///< numbers in a ciphertext, a power of two
  int depth = 8;            ///< products in sequence
  int fraction_bits = 40;   ///< the scale is 2^fraction_bits
  int integer_bits = 20;    ///< values are below 2^integer_bits in magnitude
  int security_bits = 128;  ///< 128, 192 or 256; 0 marks the set insecure (tests)
  bool operator==(const Requirement&) const = default;

  /// "slots 16384, depth 8, fraction 40 bits, integer 20 bits, security 128"; what is not said keeps its default.
  /// Throws InputError naming the word.
  static Requirement parse(std::string_view text);
  std::string to_string() const;
};

struct RequiredParameters {
  CkksLiteral literal;
  /// The level at which values are decrypted: one prime is not enough for a large integer part.
  int base_level = 0;
};

/// The parameter set that a requirement asks for: `depth` primes of the size of the scale above as many as the integer
/// part needs, real slots (as many coefficients as slots) or complex ones (twice as many), and the number of special
/// primes, of which rotations, averaged over the levels, take the fewest limb operations within the security bound.
/// Throws InputError that says which bound is broken and by what.
RequiredParameters parameters_for(const Requirement& requirement);

}  // namespace tacit::params
