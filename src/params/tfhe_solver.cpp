#include "params/tfhe_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "params/tfhe_security.h"

namespace tacit::params {
namespace {

// What is searched. Rings below 2^8 and above 2^13 never won.
constexpr int kSmallestLogPolynomial = 8, kLargestLogPolynomial = 13, kLargestGlwe = 6, kLargestDimension = 1 << 13,
              kLargestExtension = 6;
constexpr int kMaxBootstrapLevels = 4, kMaxKeySwitchLevels = 14, kMaxKeySwitchBase = 10;
constexpr int kMinLweNoise = 4, kMaxLweNoise = 22;  // dimensions 1275 to 560

/// The rest of a budget, and what would be the cheapest digits within it.
struct Cut {
  Decomposition digits;
  double variance = 0;
};

/// The base with the least noise, of so many levels.
template <class Variance>
Cut best_base(int levels, int least, int most, const Variance& variance) {
  Cut best;
  for (int base = least; base <= most; ++base) {
    const Decomposition digits{.base_log = base, .levels = levels};
    const double value = variance(digits);
    if (best.digits.levels == 0 || value < best.variance) best = {digits, value};
  }
  return best;
}

class Search {
 public:
  explicit Search(std::span<const LookupRequirement> requirements) : requirements_(requirements) {
    for (const LookupRequirement& r : requirements) {
      most_.push_back(most_variance(r.bits, r.log2_failure));
      log_tables_ = std::max(log_tables_, r.log_tables);
      if (r.most_key_bytes > 0)
        most_key_bytes_ = most_key_bytes_ > 0 ? std::min(most_key_bytes_, r.most_key_bytes) : r.most_key_bytes;
      if (!r.decrypted && !r.sign && (strictest_ == nullptr || strictness(r) > strictness(*strictest_)))
        strictest_ = &r;
    }
  }

  std::optional<TfheLiteral> run() {
    for (int log_n = kSmallestLogPolynomial; log_n <= kLargestLogPolynomial; ++log_n)
      for (int glwe = 1; glwe <= kLargestGlwe && glwe << log_n <= kLargestDimension; ++glwe)
        for (int extension = 0; extension <= kLargestExtension; ++extension) {
          const int coefficients = log_n + extension;
          if (coefficients > TfheLimits::kMostLogCoefficients || strictest_->bits + log_tables_ >= coefficients)
            continue;
          for (int noise = kMinLweNoise; noise <= kMaxLweNoise; ++noise) consider(log_n, glwe, extension, noise);
        }
    return best_;
  }

 private:
  /// Of two lookups the one with more of it decides: by bits, then by weights, then by how seldom it may fail.
  static std::tuple<int, double, double> strictness(const LookupRequirement& lookup) {
    return {lookup.bits, lookup.norm2, -lookup.log2_failure};
  }

  /// True if these variances are within what every requirement allows.
  bool holds(const LookupShape& shape, double switched, double bootstrap, double key_switch) const {
    for (std::size_t i = 0; i < requirements_.size(); ++i) {
      const LookupRequirement& r = requirements_[i];
      const double before = r.norm2 * r.norm2 * bootstrap + r.fresh_norm2 * r.fresh_norm2 * shape.glwe_variance;
      if (before + (r.decrypted ? 0 : switched + key_switch) > most_[i]) return false;
    }
    return true;
  }

  void consider(int log_n, int glwe, int extension, int noise) {
    TfheLiteral literal{.name = fmt::format("{} bits, 2-norm {:.4g}, failure 2^{}", strictest_->bits, strictest_->norm2,
                                            strictest_->log2_failure),
                        .bits = strictest_->bits,
                        .norm2 = strictest_->norm2,
                        .lwe_dimension = static_cast<int>(least_dimension(noise, 32)),
                        .glwe_dimension = glwe,
                        .log_polynomial = log_n,
                        .log_extension = extension,
                        .lwe_noise_bits = noise,
                        .glwe_noise_bits = least_noise_bits(static_cast<std::size_t>(glwe) << log_n, 64),
                        .bootstrap = {.base_log = 1, .levels = 1},
                        .key_switch = {.base_log = 1, .levels = 1},
                        .log_tables = log_tables_,
                        .log2_failure = strictest_->log2_failure};
    LookupShape shape = shape_of(literal);
    const double switched = modulus_switch_variance(shape);
    if (!holds(shape, switched, 0, 0)) return;
    for (int levels = 1; levels <= kMaxBootstrapLevels; ++levels) {
      const Cut bootstrap = best_base(levels, 2, std::min(30, 60 / levels), [&](const Decomposition& digits) {
        shape.bootstrap = digits;
        return bootstrap_variance(shape);
      });
      literal.bootstrap = bootstrap.digits;
      if (!holds(shape, switched, bootstrap.variance, 0) || too_large(literal) || beaten(literal)) continue;
      for (int switch_levels = 1; switch_levels <= kMaxKeySwitchLevels; ++switch_levels) {
        const int most_base = std::min(kMaxKeySwitchBase, 31 / switch_levels);
        const Cut key_switch = best_base(switch_levels, 1, most_base, [&](const Decomposition& digits) {
          shape.key_switch = digits;
          return key_switch_variance(shape);
        });
        if (!holds(shape, switched, bootstrap.variance, key_switch.variance)) continue;
        literal.key_switch = key_switch.digits;
        if (!beaten(literal)) {
          best_ = literal;
          cost_ = lookup_cost(literal).total();
        }
        break;  // more levels cost more
      }
    }
  }

  bool beaten(const TfheLiteral& literal) const { return best_ && lookup_cost(literal).total() >= cost_; }
  bool too_large(const TfheLiteral& literal) const {
    const double columns = literal.glwe_dimension + 1;
    const double bytes =
        literal.lwe_dimension * columns * columns * literal.bootstrap.levels * std::ldexp(8.0, literal.log_polynomial);
    return most_key_bytes_ > 0 && bytes > most_key_bytes_;
  }

  std::span<const LookupRequirement> requirements_;
  std::vector<double> most_;  // variance, by requirement
  const LookupRequirement* strictest_ = nullptr;
  int log_tables_ = 0;
  double most_key_bytes_ = 0;
  std::optional<TfheLiteral> best_;
  double cost_ = 0;
};

/// Whether a set holds for it, beside what others ask for.
bool feasible(const LookupRequirement& requirement, const std::vector<LookupRequirement>& others = {}) {
  std::vector<LookupRequirement> all = others;
  all.push_back(requirement);
  if (requirement.sign && others.empty()) {  // a set has tables
    LookupRequirement& table = all.emplace_back(requirement);
    table.sign = false;
    table.bits = 1;
    table.norm2 = 1;
    table.fresh_norm2 = 0;
  }
  return Search(all).run().has_value();
}

/// The cheapest change that makes it feasible beside the others.
std::string nearest(const LookupRequirement& requirement, const std::vector<LookupRequirement>& others) {
  const char* const kFewer = "sums have fewer where tables and weights have: fewer --bits";
  std::string text;
  const auto works = [&](const LookupRequirement& changed, const std::string& way) {
    const bool holds = feasible(changed, others);
    if (holds) text += (text.empty() ? "" : ", or ") + way;
    return holds;
  };
  LookupRequirement other = requirement;
  while (--other.bits >= 1)
    if (works(other,
              fmt::format("{} bits ({})", other.bits, requirement.decrypted ? kFewer : "round the argument to them")))
      break;
  other = requirement;
  while (other.sign && --other.sign_of >= 1) {
    other.norm2 /= 2;
    other.fresh_norm2 /= 2;
    if (works(other, fmt::format("{} bits ({})", other.sign_of, kFewer))) break;
  }
  other = requirement;
  while (!other.sign && (other.norm2 /= 2) >= 1)
    if (works(other, fmt::format("a 2-norm of {:.4g} (fewer terms or smaller weights)", other.norm2))) break;
  other = requirement;
  for (const double failure : {-64.0, -40.0, -20.0}) {
    if (failure <= requirement.log2_failure) continue;
    other.log2_failure = failure;
    if (works(other, fmt::format("a failure probability of 2^{}", failure))) break;
  }
  other = requirement;
  other.most_key_bytes = 0;
  if (requirement.most_key_bytes > 0) works(other, "a larger bootstrapping key");
  other = requirement;
  other.log_tables = 0;
  if (requirement.log_tables > 0) works(other, "one table a bootstrap");
  return text.empty() ? "nothing near it can be satisfied" : "what can be satisfied: " + text;
}

std::string named(const LookupRequirement& requirement) {
  return requirement.layer.empty() ? "lookup" : requirement.layer;
}

/// Whom to blame where no set holds for all: one that none holds for by itself; else the first that none holds for
/// beside those before it, which are given as well. Lookups come first, for they need a set by themselves.
std::pair<LookupRequirement, std::vector<LookupRequirement>> culprit_of(std::span<const LookupRequirement> all) {
  for (const LookupRequirement& r : all)
    if (!r.decrypted && !feasible(r)) return {r, {}};
  std::vector<LookupRequirement> ordered(all.begin(), all.end());
  const auto turn = [](const LookupRequirement& r) { return r.decrypted ? 2 : r.sign ? 1 : 0; };
  std::ranges::stable_sort(ordered, {}, turn);
  std::vector<LookupRequirement> others;
  for (const LookupRequirement& r : ordered) {
    if (!feasible(r, others)) return {r, others};
    others.push_back(r);
  }
  return {ordered.back(), others};
}

}  // namespace

LookupCost lookup_cost(const TfheLiteral& l) {
  // Seconds, fitted to 64 lookups at once of the default sets on a Zen 5 core of 4.2 GHz: a transform, by points and
  // levels; a product of complex numbers; a multiply-accumulate of the key switch.
  constexpr double kPoint = 0.0272e-9, kProduct = 0.21e-9, kSwitch = 0.0112e-9;
  const double n = std::exp2(l.log_polynomial), columns = l.glwe_dimension + 1, levels = l.bootstrap.levels;
  const double step =
      columns * (levels + 1) * kPoint * n * l.log_polynomial + columns * columns * levels * kProduct * n / 2;
  const double switched = l.glwe_dimension * n * l.key_switch.levels * (l.lwe_dimension + 1);
  return {.key_switch = switched * kSwitch, .bootstrap = l.lwe_dimension * std::exp2(l.log_extension) * step};
}

std::string load_of(const LookupRequirement& r) {
  if (!r.sign) return fmt::format("{} bits behind weights of 2-norm {:.4g}", r.bits, r.norm2);
  return fmt::format("the lowest of {} bits behind weights of 2-norm {:.4g}", r.sign_of,
                     std::ldexp(std::hypot(r.norm2, r.fresh_norm2), -r.sign_of));
}

double log2_failure(const LookupShape& shape, const LookupRequirement& r) {
  if (shape.lwe.value == 0 && (!r.decrypted || r.norm2 > 0)) return 0;  // nothing looks tables up
  LookupShape own = shape;
  own.log_tables = r.log_tables;
  const NoiseBudget budget = noise_budget(own, r.norm2, r.fresh_norm2);
  return log2_failure(r.bits, r.decrypted ? budget.bootstraps + budget.fresh : budget.total());
}

TfheLiteral solve(const LookupRequirement& requirement) { return solve(std::span(&requirement, 1)); }

TfheLiteral solve(std::span<const LookupRequirement> requirements) { return try_solve(requirements).or_refuse(); }

base::Feasible<TfheLiteral> try_solve(std::span<const LookupRequirement> requirements) {
  using Limits = TfheLimits;
  constexpr int kMostDecryptedBits = 40;
  constexpr double kMostSignNorm2 = 0x1p62;
  bool looks_up = false;
  for (const LookupRequirement& r : requirements) {
    looks_up = looks_up || (!r.decrypted && !r.sign);
    const int most_bits = r.decrypted ? kMostDecryptedBits : Limits::kMostBits;
    const double least_norm2 = r.decrypted || r.sign ? 0 : 1;
    const double most_norm2 = r.sign ? kMostSignNorm2 : Limits::kMostNorm2;
    if ((r.sign ? r.bits == 0 : r.bits >= 1) && r.bits <= most_bits && r.norm2 >= least_norm2 &&
        r.norm2 <= most_norm2 && r.fresh_norm2 >= 0 && std::isfinite(r.fresh_norm2) && r.log_tables >= 0 &&
        r.log_tables <= Limits::kMostLogTables && r.log2_failure >= Limits::kLeastLog2Failure &&
        r.log2_failure <= Limits::kMostLog2Failure)
      continue;
    return base::infeasible(
        "{}: 2^{} tables of {} bits behind weights of 2-norm {} at failure 2^{} are outside what parameter sets are "
        "made for: 1 to 2^{} tables, 1 to {} bits, a 2-norm of 1 to 2^20, a failure probability of 2^{} to "
        "1/2; make the weights smaller (features of the same width do, and leaving out those that hardly vary), or "
        "take --scheme ckks",
        named(r), r.log_tables, r.bits, r.norm2, r.log2_failure, Limits::kMostLogTables, most_bits,
        Limits::kLeastLog2Failure);
  }
  if (!looks_up) throw base::InternalError("a parameter set for lookups was asked for without a lookup");
  if (auto found = Search(requirements).run()) return *std::move(found);
  const auto [culprit, others] = culprit_of(requirements);
  const std::string bound = culprit.most_key_bytes > 0
                                ? fmt::format(" and a bootstrapping key of {:.0f} MB", culprit.most_key_bytes / 1e6)
                                : "";
  return base::Infeasible{
      .what = fmt::format("{}: no secure parameter set {} {} with failure probability 2^{}{}{}; {}", named(culprit),
                          culprit.decrypted ? "decrypts"
                          : culprit.sign    ? "rounds off exactly"
                                            : "looks up",
                          load_of(culprit), culprit.log2_failure, bound,
                          others.empty() ? "" : ", beside what the other layers ask for", nearest(culprit, others)),
      .lack = base::Infeasible::Lack::noise};
}

}  // namespace tacit::params
