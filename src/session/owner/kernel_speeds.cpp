#include "session/owner/kernel_speeds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <functional>
#include <future>
#include <numeric>
#include <vector>

#include "base/aligned.h"
#include "base/process_memory.h"
#include "base/vectorised.h"
#include "params/ntt_primes.h"
#include "ring/base_converter.h"
#include "ring/embedding.h"
#include "ring/limb.h"
#include "ring/ntt.h"
#include "ring/uniform_dot.h"
#include "ring/uniform_row.h"
#include "session/owner/measurement.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

constexpr int kLogN = 14, kPrimeBits = 50;
constexpr std::size_t kN = std::size_t{1} << kLogN;
/// Of one run of a kernel on rows that come from memory; the results stay in the nearest cache.
constexpr std::size_t kStrip = 512;
constexpr std::array kKernelSpeeds{&KernelSpeeds::transform, &KernelSpeeds::conversion, &KernelSpeeds::key,
                                   &KernelSpeeds::product,   &KernelSpeeds::read,       &KernelSpeeds::embedding,
                                   &KernelSpeeds::touch};
constexpr std::size_t kFarBytes = std::size_t{64} << 20, kLeastTouchedBytes = std::size_t{1} << 18;
constexpr double kNearBudget = 0.04, kFarBudget = 0.08;

ring::Modulus prime_of(int bits, std::size_t n) {
  return ring::Modulus(params::largest_ntt_primes(bits, 2 * n, 1, {}, params::kFastPrimeOf50Bits).at(0));
}

/// Rows of N words that fill 64 MiB, divided among threads, visited in groups. When a group comes round again, caches
/// of less than that hold it no more; larger ones make the prices of memory too low.
class RowsInMemory {
 public:
  static constexpr std::size_t kRows = 8;
  /// Words between rows, a cache line more than they have: rows that are read side by side do not share cache sets.
  static constexpr std::size_t kPitch = kN + 8;

  RowsInMemory(const ring::Modulus& q, int threads)
      : groups_(std::max<std::size_t>(1, kGroups / static_cast<std::size_t>(threads))),
        words_(operands(groups_ * kRows * kPitch + kStrip, q)) {}
  /// The first of the next kRows rows.
  const std::uint64_t* next_group() {
    group_ = (group_ + 1) % groups_;
    return words_.data() + group_ * kRows * kPitch;
  }

 private:
  static constexpr std::size_t kGroups = 64;
  std::size_t groups_;
  base::AlignedVector<std::uint64_t> words_;
  std::size_t group_ = 0;
};

// As in a key switch: the right rows come from memory, those of the next strip are fetched meanwhile.
void multiply_by_keys(const std::uint64_t* rows, const base::AlignedVector<std::uint64_t>& near,
                      std::span<const ring::UniformRow, 2> uniform, std::span<std::uint64_t> out,
                      const ring::Modulus& q) {
  constexpr std::size_t kDigits = 2;
  for (std::size_t row = 0; row < RowsInMemory::kRows; row += kDigits)
    for (std::size_t at = 0; at < kN; at += kStrip) {
      std::array<ring::UniformTerm, kDigits> terms;
      std::array<const std::uint64_t*, kDigits> next{};
      for (std::size_t digit = 0; digit < kDigits; ++digit) {
        const std::uint64_t* const right = rows + (row + digit) * RowsInMemory::kPitch + at;
        terms[digit] = {near.data() + digit * kStrip, right, &uniform[digit]};
        next[digit] = right + kStrip;
      }
      ring::uniform_dot_pair(out.data(), out.data() + kStrip, terms, {}, at, kStrip, q, next);
    }
}

// As in a linear map: the left rows, its diagonals, come from memory.
void multiply_by_diagonals(const std::uint64_t* rows, const base::AlignedVector<std::uint64_t>& near,
                           std::span<std::uint64_t> out, const ring::Modulus& q) {
  std::array<ring::limb::FactorRow, RowsInMemory::kRows> left;
  std::array<const std::uint64_t*, RowsInMemory::kRows> right0{}, right1{};
  for (std::size_t at = 0; at < kN; at += kStrip) {
    for (std::size_t i = 0; i < RowsInMemory::kRows; ++i) {
      left[i] = {rows + i * RowsInMemory::kPitch + at};
      right0[i] = near.data() + 2 * i * kStrip;
      right1[i] = right0[i] + kStrip;
    }
    ring::limb::dot_pair(out.data(), out.data() + kStrip, left, right0, right1, kStrip, q);
  }
}

double nanoseconds(const std::function<void()>& run, double words) {
  return measure(run, kFarBudget).lower / words * 1e9;
}

TACIT_VECTORISED std::uint64_t sum_of(const std::uint64_t* words, std::size_t count) {
  return std::accumulate(words, words + count, std::uint64_t{0});
}

double seconds_of_embeddings(double budget_seconds) {
  const ring::Embedding embedding(kN);
  std::vector<std::complex<double>> slots(kN, {0.5, 0});
  const auto run = [&] {
    embedding.slots_to_coefficients(slots);
    for (std::complex<double>& slot : slots) slot = {0.5, slot.real()};  // numbers of a usual size
  };
  return measure(run, budget_seconds).lower / static_cast<double>(kN * kLogN);
}

/// A word. All blocks are held to the end: what is given back and asked for again is still in the caches when the
/// system clears it.
double seconds_of_touch(int threads) {
  constexpr std::size_t kBlocks = 4;
  const std::size_t bytes = std::max(kFarBytes / kBlocks / static_cast<std::size_t>(threads), kLeastTouchedBytes);
  base::release_kept_memory();
  std::array<base::AlignedVector<char>, kBlocks> blocks;
  double seconds = INFINITY;
  for (base::AlignedVector<char>& block : blocks) {
    const Stopwatch watch;
    block.resize(bytes);
    std::memset(block.data(), 1, bytes);
    seconds = std::min(seconds, watch.seconds());
  }
  return seconds / static_cast<double>(bytes / sizeof(std::uint64_t));
}

/// Of one of so many threads that do the same.
KernelSpeeds measure_beside_others(int threads) {
  KernelSpeeds speeds;
  speeds.touch = seconds_of_touch(threads) * 1e9;
  speeds.transform = seconds_of_transforms(kLogN, kPrimeBits, kNearBudget) * 1e9;
  speeds.conversion = seconds_of_conversions(kNearBudget) * 1e9;

  constexpr double kFarWords = static_cast<double>(RowsInMemory::kRows * kN);
  const ring::Modulus q = prime_of(kPrimeBits, kN);
  RowsInMemory far(q, threads);
  const base::AlignedVector<std::uint64_t> near = operands(2 * RowsInMemory::kRows * kStrip, q);
  base::AlignedVector<std::uint64_t> out(2 * kStrip);
  const std::array uniform{ring::UniformRow(base::Seed{}, 1, q), ring::UniformRow(base::Seed{}, 2, q)};
  speeds.key = nanoseconds([&] { multiply_by_keys(far.next_group(), near, uniform, out, q); }, 2 * kFarWords);
  speeds.product = nanoseconds([&] { multiply_by_diagonals(far.next_group(), near, out, q); }, 2 * kFarWords);
  speeds.read = nanoseconds(
      [&] {
        read_words({far.next_group(), RowsInMemory::kRows * RowsInMemory::kPitch});
      },
      static_cast<double>(RowsInMemory::kRows * RowsInMemory::kPitch));
  speeds.embedding = seconds_of_embeddings(kNearBudget) * 1e9;
  return speeds;
}

}  // namespace

KernelSpeeds measure_kernels(int threads) {
  std::vector<std::future<KernelSpeeds>> others;
  for (int thread = 1; thread < threads; ++thread)
    others.push_back(std::async(std::launch::async, measure_beside_others, threads));
  KernelSpeeds sum = measure_beside_others(threads);
  for (std::future<KernelSpeeds>& other : others) {
    const KernelSpeeds speeds = other.get();
    for (const auto price : kKernelSpeeds) sum.*price += speeds.*price;
  }
  // The mean time of a thread, which meanwhile does one of `threads` parts of the work.
  for (const auto price : kKernelSpeeds) sum.*price /= static_cast<double>(threads) * threads;
  return sum;
}

base::AlignedVector<std::uint64_t> operands(std::size_t words, const ring::Modulus& q) {
  base::AlignedVector<std::uint64_t> result(words);
  ring::UniformRow(base::Seed{}, 0, q).fill(0, result);
  return result;
}

double seconds_of_transforms(int log_n, int bits, double budget_seconds) {
  const std::size_t n = std::size_t{1} << log_n;
  const ring::Modulus q = prime_of(bits, n);
  const ring::NttTables tables(q, n);
  base::AlignedVector<std::uint64_t> limb = operands(n, q);
  const auto run = [&] {
    tables.forward(limb.data());
    tables.inverse(limb.data());
  };
  return measure(run, budget_seconds).lower / (2.0 * static_cast<double>(n) * log_n);
}

double seconds_of_conversions(double budget_seconds) {
  constexpr std::size_t kFrom = 12, kTo = 12, kWords = 128;
  std::vector<ring::Modulus> from, to;
  for (const std::uint64_t prime : params::largest_ntt_primes(kPrimeBits, 2 * kN, kFrom + kTo, {}))
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
  return measure(run, budget_seconds).lower / static_cast<double>(kFrom * kTo * kWords);
}

void read_words(std::span<const std::uint64_t> words) {
  std::uint64_t sum = sum_of(words.data(), words.size());
  asm volatile("" : "+r"(sum));  // somebody may read it
}

}  // namespace tacit::session
