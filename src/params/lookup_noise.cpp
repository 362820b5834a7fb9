#include "params/lookup_noise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <map>
#include <numbers>
#include <random>
#include <vector>

#include "params/bootstrap_noise.h"
#include "params/bootstrap_scales.h"
#include "params/noise.h"

namespace tacit::params {
namespace {

using Complex = std::complex<double>;
constexpr std::size_t kLeastDraws = 128;  // of an entry
constexpr std::size_t kAllDraws = 2048;   // of all entries of a small table

int basis_depth(int index) { return static_cast<int>(std::bit_width(static_cast<unsigned>(index - 1))); }

/// The numbers of all draws without and with noise.
struct Track {
  std::vector<Complex> exact, noisy;
  double scale = 0;
};

/// Arithmetic on the numbers of all draws. A rounding adds its noise to the noisy ones.
class Draws {
 public:
  explicit Draws(bool complex_slots) : complex_slots_(complex_slots) {}

  static Track multiplied(const Track& a, const Track& b, Complex factor = 1) {
    Track result = a;
    for (std::size_t i = 0; i < a.exact.size(); ++i) {
      result.exact[i] = factor * a.exact[i] * b.exact[i];
      result.noisy[i] = factor * a.noisy[i] * b.noisy[i];
    }
    return result;
  }
  static void add(Track& sum, const Track& a, Complex factor) {
    for (std::size_t i = 0; i < a.exact.size(); ++i) {
      sum.exact[i] += factor * a.exact[i];
      sum.noisy[i] += factor * a.noisy[i];
    }
  }
  static void add(Track& sum, Complex constant) {
    for (auto* numbers : {&sum.exact, &sum.noisy})
      for (Complex& number : *numbers) number += constant;
  }
  /// The imaginary parts of a real circuit do not reach its real parts, to first order.
  void round(Track& value, double deviation) {
    std::normal_distribution<double> error(0, deviation);
    for (Complex& number : value.noisy) number += Complex(error(random_), complex_slots_ ? error(random_) : 0);
  }

 private:
  bool complex_slots_;
  std::mt19937_64 random_{1};  // a model, not cryptography
};

/// The cosine or exponential of the bootstrap, then the series.
class LookupCircuit {
 public:
  LookupCircuit(const CkksParameters& parameters, const LookupSchedule& schedule, double scale)
      : parameters_(parameters),
        raised_(raised_parameters(parameters, schedule.bootstrap.chain)),
        schedule_(schedule),
        scales_(bootstrap_scales(parameters, schedule.bootstrap)),
        scale_(scale),
        whole_(schedule.form() == BootstrapForm::whole),
        draws_(whole_) {}

  /// Returns sin(pi x / 2) or exp(i pi x) of arguments with overflows: u = I + x / ratio.
  Track turned(const std::vector<double>& turns) {
    const BootstrapSchedule& bootstrap = schedule_.bootstrap;
    const PolynomialPlan plan = plan_polynomial(bootstrap.cosine, bootstrap.polynomial);
    const auto divisor = [&](int depth) { return sine_divisor(depth); };
    const auto rounded = [&](Track& value, int) { draws_.round(value, rounding_noise(parameters_, value.scale)); };
    Track x{{}, {}, scales_.argument()};
    for (const double turn : turns) x.exact.push_back((turn - bootstrap.shift()) / bootstrap.range);
    x.noisy = x.exact;
    const std::map<int, Track> basis = chebyshev_basis(plan, std::move(x), divisor, rounded);
    const auto term = [&](int index, double coefficient) {
      return whole_ && index % 2 == 1 ? Complex(0, coefficient) : Complex(coefficient);
    };
    Track y = node(plan.root, scales_.cosine, basis, divisor, rounded, term);
    for (int angle = 0; angle < kDoubleAngles; ++angle) {
      const double squared = y.scale * y.scale / divisor(kCosineDepth + 1 + angle);
      y = Draws::multiplied(y, y, whole_ ? 1 : 2);
      if (!whole_) Draws::add(y, -1);
      y.scale = squared;
      rounded(y, 0);
    }
    y.scale = parameters_.scale();
    return y;
  }

  /// Returns the results of a table.
  Track looked_up(Track y, std::span<const double> table) {
    const std::vector<Complex> series = table_series(schedule_.form(), table);
    const int top = schedule_.bootstrap.output_level;
    const auto divisor = [&](int depth) { return static_cast<double>(parameters_.prime(top - depth + 1)); };
    const auto rounded = [&](Track& value, int depth) {
      draws_.round(value, multiply_noise(parameters_, top - depth + 1, value.scale));
    };
    if (!whole_) {
      std::vector<double> real;
      for (const Complex& c : series) real.push_back(c.real());
      const PolynomialPlan plan = plan_polynomial(real, schedule_.polynomial);
      const std::map<int, Track> basis = chebyshev_basis(plan, std::move(y), divisor, rounded);
      return node(plan.root, scale_, basis, divisor, rounded, [](int, double c) { return Complex(c); });
    }
    // The real part is the sum with the conjugate, so that the series is halved.
    const PolynomialPlan plan = plan_powers(schedule_.polynomial);
    std::map<int, Track> basis;
    basis[1] = std::move(y);
    for (const int index : plan.basis) {
      const ChebyshevStep step = chebyshev_step(index);
      const Track &a = basis.at(step.a), &b = basis.at(step.b);
      Track made = Draws::multiplied(a, b);
      made.scale = a.scale * b.scale / divisor(basis_depth(index));
      rounded(made, basis_depth(index));
      basis[index] = std::move(made);
    }
    Track result = node(plan.root, scale_, basis, divisor, rounded,
                        [&](int, double number) { return 0.5 * series[static_cast<std::size_t>(number) - 1]; });
    for (auto* numbers : {&result.exact, &result.noisy})
      for (Complex& number : *numbers) number = 2 * number.real();
    draws_.round(result, key_switch_noise(parameters_, schedule_.output_level(), scale_));
    return result;
  }

 private:
  double sine_divisor(int depth) const {
    const std::vector<int>& levels = schedule_.bootstrap.chain.sine;
    return prime_product(raised_, levels[static_cast<std::size_t>(depth) - 1], levels[static_cast<std::size_t>(depth)]);
  }

  template <class Divisor, class Rounded>
  static std::map<int, Track> chebyshev_basis(const PolynomialPlan& plan, Track x, const Divisor& divisor,
                                              const Rounded& rounded) {
    std::map<int, Track> basis;
    basis[1] = std::move(x);
    for (const int index : plan.basis) {
      const ChebyshevStep step = chebyshev_step(index);
      const Track &a = basis.at(step.a), &b = basis.at(step.b);
      Track made = Draws::multiplied(a, b, 2);
      if (step.a == step.b)
        Draws::add(made, -1);
      else
        Draws::add(made, basis.at(step.a - step.b), -1);
      made.scale = a.scale * b.scale / divisor(basis_depth(index));
      rounded(made, basis_depth(index));
      basis[index] = std::move(made);
    }
    return basis;
  }

  /// `term(index, number)` is the factor of a basis element.
  template <class Divisor, class Rounded, class Term>
  static Track node(const PolynomialNode& at, double target, const std::map<int, Track>& basis, const Divisor& divisor,
                    const Rounded& rounded, const Term& term) {
    const double scale = target * divisor(at.depth);
    Track sum{std::vector<Complex>(basis.at(1).exact.size()), std::vector<Complex>(basis.at(1).exact.size()), target};
    for (const auto& product : at.products) {
      const Track& power = basis.at(1 << product.power);
      const Track factor = node(product.factor, scale / power.scale, basis, divisor, rounded, term);
      Draws::add(sum, Draws::multiplied(power, factor), 1);
    }
    for (const auto& [index, number] : at.terms)
      if (index == 0)
        Draws::add(sum, term(index, number));
      else
        Draws::add(sum, basis.at(index), term(index, number));
    rounded(sum, at.depth);
    return sum;
  }

  const CkksParameters& parameters_;
  const CkksParameters raised_;
  const LookupSchedule& schedule_;
  BootstrapScales scales_;
  double scale_;
  bool whole_;
  Draws draws_;
};

/// Overflows as a secret of this weight leaves them.
class Overflows {
 public:
  explicit Overflows(int weight) {
    std::vector<double> shares;
    for (int i = -kOverflowBound + 1; i < kOverflowBound; ++i) shares.push_back(overflow_probability(i, weight));
    distribution_ = std::discrete_distribution<int>(shares.begin(), shares.end());
  }
  int draw() { return distribution_(random_) - kOverflowBound + 1; }

 private:
  std::mt19937_64 random_{2};  // a model, not cryptography
  std::discrete_distribution<int> distribution_;
};

}  // namespace

LookupNoise lookup_noise(const CkksParameters& parameters, const LookupSchedule& schedule,
                         std::span<const double> table, double scale) {
  LookupNoise noise{.argument = argument_noise(parameters, schedule.bootstrap).total()};
  Overflows overflows(parameters.literal().bootstrap->ephemeral_weight);
  const std::size_t draws = std::max(kLeastDraws, kAllDraws / table.size());
  std::vector<double> turns;
  for (std::size_t m = 0; m < table.size(); ++m)
    for (std::size_t draw = 0; draw < draws; ++draw)
      turns.push_back(overflows.draw() +
                      entry_argument(static_cast<int>(m), schedule.entries) / schedule.bootstrap.ratio());
  LookupCircuit circuit(parameters, schedule, scale);
  const Track result = circuit.looked_up(circuit.turned(turns), table);
  double all = 0;
  for (std::size_t m = 0; m < table.size(); ++m) {
    double sum = 0;
    for (std::size_t i = m * draws; i < (m + 1) * draws; ++i) {
      const double error = result.noisy[i].real() - table[m];
      sum += error * error;
    }
    all += sum;
    noise.by_entry.push_back(std::sqrt(sum / static_cast<double>(draws)));
    noise.largest = std::max(noise.largest, noise.by_entry.back());
  }
  noise.mean = std::sqrt(all / static_cast<double>(turns.size()));
  return noise;
}

double log2_rounding_failure(double deviation, double step) {
  if (!(deviation > 0)) return -std::numeric_limits<double>::infinity();
  // Beyond some 37 deviations erfc is too small for a double: its asymptotic form is exact to a thousandth there.
  const double x = step / (2 * std::numbers::sqrt2 * deviation);
  if (x < 20) return std::log2(std::erfc(x));
  return -x * x * std::numbers::log2e - std::log2(x * std::sqrt(std::numbers::pi));
}

double log2_lookup_failure(double deviation, int entries) { return log2_rounding_failure(deviation, 2.0 / entries); }

}  // namespace tacit::params
