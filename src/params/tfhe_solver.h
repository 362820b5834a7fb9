#pragma once

#include <span>
#include <string>

#include "params/tfhe_parameters.h"

namespace tacit::params {

/// What a lookup is asked to do.
struct LookupRequirement {
  std::string layer;       ///< who asks, for messages: "layer 'conv2'"
  int bits = 0;            ///< of the table's argument; this and what follows within TfheLimits
  double norm2 = 1;        ///< of the integer weights before it, of results of earlier lookups
  double fresh_norm2 = 0;  ///< the same of fresh ciphertexts
  bool decrypted = false;  ///< the integer is not looked up but decrypted: then it has 1 to 40 bits
  bool sign = false;  ///< the highest bit of the torus alone is told: then bits are 0, and a 2-norm is 2^62 at most
  int sign_of = 0;    ///< a sign is the lowest of so many bits, moved up: both norms are the weights' times 2^sign_of
  double log2_failure = -128;
  int log_tables = 0;         ///< 2^log_tables tables share a bootstrap
  double most_key_bytes = 0;  ///< of the bootstrapping key in memory; 0: no bound
};

/// Modelled seconds of one lookup among many, on one core with AVX-512: the account of transforms, products and key
/// switch, times rates measured once (docs/decisions/0034-tfhe-core.md). For comparing sets.
struct LookupCost {
  double key_switch = 0, bootstrap = 0;
  double total() const { return key_switch + bootstrap; }
};
LookupCost lookup_cost(const TfheLiteral& literal);

/// The cheapest secure literal by lookup_cost: dimensions, extension, bases and levels are searched within the security
/// line. Its name says what it was made for. Throws InputError, beginning with the layer, for a requirement that no set
/// satisfies, and says which is the nearest that one does.
TfheLiteral solve(const LookupRequirement& requirement);
/// The cheapest that holds for all requirements, of which one at least is a lookup. Failure probability, tables and
/// bytes are those of the strictest.
TfheLiteral solve(std::span<const LookupRequirement> requirements);

/// What is told apart, for messages: "6 bits behind weights of 2-norm 9", "the lowest of 20 bits behind ...".
std::string load_of(const LookupRequirement& requirement);

/// log2 of the modelled probability that what is asked fails with this shape.
double log2_failure(const LookupShape& shape, const LookupRequirement& requirement);

}  // namespace tacit::params
