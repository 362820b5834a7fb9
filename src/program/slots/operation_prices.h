#pragma once

#include <cstdint>
#include <utility>

#include "params/account.h"
#include "params/cost_table.h"
#include "program/slots/linear_plan.h"

namespace tacit::slots {

/// Seconds of operations on the threads of the prices, by the level of their operands. They are the account of a
/// parameter set times a table of prices.
class OperationPrices {
 public:
  OperationPrices(const params::CkksLiteral& literal, params::CostTable table)
      : account_(literal), table_(std::move(table)) {}

  const params::Account& account() const { return account_; }
  double seconds(const params::Work& work) const { return params::seconds(work, table_); }

  double rotate(int level) const { return seconds(account_.rotate(level)); }
  double multiply(int level) const { return seconds(account_.multiply(level)); }
  /// Returns the seconds of a sum of products that is relinearised and rescaled once.
  double multiply_sum(int level, std::int64_t terms) const {
    return multiply(level) + static_cast<double>(terms - 1) * seconds(account_.product(level));
  }
  double multiply_plain(int level) const { return seconds(account_.multiply_plain(level)); }
  double encrypt(int level) const { return seconds(account_.encrypt(level)); }
  double polynomial(int level, const params::PolynomialPlan& plan) const {
    return seconds(account_.polynomial(plan, level));
  }
  LinearPrices linear(int level) const { return params::seconds(account_.linear(level), table_); }
  /// Returns the seconds of bootstraps. Ciphertexts pass in pairs: the second of a pair costs the sine alone.
  double bootstraps(const params::BootstrapSchedule& schedule, std::int64_t ciphertexts) const {
    const std::int64_t second_of_pair = ciphertexts / 2;
    return static_cast<double>(ciphertexts - second_of_pair) * seconds(account_.bootstrap(schedule)) +
           static_cast<double>(second_of_pair) * seconds(account_.sine(schedule));
  }
  /// Returns the seconds of lookups of `tables` tables. The second of a pair costs the sine and the tables.
  double lookups(const params::LookupSchedule& schedule, std::int64_t tables, std::int64_t ciphertexts) const {
    return bootstraps(schedule.bootstrap, ciphertexts) +
           static_cast<double>(ciphertexts) * seconds(account_.lookup_tables(schedule, tables));
  }

 private:
  params::Account account_;
  params::CostTable table_;
};

}  // namespace tacit::slots
