#pragma once

#include <span>
#include <string>

#include "base/feasible.h"
#include "params/tfhe_parameters.h"

namespace tacit::params {

/// The requirement of a lookup, a sign or a decryption.
struct LookupRequirement {
  std::string layer;       ///< the layer that asks, for messages: "layer 'conv2'"
  int bits = 0;            ///< bits of the table's argument; this field and the next ones are within TfheLimits
  double norm2 = 1;        ///< 2-norm of the integer weights of results of earlier lookups
  double fresh_norm2 = 0;  ///< 2-norm of the integer weights of fresh ciphertexts
  bool decrypted = false;  ///< the integer is not looked up but decrypted: then it has 1 to 40 bits
  bool sign = false;  ///< only the highest bit of the torus is found: then bits are 0, and a 2-norm is 2^62 at most
  int sign_of = 0;    ///< a sign is the lowest of `sign_of` bits, moved up: both norms are the weights' times 2^sign_of
  double log2_failure = -128;
  int log_tables = 0;         ///< 2^log_tables tables share a bootstrap
  double most_key_bytes = 0;  ///< bound on the bootstrapping key in memory; 0: no bound
};

/// The modelled seconds of one lookup among many, on one core with AVX-512. The model counts transforms, products and
/// the key switch, times rates measured once (docs/decisions/0034-tfhe-core.md). It is for comparing sets.
struct LookupCost {
  double key_switch = 0, bootstrap = 0;
  double total() const { return key_switch + bootstrap; }
};
LookupCost lookup_cost(const TfheLiteral& literal);

/// Returns the cheapest secure literal by lookup_cost. The search covers dimensions, extension, bases and levels within
/// the security line. The name of the literal states its purpose. A requirement that no set satisfies throws
/// InputError. The message begins with the layer and names the nearest requirement that can be satisfied.
TfheLiteral solve(const LookupRequirement& requirement);
/// Returns the cheapest literal that satisfies all requirements. At least one of them is a lookup. The failure
/// probability and the tables are those of the strictest one, and so are the bytes.
TfheLiteral solve(std::span<const LookupRequirement> requirements);
/// Returns the same, or the requirement that no set satisfies, as a value for searches.
base::Feasible<TfheLiteral> try_solve(std::span<const LookupRequirement> requirements);

/// Returns a text for messages: "6 bits behind weights of 2-norm 9", "the lowest of 20 bits behind ...".
std::string load_of(const LookupRequirement& requirement);

/// Returns log2 of the modelled probability that the requirement fails with this shape.
double log2_failure(const LookupShape& shape, const LookupRequirement& requirement);

}  // namespace tacit::params
