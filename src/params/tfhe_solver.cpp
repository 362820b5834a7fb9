#include "params/tfhe_solver.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/error.h"
#include "params/tfhe_security.h"

namespace tacit::params {
namespace {

// What is searched. Rings below 2^8 and above 2^13 never won.
constexpr int kMinLogN = 8, kMaxLogN = 13, kMaxGlwe = 6, kMaxLargeDimension = 1 << 13, kMaxExtension = 6;
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
  explicit Search(const LookupRequirement& requirement)
      : requirement_(requirement), most_(most_variance(requirement.bits, requirement.log2_failure)) {}

  std::optional<TfheLiteral> run() {
    for (int log_n = kMinLogN; log_n <= kMaxLogN; ++log_n)
      for (int glwe = 1; glwe <= kMaxGlwe && glwe << log_n <= kMaxLargeDimension; ++glwe)
        for (int extension = 0; extension <= kMaxExtension; ++extension) {
          const int coefficients = log_n + extension;
          if (coefficients > TfheLimits::kMostLogCoefficients ||
              requirement_.bits + requirement_.log_tables >= coefficients)
            continue;
          for (int noise = kMinLweNoise; noise <= kMaxLweNoise; ++noise) consider(log_n, glwe, extension, noise);
        }
    return best_;
  }

 private:
  void consider(int log_n, int glwe, int extension, int noise) {
    TfheLiteral literal{.name = fmt::format("{} bits, 2-norm {}, failure 2^{}", requirement_.bits, requirement_.norm2,
                                            requirement_.log2_failure),
                        .bits = requirement_.bits,
                        .norm2 = requirement_.norm2,
                        .lwe_dimension = static_cast<int>(least_dimension(noise, 32)),
                        .glwe_dimension = glwe,
                        .log_polynomial = log_n,
                        .log_extension = extension,
                        .lwe_noise_bits = noise,
                        .glwe_noise_bits = least_noise_bits(static_cast<std::size_t>(glwe) << log_n, 64),
                        .bootstrap = {.base_log = 1, .levels = 1},
                        .key_switch = {.base_log = 1, .levels = 1},
                        .log_tables = requirement_.log_tables,
                        .log2_failure = requirement_.log2_failure,
                        .insecure = false};
    LookupShape shape = shape_of(literal);
    const double switched = modulus_switch_variance(shape);
    if (switched >= most_) return;
    for (int levels = 1; levels <= kMaxBootstrapLevels; ++levels) {
      const Cut bootstrap = best_base(levels, 2, std::min(30, 60 / levels), [&](const Decomposition& digits) {
        shape.bootstrap = digits;
        return requirement_.norm2 * requirement_.norm2 * bootstrap_variance(shape);
      });
      literal.bootstrap = bootstrap.digits;
      if (switched + bootstrap.variance >= most_ || too_large(literal) || beaten(literal)) continue;
      for (int switch_levels = 1; switch_levels <= kMaxKeySwitchLevels; ++switch_levels) {
        const int most_base = std::min(kMaxKeySwitchBase, 31 / switch_levels);
        const Cut key_switch = best_base(switch_levels, 1, most_base, [&](const Decomposition& digits) {
          shape.key_switch = digits;
          return key_switch_variance(shape);
        });
        if (switched + bootstrap.variance + key_switch.variance > most_) continue;
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
    return requirement_.most_key_bytes > 0 && bytes > requirement_.most_key_bytes;
  }

  const LookupRequirement& requirement_;
  double most_;
  std::optional<TfheLiteral> best_;
  double cost_ = 0;
};

bool feasible(LookupRequirement requirement) { return Search(requirement).run().has_value(); }

/// The cheapest change that makes it feasible.
std::string nearest(const LookupRequirement& requirement) {
  std::vector<std::string> ways;
  LookupRequirement other = requirement;
  for (int bits = requirement.bits - 1; bits >= 1; --bits) {
    other.bits = bits;
    if (!feasible(other)) continue;
    ways.push_back(fmt::format("{} bits (round the argument to them)", bits));
    break;
  }
  other = requirement;
  for (double norm2 = requirement.norm2 / 2; norm2 >= 1; norm2 /= 2) {
    other.norm2 = norm2;
    if (!feasible(other)) continue;
    ways.push_back(fmt::format("a 2-norm of {:.4g} (fewer terms or smaller weights)", norm2));
    break;
  }
  other = requirement;
  for (const double failure : {-64.0, -40.0, -20.0}) {
    if (failure <= requirement.log2_failure) continue;
    other.log2_failure = failure;
    if (!feasible(other)) continue;
    ways.push_back(fmt::format("a failure probability of 2^{}", failure));
    break;
  }
  if (requirement.most_key_bytes > 0) {
    other = requirement;
    other.most_key_bytes = 0;
    if (feasible(other)) ways.push_back("a larger bootstrapping key");
  }
  if (requirement.log_tables > 0) {
    other = requirement;
    other.log_tables = 0;
    if (feasible(other)) ways.push_back("one table a bootstrap");
  }
  std::string text;
  for (const std::string& way : ways) text += (text.empty() ? "" : ", or ") + way;
  return text.empty() ? "nothing near it can be satisfied" : "what can be satisfied: " + text;
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

TfheLiteral solve(const LookupRequirement& requirement) {
  const std::string layer = requirement.layer.empty() ? "lookup" : requirement.layer;
  using Limits = TfheLimits;
  const bool within = requirement.bits >= 1 && requirement.bits <= Limits::kMostBits && requirement.norm2 >= 1 &&
                      requirement.norm2 <= Limits::kMostNorm2 && requirement.log_tables >= 0 &&
                      requirement.log_tables <= Limits::kMostLogTables &&
                      requirement.log2_failure >= Limits::kLeastLog2Failure &&
                      requirement.log2_failure <= Limits::kMostLog2Failure;
  if (!within)
    throw base::InputError(fmt::format(
        "{}: 2^{} tables of {} bits behind weights of 2-norm {} at failure 2^{} are outside what parameter sets are "
        "made for: 1 to 2^{} tables, 1 to {} bits, a 2-norm of 1 to 2^20, a failure probability of 2^{} to 1/2",
        layer, requirement.log_tables, requirement.bits, requirement.norm2, requirement.log2_failure,
        Limits::kMostLogTables, Limits::kMostBits, Limits::kLeastLog2Failure));
  if (const auto found = Search(requirement).run()) return *found;
  throw base::InputError(fmt::format(
      "{}: no secure parameter set looks up {} bits behind weights of 2-norm {:.4g} with failure probability "
      "2^{}{}; {}",
      layer, requirement.bits, requirement.norm2, requirement.log2_failure,
      requirement.most_key_bytes > 0
          ? fmt::format(" and a bootstrapping key of {:.0f} MB", requirement.most_key_bytes / 1e6)
          : "",
      nearest(requirement)));
}

}  // namespace tacit::params
