#include "params/polynomial_plan.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/error.h"

namespace tacit::params {
namespace {

constexpr int kMaxDegree = 1023;

int bits(int value) { return static_cast<int>(std::bit_width(static_cast<unsigned>(value))); }
int log2_floor(int value) { return bits(value) - 1; }
int depth_of(int index) { return index <= 1 ? 0 : bits(index - 1); }

int degree_of(const std::vector<double>& series) {
  int degree = static_cast<int>(series.size()) - 1;
  while (degree > 0 && series[static_cast<std::size_t>(degree)] == 0) --degree;
  return std::max(degree, 0);
}

enum class Basis { chebyshev, powers };

class Planner {
 public:
  Planner(Basis basis, int log_baby) : basis_(basis), log_baby_(log_baby) {}

  PolynomialNode node(std::vector<double> series, int depth) {
    PolynomialNode result{.depth = depth, .terms = {}, .products = {}};
    int degree = degree_of(series);
    while (!is_leaf(series, degree, depth - 1)) {
      const int power = log2_floor(degree);
      const int half = 1 << power;
      // T_(half+j) = 2 T_half T_j - T_(half-j): quotient and remainder by T_half. Powers simply split.
      std::vector<double> quotient(static_cast<std::size_t>(degree - half) + 1);
      for (int j = degree - half; j >= 0; --j) {
        const double c = series[static_cast<std::size_t>(half + j)];
        const bool splits = j == 0 || basis_ == Basis::powers;
        quotient[static_cast<std::size_t>(j)] = splits ? c : 2 * c;
        if (!splits) series[static_cast<std::size_t>(half - j)] -= c;
      }
      series.resize(static_cast<std::size_t>(half));
      if (degree_of(quotient) == 0) {
        result.terms[half] = quotient[0];
      } else {
        result.products.push_back({.power = power, .factor = node(std::move(quotient), depth - 1)});
      }
      degree = degree_of(series);
    }
    for (int i = 0; i <= degree; ++i)
      if (series[static_cast<std::size_t>(i)] != 0) result.terms[i] = series[static_cast<std::size_t>(i)];
    return result;
  }

 private:
  bool is_leaf(const std::vector<double>& series, int degree, int depth) const {
    if (degree == 0) return true;
    if (degree >= 1 << log_baby_ && degree > 1) return false;
    for (int i = degree; i > 0; --i)
      if (series[static_cast<std::size_t>(i)] != 0 && depth_of(i) > depth) return false;
    return true;
  }

  Basis basis_;
  int log_baby_;
};

void need(int index, Basis kind, std::set<int>& basis) {
  if (index <= 1 || !basis.insert(index).second) return;
  const ChebyshevStep step = chebyshev_step(index);
  need(step.a, kind, basis);
  need(step.b, kind, basis);
  if (kind == Basis::chebyshev) need(step.a - step.b, kind, basis);
}

void count(const PolynomialNode& node, Basis kind, PolynomialPlan& plan) {
  for (const auto& [index, coefficient] : node.terms) need(index, kind, plan.basis);
  for (const auto& product : node.products) {
    need(1 << product.power, kind, plan.basis);
    count(product.factor, kind, plan);
    ++plan.products;
  }
  if (!node.products.empty()) ++plan.relinearisations[static_cast<std::size_t>(node.depth)];
}

void check(int degree, const PolynomialSchedule& schedule) {
  if (degree > schedule.degree || schedule.degree > kMaxDegree)
    base::refuse("polynomial: the series has degree {}, the schedule is for degree {} (at most {})", degree,
                 schedule.degree, kMaxDegree);
  const int needed = bits(degree);
  if (schedule.log_baby < 0 || schedule.log_baby > bits(kMaxDegree))
    base::refuse("polynomial: 2^{} baby steps were asked for, and 2^0 to 2^{} are possible", schedule.log_baby,
                 bits(kMaxDegree));
  if (schedule.depth < needed)
    base::refuse("polynomial: degree {} needs {} levels, the schedule has {}", degree, needed, schedule.depth);
}

PolynomialPlan planned(Basis kind, std::vector<double> series, const PolynomialSchedule& schedule) {
  PolynomialPlan plan;
  plan.relinearisations.resize(static_cast<std::size_t>(schedule.depth) + 1);
  plan.root = Planner(kind, schedule.log_baby).node(std::move(series), schedule.depth);
  count(plan.root, kind, plan);
  for (const int index : plan.basis) {
    ++plan.relinearisations[static_cast<std::size_t>(depth_of(index))];
    ++plan.products;
  }
  return plan;
}

/// Prices every number of baby steps for a dense series of this degree.
PolynomialSchedule cheapest_schedule(int degree) {
  PolynomialSchedule best{.degree = degree, .log_baby = 0, .depth = bits(degree)};
  // Square roots make a series in which nothing cancels: the dense case.
  std::vector<double> dense;
  for (int i = 0; i <= degree; ++i) dense.push_back(std::sqrt(i + 2.0));
  int fewest_relinearisations = 0, fewest_products = 0;
  for (int log_baby = 1; log_baby <= std::max(1, best.depth); ++log_baby) {
    PolynomialSchedule candidate = best;
    candidate.log_baby = log_baby;
    const PolynomialPlan plan = plan_polynomial(dense, candidate);
    int relinearisations = 0;
    for (const int r : plan.relinearisations) relinearisations += r;
    if (log_baby == 1 || relinearisations < fewest_relinearisations ||
        (relinearisations == fewest_relinearisations && plan.products < fewest_products)) {
      best = candidate;
      fewest_relinearisations = relinearisations;
      fewest_products = plan.products;
    }
  }
  return best;
}

}  // namespace

bool PolynomialNode::constant() const {
  return products.empty() && (terms.empty() || (terms.size() == 1 && terms.begin()->first == 0));
}

ChebyshevStep chebyshev_step(int index) {
  TACIT_ASSERT(index > 1);
  const int high = 1 << log2_floor(index);
  return high == index ? ChebyshevStep{index / 2, index / 2} : ChebyshevStep{high, index - high};
}

PolynomialPlan plan_polynomial(std::span<const double> coefficients, const PolynomialSchedule& schedule) {
  std::vector<double> series(coefficients.begin(), coefficients.end());
  if (series.empty()) series.push_back(0);
  double largest = 0;
  for (const double c : series) {
    if (!std::isfinite(c)) throw base::InputError("polynomial: a coefficient is not a finite number");
    largest = std::max(largest, std::abs(c));
  }
  for (double& c : series)
    if (std::abs(c) < std::ldexp(largest, -60)) c = 0;
  check(degree_of(series), schedule);
  return planned(Basis::chebyshev, std::move(series), schedule);
}

PolynomialPlan plan_powers(const PolynomialSchedule& schedule) {
  check(schedule.degree, schedule);
  std::vector<double> numbers(static_cast<std::size_t>(schedule.degree) + 1);
  std::iota(numbers.begin(), numbers.end(), 1.0);
  return planned(Basis::powers, std::move(numbers), schedule);
}

PolynomialSchedule PolynomialSchedule::choose(int degree) {
  if (degree < 0 || degree > kMaxDegree) base::refuse("polynomial: degree {} is outside 0 to {}", degree, kMaxDegree);
  // A network is planned with few degrees, which are asked for at every placement of its bootstraps.
  static std::mutex mutex;
  static std::map<int, PolynomialSchedule> known;
  const std::lock_guard lock(mutex);
  const auto [found, fresh] = known.try_emplace(degree);
  if (fresh) found->second = cheapest_schedule(degree);
  return found->second;
}

}  // namespace tacit::params
