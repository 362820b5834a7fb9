#pragma once

#include <cstdint>
#include <vector>

#include "params/ckks_parameters.h"
#include "params/polynomial_plan.h"
#include "program/cost_table.h"
#include "program/linear_plan.h"
#include "program/program.h"

namespace tacit::program {

/// Prices of operations at a level, from the limb transforms, conversions and products that each takes (hybrid key
/// switching with l = level + 1 limbs, as many special primes as the level takes, and the digits of the set).
class OperationPrices {
 public:
  OperationPrices(const params::CkksLiteral& literal, const CostTable& table);
  double rotate(int level) const;
  /// One ciphertext: both transforms, the raising of the modulus and the sine; less for a lower output level.
  double bootstrap(const params::BootstrapSchedule& schedule) const;
  /// So many ciphertexts, two at a time through the transforms of one.
  double bootstraps(const params::BootstrapSchedule& schedule, std::int64_t ciphertexts) const;
  double multiply(int level) const;        ///< product, relinearisation, rescale
  double multiply_plain(int level) const;  ///< with its rescale
  /// A series whose operand has this level: its relinearised products.
  double polynomial(int level, const params::PolynomialPlan& plan) const;
  double encrypt(int level) const;
  LinearPrices linear(int level) const;  ///< `level` of the operands

  double key_bytes(
      int level) const;  ///< one key of rotations, conjugation or raising up to this level: the half that is held
  double product_key_bytes(int level) const;  ///< the same of relinearisation
  double ciphertext_bytes(int level) const;
  double diagonal_bytes(int level) const;  ///< one dense encoded diagonal, special primes included
  /// What a linear map holds besides operands and result: the decomposed inputs, the sums under giant steps and the
  /// totals, each kind made in batches of at most
  /// params::kLinearBatchBytes.
  double linear_scratch_bytes(int level, const LinearCounts& counts) const;
  /// The Chebyshev basis of a series and the sums that wait for relinearisation, one ciphertext at a time.
  double polynomial_scratch_bytes(int level, const params::PolynomialPlan& plan) const;

 private:
  /// Over the primes that a bootstrap does not skip.
  OperationPrices raised(const params::BootstrapSchedule& schedule) const;
  double sine(const params::BootstrapSchedule& schedule) const;
  double key_switch(int level, double digits, double special) const;
  double transforms(double count) const;
  double multiply_accumulates(double count) const;
  double key_products(double rows) const;
  double products(double count) const;
  static int digits(const std::vector<std::size_t>& limbs, int level);
  int digits(int level) const { return digits(digit_limbs_, level); }
  static double special(const std::vector<std::size_t>& by_level, int level);
  double special(int level) const { return special(special_, level); }
  double n_, ntt_, mac_, key_, product_;
  params::CkksLiteral literal_;
  CostTable table_;
  std::vector<std::size_t> digit_limbs_, product_digit_limbs_;  // in each digit
  std::vector<std::size_t> special_, product_special_;          // by level
};

/// The cost reading of one instruction.
struct InstructionCost {
  std::int64_t diagonals = 0;        ///< plaintext products of linear maps
  std::int64_t rotations = 0;        ///< key switches that rotate
  std::int64_t multiplications = 0;  ///< relinearised products
  double seconds = 0;                ///< one core
  double key_switch_seconds = 0;     ///< of them, for rotations of linear maps
  double diagonal_bytes = 0;         ///< encoded ahead; periodic diagonals hold two words a slot of their period
  double scratch_bytes = 0;          ///< held only while the instruction runs
};

struct ProgramCost {
  std::vector<InstructionCost> instructions;
  std::int64_t rotations = 0, diagonals = 0, multiplications = 0;
  std::int64_t ciphertexts = 0;  ///< arriving and leaving
  double seconds = 0;
  double key_bytes = 0;
  double diagonal_bytes = 0;
  double live_ciphertext_bytes = 0;  ///< largest sum over the values alive together and the instruction's scratch
  double peak_bytes() const { return key_bytes + diagonal_bytes + live_ciphertext_bytes; }
};

/// Prices a program with levels, before any key exists.
ProgramCost price(const Program& program, const params::CkksLiteral& literal, const CostTable& table);

}  // namespace tacit::program
