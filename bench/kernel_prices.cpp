#include "bench/kernel_prices.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/aligned.h"
#include "params/ntt_primes.h"
#include "ring/limb.h"
#include "session/owner/kernel_speeds.h"
#include "session/owner/measurement.h"

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
  const base::AlignedVector<std::uint64_t> words = session::operands(3 * kTerms * kWords, q);
  std::vector<ring::limb::FactorRow> a;
  std::vector<const std::uint64_t*> b0, b1;
  for (std::size_t i = 0; i < kTerms; ++i) {
    a.push_back({words.data() + 3 * i * kWords});
    b0.push_back(a.back().words + kWords);
    b1.push_back(b0.back() + kWords);
  }
  base::AlignedVector<std::uint64_t> out(2 * kWords);
  const auto run = [&] { ring::limb::dot_pair(out.data(), out.data() + kWords, a, b0, b1, kWords, q); };
  return session::measure(run, kBudget).lower / static_cast<double>(2 * kTerms * kWords);
}

}  // namespace

KernelPrices::KernelPrices()
    : row_sum_seconds_(seconds_of_row_sums()),
      mac_seconds_(std::min(row_sum_seconds_, session::seconds_of_conversions(kBudget))) {}

double KernelPrices::transform_seconds(int bits) {
  const auto [price, fresh] = transforms_.try_emplace(bits, INFINITY);
  if (!fresh) return price->second;
  for (const int log_n : kLogTransforms)
    price->second = std::min(price->second, session::seconds_of_transforms(log_n, bits, kBudget));
  return price->second;
}

params::CostTable KernelPrices::least(int threads) {
  const double nanoseconds = 1e9 / threads;
  params::CostTable table;
  table.ntt_ns = transform_seconds(kSmallPrimeBits) * nanoseconds;
  table.mac_ns = mac_seconds_ * nanoseconds;
  table.key_ns = table.product_ns = row_sum_seconds_ * nanoseconds;
  return table;
}

double KernelPrices::bound(const params::Work& work, int threads) {
  double seconds = 0;
  for (std::size_t bits = 0; bits < work.transforms.size(); ++bits)
    if (work.transforms[bits] > 0) seconds += work.transforms[bits] * transform_seconds(static_cast<int>(bits));
  seconds += work.multiply_accumulates() * mac_seconds_;
  return seconds / threads;
}

}  // namespace tacit::bench
