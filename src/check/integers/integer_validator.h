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

/// What is wrong with a value on integers, as far as its numbers tell.
enum class IntegerCause {
  none,
  overflow,      ///< an argument lies outside the message space that its table was made for
  noise,         ///< an argument or a result is off by more noise than the parameters were chosen for
  lookup,        ///< a result is no entry of its table, or one of another box
  rounding,      ///< a result is off by bits that were to be rounded off
  sum,           ///< a sum is not that of its operands, whose noise it carries exactly
  quantisation,  ///< what the program says was carried out, and it is not what the operator of the model does
};
const char* name(IntegerCause cause);

/// What the look at one instruction found.
struct IntegerResult {
  program::ValueId value = 0;
  std::string node, operation;
  std::size_t elements = 0;                 ///< over all runs
  std::size_t failures = 0;                 ///< elements
  std::size_t first = 0;                    ///< the first of them
  IntegerCause cause = IntegerCause::none;  ///< of the first
  std::size_t moved = 0;                    ///< lookups that took the box beside the nearest one: noise at its border
  double noise_share = 0;                   ///< largest noise of a result, as a share of what it may have
  std::string operators{};                  ///< of the model that were compared with; none where nothing was
  double boxes = 0;                         ///< largest distance from these (OperatorDifference)
};

/// Watches a run with the secret key. A sum must be exactly what its operands' phases add up to, noise included. A
/// lookup must give the entry of the box that its argument lies in, with the noise of a bootstrap. Where the noise of
/// key and modulus switch reaches the border of that box, the next one's entry is right as well. What is rounded must
/// lie as far from its operand as its integer does, but for the noise of a bootstrap a bit. What is right so far is
/// held to the operators of the model, where they are given. Holds the phases of all values. Not thread safe.
class IntegerValidator final : public runtime::IntegerObserver {
 public:
  /// All must outlive this. `operators` may be null.
  IntegerValidator(const integers::Program& program, const params::TfheParameters& parameters,
                   const scheme::tfhe::Decryptor& decryptor, const IntegerOperators* operators = nullptr);
  void value(program::ValueId id, const scheme::tfhe::LweCiphertexts& ciphertexts) override;
  /// Of sums, lookups and what is rounded, in order, over all runs that it watched.
  const std::vector<IntegerResult>& results() const { return results_; }

 private:
  using Torus = scheme::tfhe::Torus;
  void check_sum(program::ValueId id, IntegerResult& result) const;
  void check_round(program::ValueId id, const integers::Round& round, IntegerResult& result) const;
  void check_lookup(program::ValueId id, const integers::Lookup& lookup, IntegerResult& result) const;

  const integers::Program& program_;
  const scheme::tfhe::Decryptor& decryptor_;
  const IntegerOperators* operators_;
  double bootstrap_reach_, switch_reach_;   ///< that noise stays within but for the failure probability; of the torus
  std::vector<std::vector<Torus>> phases_;  ///< by value
  std::vector<std::vector<integers::WeightRows>> weights_;  ///< by value and term
  std::vector<std::size_t> place_;                          ///< by value: of its result
  std::vector<IntegerResult> results_;
};

}  // namespace tacit::check
