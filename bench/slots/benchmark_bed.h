#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "params/account.h"
#include "params/bootstrap_schedule.h"
#include "program/slots/operation_prices.h"
#include "scheme/ckks/bootstrapper.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::bench {

/// The operation that a benchmark times, its least work, and its price in seconds by the cost reading. The price is
/// null if the reading has none.
struct TimedOperation {
  std::function<void()> run;
  params::Work work;
  std::function<double(const params::CostTable& costs)> price{};
};

/// Returns the highest level of messages.
int message_top(const params::CkksLiteral& literal);

/// One parameter set with the common data of its benchmarks. Keys are made when an operation needs them, and dropped
/// when the next one needs others. A run thus holds the keys of one row at a time.
class BenchmarkBed {
 public:
  /// Splits linear maps by these costs.
  BenchmarkBed(const std::string& set, const params::CostTable& costs);

  TimedOperation add();
  TimedOperation key_switch();
  TimedOperation rotate();
  TimedOperation rotate_hoisted(int rotations);
  TimedOperation multiply();
  /// Times a dense series, from the highest level that messages reach.
  TimedOperation polynomial(int degree);
  /// Times a map of dense diagonals, on inputs at kLinearLevel or the top of a shorter chain.
  TimedOperation linear(int diagonals);
  /// Times a map of diagonals that repeat with this period, in as many baby and giant steps.
  TimedOperation linear_of_period(int babies, int giants, std::size_t period);
  /// Times the encoding of dense real diagonals for such a map.
  TimedOperation encode(int diagonals);
  /// Times making keys of rotations at the top.
  TimedOperation make_keys(int rotations);
  /// Times the folded form; with `pair`, two ciphertexts as one with complex slots.
  TimedOperation bootstrap(int output_level, bool pair);

  /// The level of linear maps. It is low, as the compiler places them.
  static constexpr int kLinearLevel = 4;

 private:
  TimedOperation linear(const layout::DiagonalSet& set, const params::LinearSchedule& schedule);
  /// Returns the cheapest schedule for a map at kLinearLevel or the top of a shorter chain.
  params::LinearSchedule schedule_of(const layout::DiagonalSet& set) const;
  /// Returns different diagonals, which repeat only after their period.
  std::vector<std::vector<double>> weights_of(const layout::DiagonalSet& set,
                                              const params::LinearSchedule& schedule) const;
  /// Return the evaluator with exactly these keys, and the account of work with them.
  std::shared_ptr<const scheme::ckks::Evaluator> evaluator(const params::KeyManifest& manifest);
  params::Account account() const { return params::Account(context_->parameters().literal(), key_halves_); }
  scheme::ckks::Ciphertext encrypt(int level) const;
  std::vector<double> values() const;
  int top() const { return context_->parameters().max_level(); }
  int message_top() const { return bench::message_top(context_->parameters().literal()); }

  /// Returns a price at the literal of this set.
  template <class Price>
  auto priced(const Price& price) const {
    return [literal = context_->parameters().literal(), price](const params::CostTable& costs) {
      return price(slots::OperationPrices(literal, costs));
    };
  }

  params::CostTable costs_;
  scheme::ckks::ContextPtr context_;
  scheme::ckks::SecretKey secret_;
  std::optional<params::KeyManifest> manifest_;
  std::shared_ptr<const scheme::ckks::Evaluator> evaluator_;
  std::shared_ptr<const scheme::ckks::Bootstrapper> bootstrapper_;
  double key_halves_ = 2;
};

}  // namespace tacit::bench
