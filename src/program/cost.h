#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "params/account.h"
#include "program/linear_plan.h"
#include "program/memory_plan.h"
#include "program/program.h"

namespace tacit::program {

/// Seconds of operations on one core, by the level of their operands: the account of a parameter set times a table of
/// prices.
class OperationPrices {
 public:
  OperationPrices(const params::CkksLiteral& literal, params::CostTable table)
      : account_(literal), table_(std::move(table)) {}

  const params::Account& account() const { return account_; }
  double seconds(const params::Work& work) const { return params::seconds(work, table_); }

  double rotate(int level) const { return seconds(account_.rotate(level)); }
  double multiply(int level) const { return seconds(account_.multiply(level)); }
  double multiply_plain(int level) const { return seconds(account_.multiply_plain(level)); }
  double encrypt(int level) const { return seconds(account_.encrypt(level)); }
  double polynomial(int level, const params::PolynomialPlan& plan) const {
    return seconds(account_.polynomial(plan, level));
  }
  LinearPrices linear(int level) const;
  /// Ciphertexts pass a bootstrap in pairs: one of a pair takes the sine alone.
  double bootstraps(const params::BootstrapSchedule& schedule, std::int64_t ciphertexts) const;

 private:
  params::Account account_;
  params::CostTable table_;
};

/// The cost reading of one instruction.
struct InstructionCost {
  std::int64_t diagonals = 0;        ///< plaintext products of linear maps
  std::int64_t rotations = 0;        ///< key switches that rotate
  std::int64_t multiplications = 0;  ///< relinearised products
  double seconds = 0;                ///< one core
  double key_switch_seconds = 0;     ///< of them, for rotations of linear maps
  double diagonal_bytes = 0;         ///< encoded ahead
};

struct ProgramCost {
  std::vector<InstructionCost> instructions;
  std::int64_t rotations = 0, diagonals = 0, multiplications = 0;
  std::int64_t ciphertexts = 0;  ///< arriving and leaving
  double seconds = 0;
  MemoryPlan memory;
};

/// Prices a program with levels, before any key exists.
ProgramCost price(const Program& program, const params::CkksLiteral& literal, const params::CostTable& table);

}  // namespace tacit::program
