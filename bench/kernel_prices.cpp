#include "bench/kernel_prices.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/aligned.h"
#include "bench/measurement.h"
#include "params/ntt_primes.h"
#include "ring/base_converter.h"
#include "ring/limb.h"
#include "ring/ntt.h"
#include "ring/uniform_row.h"

namespace tacit::bench {
namespace {

constexpr double kBudget = 2e-3;
constexpr int kLogTransforms[] = {11, 12, 13};  // 16 to 64 KiB
constexpr int kPrimeBits = 50, kSmallPrimeBits = 40;
constexpr std::uint64_t kModulus = 1 << 12;

// Products of rows with a common factor, as in a key switch.
double seconds_of_row_sums() {
  constexpr std::size_t kTerms = 8, kWords = 128;
  const ring::Modulus q(params::largest_ntt_primes(kPrimeBits, kModulus, 1, {}).at(0));
  const base::AlignedVector<std::uint64_t> words = operands(3 * kTerms * kWords, q);
  std::vector<ring::limb::FactorRow> a;
  std::vector<const std::uint64_t*> b0, b1;
  for (std::size_t i = 0; i < kTerms; ++i) {
    a.push_back({words.data() + 3 * i * kWords});
    b0.push_back(a.back().words + kWords);
    b1.push_back(b0.back() + kWords);
  }
  base::AlignedVector<std::uint64_t> out(2 * kWords);
  const auto run = [&] { ring::limb::dot_pair(out.data(), out.data() + kWords, a, b0, b1, kWords, q); };
  return measure(run, kBudget).lower / static_cast<double>(2 * kTerms * kWords);
}

// Sums of the same rows for several primes, as in a base conversion.
double seconds_of_conversions() {
  constexpr std::size_t kFrom = 12, kTo = 12, kWords = 128;
  std::vector<ring::Modulus> from, to;
  for (const std::uint64_t prime : params::largest_ntt_primes(kPrimeBits, kModulus, kFrom + kTo, {}))
    (from.size() < kFrom ? from : to).emplace_back(prime);
  const ring::BaseConverter converter(from, to);
  std::vector<base::AlignedVector<std::uint64_t>> in, out(kTo, base::AlignedVector<std::uint64_t>(kWords));
  std::vector<const std::uint64_t*> sources;
  std::vector<std::uint64_t*> targets;
  for (const ring::Modulus& q : from) in.push_back(operands(kWords, q));
  for (const auto& limb : in) sources.push_back(limb.data());
  for (auto& limb : out) targets.push_back(limb.data());
  base::AlignedVector<std::uint64_t> prepared(converter.prepared_words(kWords));
  const auto run = [&] {
    converter.prepare(sources, prepared.data(), kWords);
    converter.convert_prepared(prepared.data(), 0, targets, kWords);
  };
  return measure(run, kBudget).lower / static_cast<double>(kFrom * kTo * kWords);
}

}  // namespace

base::AlignedVector<std::uint64_t> operands(std::size_t words, const ring::Modulus& q) {
  base::AlignedVector<std::uint64_t> result(words);
  ring::UniformRow(base::Seed{}, 0, q).fill(0, result);
  return result;
}

double KernelPrices::transform_seconds(int bits) {
  const auto [price, fresh] = transforms_.try_emplace(bits, INFINITY);
  if (!fresh) return price->second;
  for (const int log_n : kLogTransforms) {
    const std::size_t n = std::size_t{1} << log_n;
    const ring::Modulus q(params::largest_ntt_primes(bits, 2 * n, 1, {}, params::kFastPrimeOf50Bits).at(0));
    const ring::NttTables tables(q, n);
    base::AlignedVector<std::uint64_t> limb = operands(n, q);
    const auto run = [&] {
      tables.forward(limb.data());
      tables.inverse(limb.data());
    };
    price->second = std::min(price->second, measure(run, kBudget).lower / (2.0 * static_cast<double>(n) * log_n));
  }
  return price->second;
}

double KernelPrices::mac_seconds() { return std::min(row_sum_seconds(), conversion_seconds()); }

double KernelPrices::row_sum_seconds() {
  if (row_sums_ == 0) row_sums_ = seconds_of_row_sums();
  return row_sums_;
}

double KernelPrices::conversion_seconds() {
  if (conversions_ == 0) conversions_ = seconds_of_conversions();
  return conversions_;
}

params::CostTable KernelPrices::least() {
  params::CostTable table;
  table.ntt_ns = transform_seconds(kSmallPrimeBits) * 1e9;
  table.mac_ns = mac_seconds() * 1e9;
  table.key_ns = table.product_ns = row_sum_seconds() * 1e9;
  return table;
}

double KernelPrices::bound(const params::Work& work, int threads) {
  double seconds = 0;
  for (std::size_t bits = 0; bits < work.transforms.size(); ++bits)
    if (work.transforms[bits] > 0) seconds += work.transforms[bits] * transform_seconds(static_cast<int>(bits));
  if (const double macs = work.multiply_accumulates(); macs > 0) seconds += macs * mac_seconds();
  return seconds / threads;
}

}  // namespace tacit::bench
