#pragma once

#include <cstdint>
#include <utility>

#include "params/account.h"
#include "params/cost_table.h"
#include "program/slots/linear_plan.h"

namespace tacit::slots {

/// Seconds of operations on the threads of the prices, by the level of their operands: the account of a parameter set
/// times a table of prices.
class OperationPrices {
 public:
  OperationPrices(const params::CkksLiteral& literal, params::CostTable table)
      : account_(literal), table_(std::move(table)) {}

  const params::Account& account() const { return account_; }
  double seconds(const params::Work& work) const { return params::seconds(work, table_); }

  double add(int level) const { return seconds(account_.add(level)); }
  double rotate(int level) const { return seconds(account_.rotate(level)); }
  double multiply(int level) const { return seconds(account_.multiply(level)); }
  double multiply_plain(int level) const { return seconds(account_.multiply_plain(level)); }
  double encode_diagonals(int level, double diagonals, double weights) const {
    return seconds(account_.encode_diagonals(level, diagonals, weights));
  }
  double encode_compact() const { return seconds(account_.encode_compact()); }
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

}  // namespace tacit::slots
