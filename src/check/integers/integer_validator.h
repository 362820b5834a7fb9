#pragma once

#include <string>
#include <vector>

#include "check/integers/integer_operators.h"
#include "params/tfhe_parameters.h"
#include "program/integers/program.h"
#include "program/integers/weight_rows.h"
#include "runtime/integers/integer_executor.h"
#include "scheme/tfhe/encryption.h"

namespace tacit::check {

/// The error of a value on integers, as far as its numbers show it.
enum class IntegerCause {
  none,
  overflow,      ///< an argument is outside the message space of its table
  noise,         ///< an argument or a result has more noise than the parameters were chosen for
  lookup,        ///< a result is no entry of its table, or the entry of another box
  rounding,      ///< a result is off by bits that should be rounded off
  sum,           ///< a sum differs from that of its operands, whose noise it carries exactly
  quantisation,  ///< the program was carried out, but does not compute the operator of the model
};
const char* name(IntegerCause cause);

/// The result of watching one instruction.
struct IntegerResult {
  program::ValueId value = 0;
  std::string node, operation;
  std::size_t elements = 0;                 ///< over all runs
  std::size_t failures = 0;                 ///< elements
  std::size_t first = 0;                    ///< first failed element
  IntegerCause cause = IntegerCause::none;  ///< of the first failure
  std::size_t moved = 0;                    ///< lookups that used a neighbour of the nearest box: noise at its border
  double noise_share = 0;                   ///< largest noise of a result, as a share of the allowed noise
  std::string operators{};                  ///< operators of the model in the comparison; empty if there was none
  double boxes = 0;                         ///< largest distance from these operators (OperatorDifference)
};

/// Watches a run with the secret key.
/// - A sum must be exactly the sum of its operands' phases, noise included.
/// - A lookup must return the entry of its argument's box, with the noise of a bootstrap. If the noise of key switch
///   and modulus switch reaches the border of that box, the next box's entry is right as well.
/// - A rounded value must be as far from its operand as its integer is, up to the noise of one bootstrap per bit.
///
/// A value that passes is compared with the operators of the model, if they are given. Holds the phases of all values.
/// Not thread safe.
class IntegerValidator final : public runtime::IntegerObserver {
 public:
  /// All arguments must outlive this object. `operators` may be null.
  IntegerValidator(const integers::Program& program, const params::TfheParameters& parameters,
                   const scheme::tfhe::Decryptor& decryptor, const IntegerOperators* operators = nullptr);
  void value(program::ValueId id, const scheme::tfhe::LweCiphertexts& ciphertexts) override;
  /// The results of sums, lookups and roundings, in order, over all watched runs.
  const std::vector<IntegerResult>& results() const { return results_; }

 private:
  using Torus = scheme::tfhe::Torus;
  void check_sum(program::ValueId id, IntegerResult& result) const;
  void check_round(program::ValueId id, const integers::Round& round, IntegerResult& result) const;
  void check_lookup(program::ValueId id, const integers::Lookup& lookup, IntegerResult& result) const;

  const integers::Program& program_;
  const scheme::tfhe::Decryptor& decryptor_;
  const IntegerOperators* operators_;
  double bootstrap_reach_, switch_reach_;   ///< bounds of the noise, except with the failure probability; of the torus
  std::vector<std::vector<Torus>> phases_;  ///< by value
  std::vector<std::vector<integers::WeightRows>> weights_;  ///< by value and term
  std::vector<std::size_t> place_;                          ///< by value: place of its result
  std::vector<IntegerResult> results_;
};

}  // namespace tacit::check
