#include "params/tfhe_parameters.h"

#include <fmt/format.h>

#include <cmath>
#include <span>

#include "base/error.h"
#include "base/sha256.h"
#include "params/tfhe_security.h"

namespace tacit::params {
namespace {

constexpr int kMaxLwe = 2048, kMaxGlwe = 8, kMinLogPolynomial = 8, kMaxLogPolynomial = 16, kMaxExtension = 8;
constexpr int kMaxRows = 32;  // (k + 1) l: what a product's kernel holds
constexpr int kMinInsecureLwe = 16;

template <class... Args>
[[noreturn]] void refuse(const TfheLiteral& literal, fmt::format_string<Args...> format, Args&&... args) {
  base::refuse("parameter set '{}': {}", literal.name.substr(0, kMaxNameLength),
               fmt::format(format, std::forward<Args>(args)...));
}

void require(const TfheLiteral& literal, const char* field, int value, int lowest, int highest) {
  if (value < lowest || value > highest) refuse(literal, "{} is {}, outside {} to {}", field, value, lowest, highest);
}

void check_cut(const TfheLiteral& literal, const char* field, const Decomposition& cut, int most_base, int most_bits) {
  if (cut.base_log < 1 || cut.base_log > most_base || cut.levels < 1 || cut.levels > most_bits ||
      cut.base_log * cut.levels > most_bits)
    refuse(literal, "{} has {} levels of {} bits; a level has 1 to {} bits, and all levels at most {}", field,
           cut.levels, cut.base_log, most_base, most_bits);
}

/// What belongs to lookups alone.
void check_lookups(const TfheLiteral& literal) {
  const int global_log = literal.log_polynomial + literal.log_extension;
  if (literal.lwe_dimension == 0) {
    if (literal.log_extension == 0 && literal.log_tables == 0 && literal.lwe_noise_bits == 0 &&
        literal.bootstrap == Decomposition{} && literal.key_switch == Decomposition{})
      return;
    refuse(literal,
           "lwe_dimension is 0, for sums alone, but something is given that only lookups have; log_extension, "
           "log_tables, lwe_noise_bits and both decompositions have to be 0 with it");
  }
  require(literal, "lwe_dimension", literal.lwe_dimension,
          literal.insecure ? kMinInsecureLwe : static_cast<int>(kLeastLwe), kMaxLwe);
  require(literal, "log_extension", literal.log_extension, 0, kMaxExtension);
  if (global_log > TfheLimits::kMostLogCoefficients)
    refuse(literal, "log_polynomial + log_extension is {}, above {}", global_log, TfheLimits::kMostLogCoefficients);
  require(literal, "log_tables", literal.log_tables, 0, TfheLimits::kMostLogTables);
  if (literal.bits + literal.log_tables >= global_log)
    refuse(literal,
           "a table of 2^{} entries, for 2^{} tables at once, does not fit 2^{} coefficients; raise log_polynomial or "
           "log_extension",
           literal.bits, literal.log_tables, global_log);
  require(literal, "lwe_noise_bits", literal.lwe_noise_bits, 0, 30);
  check_cut(literal, "bootstrap", literal.bootstrap, 32, 60);
  check_cut(literal, "key_switch", literal.key_switch, 16, 31);
  if ((literal.glwe_dimension + 1) * literal.bootstrap.levels > kMaxRows)
    refuse(literal, "(glwe_dimension + 1) * levels of the bootstrap is {}, above {}; take fewer levels",
           (literal.glwe_dimension + 1) * literal.bootstrap.levels, kMaxRows);
}

void check_shape(const TfheLiteral& literal) {
  if (literal.name.size() > kMaxNameLength)
    refuse(literal, "the name has {} characters; at most {} are allowed", literal.name.size(), kMaxNameLength);
  require(literal, "bits", literal.bits, 1, TfheLimits::kMostBits);
  if (!(literal.norm2 >= 1 && literal.norm2 <= TfheLimits::kMostNorm2))
    refuse(literal, "norm2 is {}, outside 1 to {}", literal.norm2, TfheLimits::kMostNorm2);
  if (!(literal.log2_failure <= TfheLimits::kMostLog2Failure && literal.log2_failure >= TfheLimits::kLeastLog2Failure))
    refuse(literal, "log2_failure is {}, outside {} to {}", literal.log2_failure, TfheLimits::kLeastLog2Failure,
           TfheLimits::kMostLog2Failure);
  require(literal, "glwe_dimension", literal.glwe_dimension, 1, kMaxGlwe);
  require(literal, "log_polynomial", literal.log_polynomial, kMinLogPolynomial, kMaxLogPolynomial);
  require(literal, "glwe_noise_bits", literal.glwe_noise_bits, 0, 62);
  check_lookups(literal);
}

void check_security(const TfheLiteral& literal) {
  const auto check = [&](const char* field, std::size_t dimension, int noise_bits, int word_bits) {
    if (dimension < kLeastLwe)
      refuse(literal, "dimension {} is below {}, where the security line begins; raise it", dimension, kLeastLwe);
    const int least = least_noise_bits(dimension, word_bits);
    if (noise_bits >= least) return;
    refuse(literal,
           "{} is {}, but 128-bit security in dimension {} asks for {} at least; raise it, or use dimension {} ({})",
           field, noise_bits, dimension, least, least_dimension(noise_bits, word_bits), tfhe_security_source());
  };
  if (literal.lwe_dimension > 0)
    check("lwe_noise_bits", static_cast<std::size_t>(literal.lwe_dimension), literal.lwe_noise_bits, 32);
  check("glwe_noise_bits", static_cast<std::size_t>(literal.glwe_dimension) << literal.log_polynomial,
        literal.glwe_noise_bits, 64);
}

/// The part of the noise that takes most of the budget, and what lowers it.
std::string way_out(const NoiseBudget& budget) {
  const double total = budget.total();
  if (budget.modulus_switch >= budget.bootstraps && budget.modulus_switch >= budget.key_switch)
    return fmt::format("the modulus switch makes {:.0f} % of the noise: raise log_extension or log_polynomial",
                       100 * budget.modulus_switch / total);
  if (budget.key_switch >= budget.bootstraps)
    return fmt::format(
        "the key switch makes {:.0f} % of the noise: give it more levels, or a larger lwe_dimension with less noise",
        100 * budget.key_switch / total);
  return fmt::format(
      "earlier bootstraps make {:.0f} % of the noise: give them more levels, lower norm2, or raise glwe_dimension or "
      "log_polynomial",
      100 * budget.bootstraps / total);
}

ParameterHash hash_of(const TfheLiteral& l) {
  // The name is for people: two sets that differ in nothing else are the same set.
  const std::string text = fmt::format(
      "tacit tfhe parameters 1\nbits {}\nnorm2 {}\nlwe {} {}\nglwe {} {} {}\nextension {}\nbootstrap {} {}\n"
      "key_switch {} {}\ntables {}\nfailure {}\ninsecure {}\n",
      l.bits, l.norm2, l.lwe_dimension, l.lwe_noise_bits, l.glwe_dimension, l.log_polynomial, l.glwe_noise_bits,
      l.log_extension, l.bootstrap.base_log, l.bootstrap.levels, l.key_switch.base_log, l.key_switch.levels,
      l.log_tables, l.log2_failure, l.insecure);
  return base::sha256(std::as_bytes(std::span(text)));
}

}  // namespace

LookupShape shape_of(const TfheLiteral& l) {
  return {.lwe = LweDimension(static_cast<std::size_t>(l.lwe_dimension)),
          .glwe = GlweDimension(static_cast<std::size_t>(l.glwe_dimension)),
          .polynomial = PolynomialSize(std::size_t{1} << l.log_polynomial),
          .extension = ExtensionFactor(std::size_t{1} << l.log_extension),
          .lwe_variance = bounded_uniform_variance(l.lwe_noise_bits, 32),
          .glwe_variance = bounded_uniform_variance(l.glwe_noise_bits, 64),
          .bootstrap = l.bootstrap,
          .key_switch = l.key_switch,
          .log_tables = l.log_tables};
}

TfheParameters::TfheParameters(const TfheLiteral& literal) : literal_(literal), shape_(shape_of(literal)) {}

TfheParameters TfheParameters::check(const TfheLiteral& literal) {
  check_shape(literal);
  if (!literal.insecure) check_security(literal);
  TfheParameters result(literal);
  const NoiseBudget budget =
      result.looks_up() ? noise_budget(result.shape_, literal.norm2) : noise_budget(result.shape_, 0, literal.norm2);
  result.log2_failure_ = params::log2_failure(literal.bits, budget.total());
  if (result.log2_failure_ > literal.log2_failure)
    refuse(literal,
           "{} of {} bits behind weights of 2-norm {} fails with probability 2^{:.1f}, above the 2^{} that is asked "
           "for; {}",
           result.looks_up() ? "a lookup" : "a sum", literal.bits, literal.norm2, result.log2_failure_,
           literal.log2_failure,
           result.looks_up() ? way_out(budget) : "raise glwe_dimension or log_polynomial, which takes less noise");
  result.hash_ = hash_of(literal);
  return result;
}

double TfheParameters::bootstrap_key_bytes() const {
  const double columns = static_cast<double>(glwe().value + 1);
  return static_cast<double>(lwe().value) * columns * columns * literal_.bootstrap.levels *
         static_cast<double>(polynomial().value) * sizeof(double);
}

double TfheParameters::key_switch_key_bytes() const {
  constexpr double kTile = 64;  // columns are filled up to it
  return static_cast<double>(large_lwe().value) * literal_.key_switch.levels *
         std::ceil(static_cast<double>(lwe().value + 1) / kTile) * kTile * 4;
}

ParameterIdentity TfheParameters::identity() const {
  return {
      .name = literal_.name,
      .security_bits = security_bits(),
      .hash = hash_,
      .size = fmt::format("n = {}{}, k N = {} * {}, failure 2^{:.1f}{}", lwe().value, looks_up() ? "" : " (sums alone)",
                          glwe().value, polynomial().value, log2_failure_, literal_.insecure ? ", insecure" : "")};
}

}  // namespace tacit::params
