#include "scheme/ckks/lookup.h"

#include <complex>

#include "base/error.h"
#include "scheme/ckks/chebyshev_evaluation.h"
#include "scheme/ckks/power_evaluation.h"

namespace tacit::scheme::ckks {
namespace {

using Series = std::vector<std::complex<double>>;

std::vector<Series> series_of(std::span<const std::vector<double>> tables, const params::LookupSchedule& schedule) {
  std::vector<Series> result;
  for (const std::vector<double>& table : tables) {
    if (table.size() != static_cast<std::size_t>(schedule.entries))
      base::refuse("lookup: a table has {} entries and its schedule is for {}", table.size(), schedule.entries);
    result.push_back(params::table_series(schedule.form(), table));
  }
  return result;
}

}  // namespace

/// Evaluates the series of tables at what a bootstrap leaves.
class TableEvaluation {
 public:
  TableEvaluation(const Evaluator& evaluator, const params::LookupSchedule& schedule)
      : evaluator_(evaluator), schedule_(schedule), scale_(evaluator.context_->parameters().scale()) {}

  std::vector<Ciphertext> run(const Ciphertext& y, std::span<const Series> tables) const {
    return schedule_.form() == params::BootstrapForm::half ? half(y, tables) : whole(y, tables);
  }

 private:
  std::vector<Ciphertext> half(const Ciphertext& y, std::span<const Series> tables) const {
    std::vector<params::PolynomialPlan> plans;
    params::PolynomialPlan all;
    for (const Series& table : tables) {
      std::vector<double> real;
      for (const std::complex<double>& c : table) real.push_back(c.real());
      plans.push_back(params::plan_polynomial(real, schedule_.polynomial));
      all.basis.insert(plans.back().basis.begin(), plans.back().basis.end());
    }
    std::vector<int> levels;
    for (int depth = 0; depth <= schedule_.polynomial.depth; ++depth) levels.push_back(y.level - depth);
    const ChebyshevEvaluation evaluation(evaluator_, y, all, levels);
    std::vector<Ciphertext> results;
    for (const params::PolynomialPlan& plan : plans)
      results.push_back(plan.root.constant() ? constant(plan) : evaluation.run(plan.root, scale_));
    return results;
  }

  /// Returns the entry of a table whose entries are all equal, without noise.
  Ciphertext constant(const params::PolynomialPlan& plan) const {
    Ciphertext result = evaluator_.blank(schedule_.output_level(), scale_);
    result.c0.zero();
    result.c1.zero();
    for (const auto& [index, number] : plan.root.terms)
      evaluator_.add_constant(result, ChebyshevEvaluation::integer(number, scale_));
    return result;
  }

  std::vector<Ciphertext> whole(const Ciphertext& v, std::span<const Series> tables) const {
    const params::PolynomialPlan plan = params::plan_powers(schedule_.polynomial);
    const PowerEvaluation evaluation(evaluator_, v, plan);
    std::vector<Ciphertext> results;
    for (Series series : tables) {
      for (std::complex<double>& c : series) c /= 2;  // the sum with the conjugate is twice the real part
      Ciphertext& result = results.emplace_back(evaluation.run(series, scale_));
      evaluator_.add_in_place(result, evaluator_.conjugate(result));
    }
    return results;
  }

  const Evaluator& evaluator_;
  const params::LookupSchedule& schedule_;
  double scale_;
};

std::vector<Ciphertext> look_up(const Bootstrapper& bootstrapper, const Evaluator& evaluator, const Ciphertext& x,
                                std::span<const std::vector<double>> tables, const params::LookupSchedule& schedule,
                                base::Progress& progress) {
  TACIT_ASSERT(bootstrapper.schedule() == schedule.bootstrap);
  const std::vector<Series> series = series_of(tables, schedule);
  const Ciphertext y = bootstrapper.bootstrap(evaluator, x, progress);
  progress.advance(0);
  return TableEvaluation(evaluator, schedule).run(y, series);
}

std::pair<std::vector<Ciphertext>, std::vector<Ciphertext>> look_up_pair(
    const Bootstrapper& bootstrapper, const Evaluator& evaluator, const Ciphertext& x, const Ciphertext& y,
    std::span<const std::vector<double>> tables, const params::LookupSchedule& schedule, base::Progress& progress) {
  TACIT_ASSERT(bootstrapper.schedule() == schedule.bootstrap);
  const std::vector<Series> series = series_of(tables, schedule);
  const auto turned = bootstrapper.bootstrap_pair(evaluator, x, y, progress);
  const TableEvaluation tables_of(evaluator, schedule);
  progress.advance(0);
  std::vector<Ciphertext> first = tables_of.run(turned.first, series);
  progress.advance(0);
  return {std::move(first), tables_of.run(turned.second, series)};
}

}  // namespace tacit::scheme::ckks
