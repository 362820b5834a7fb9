#include "bench/slots/ckks_benchmarks.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <memory>

#include "base/aligned.h"
#include "base/parallel.h"
#include "bench/kernel_prices.h"
#include "bench/memory_bandwidth.h"
#include "bench/slots/benchmark_bed.h"
#include "params/ckks_parameters.h"
#include "params/ntt_primes.h"
#include "params/schedule.h"
#include "ring/limb.h"
#include "ring/ntt.h"
#include "session/owner/kernel_speeds.h"

namespace tacit::bench {
namespace {

constexpr int kHoistedRotations = 16;
constexpr int kDegrees[] = {27, 59, 63, 127};
constexpr int kDiagonals[] = {32, 64, 128, 256, 512};
constexpr std::size_t kTerms = 4;
// A convolution of many channels, as deep networks have.
constexpr int kPeriodicBabies = 36, kPeriodicGiants = 4;
constexpr std::size_t kPeriod = 4096;

/// A benchmark: its name, the function that makes its operation, and the parameter set of the bed for it (none: "").
struct Case {
  std::string operation, parameters, set;
  std::function<TimedOperation(BenchmarkBed* bed)> prepare;
};

/// Counts the transform of one limb by a prime of these bits.
params::Work transform_work(int log_n, int bits) {
  params::Work work;
  work.transforms.at(static_cast<std::size_t>(bits)) = std::ldexp(log_n, log_n);
  work.bytes = 2 * std::ldexp(8.0, log_n);
  return work;
}

/// Counts `kTerms` products of two limbs with a common factor, summed: two results.
params::Work row_sum_work(int log_n) {
  params::Work work;
  work.macs = 2 * std::ldexp(kTerms, log_n);
  work.bytes = (3 * kTerms + 2) * std::ldexp(8.0, log_n);
  return work;
}

/// The largest prime of these bits that is not above `most`. For 50 bits there are two kinds: one as in sets that
/// bootstrap, and the largest.
struct PrimeKind {
  int bits;
  std::uint64_t most;
  const char* which;
};

void add_limb_cases(std::vector<Case>& cases) {
  for (const int log_n : {13, 14, 15, 16})
    for (const auto& [bits, most, which] :
         {PrimeKind{50, params::kFastPrimeOf50Bits, ""}, PrimeKind{50, ~std::uint64_t{0}, "largest "},
          PrimeKind{40, ~std::uint64_t{0}, ""}}) {
      const std::size_t n = std::size_t{1} << log_n;
      const auto prime = [=] { return ring::Modulus(params::largest_ntt_primes(bits, 2 * n, 1, {}, most).at(0)); };
      const std::string parameters = fmt::format("N 2^{}, {}{}-bit prime", log_n, which, bits);
      for (const bool forward : {true, false})
        cases.push_back(
            {forward ? "NTT forward" : "NTT inverse", parameters, "", [=](BenchmarkBed*) {
               const ring::Modulus q = prime();
               const auto tables = std::make_shared<const ring::NttTables>(q, n);
               const auto limb = std::make_shared<base::AlignedVector<std::uint64_t>>(session::operands(n, q));
               const auto run = [=] { forward ? tables->forward(limb->data()) : tables->inverse(limb->data()); };
               const params::Work work = transform_work(log_n, bits);
               return TimedOperation{run, work, [=](const params::CostTable& costs) { return seconds(work, costs); }};
             }});
      cases.push_back({fmt::format("MAC of {} terms, two results", kTerms), parameters, "", [=](BenchmarkBed*) {
                         const ring::Modulus q = prime();
                         using Words = base::AlignedVector<std::uint64_t>;
                         const auto words = std::make_shared<const Words>(session::operands(3 * kTerms * n, q));
                         const auto out = std::make_shared<Words>(2 * n);
                         std::vector<ring::limb::FactorRow> a;
                         std::vector<const std::uint64_t*> b0, b1;
                         for (std::size_t i = 0; i < kTerms; ++i) {
                           a.push_back({words->data() + 3 * i * n});
                           b0.push_back(a.back().words + n);
                           b1.push_back(b0.back() + n);
                         }
                         const auto run = [=] { ring::limb::dot_pair(out->data(), out->data() + n, a, b0, b1, n, q); };
                         return TimedOperation{run, row_sum_work(log_n)};
                       }});
    }
}

void add_scheme_cases(std::vector<Case>& cases) {
  std::vector<std::string> sets{"N13-d4", "N14-d7", "N15-d15", "N16-d32"};
  for (const std::string& set : params::bootstrapping_literals()) sets.push_back(set);
  for (const std::string& set : sets) {
    const params::CkksLiteral literal = params::named_literal(set);
    const int top = static_cast<int>(literal.q_bits.size()) - 1;
    const auto add = [&](const std::string& name, std::function<TimedOperation(BenchmarkBed*)> prepare) {
      cases.push_back({name, set, set, std::move(prepare)});
    };
    add("add", [](BenchmarkBed* bed) { return bed->add(); });
    add("key switch", [](BenchmarkBed* bed) { return bed->key_switch(); });
    add("rotate", [](BenchmarkBed* bed) { return bed->rotate(); });
    add(fmt::format("rotate {} hoisted", kHoistedRotations),
        [](BenchmarkBed* bed) { return bed->rotate_hoisted(kHoistedRotations); });
    add("multiply, relinearise, rescale", [](BenchmarkBed* bed) { return bed->multiply(); });
    const int highest = message_top(literal);
    for (const int degree : kDegrees)
      if (params::PolynomialSchedule::choose(degree).depth <= highest)
        add(fmt::format("polynomial of degree {} from level {}", degree, highest),
            [=](BenchmarkBed* bed) { return bed->polynomial(degree); });
    for (const int diagonals : kDiagonals)
      add(fmt::format("linear map of {} diagonals from level {}", diagonals, std::min(top, BenchmarkBed::kLinearLevel)),
          [=](BenchmarkBed* bed) { return bed->linear(diagonals); });
    if (literal.log_n >= 14)
      add(fmt::format("linear map of {} diagonals of period {} from level {}", kPeriodicBabies * kPeriodicGiants,
                      kPeriod, std::min(top, BenchmarkBed::kLinearLevel)),
          [](BenchmarkBed* bed) { return bed->linear_of_period(kPeriodicBabies, kPeriodicGiants, kPeriod); });
    if (!literal.bootstrap) continue;
    const int input = params::chain_of(literal).input;
    for (const int level : {highest, (highest + input + 1) / 2, input + 2})
      add(fmt::format("bootstrap to level {}", level), [=](BenchmarkBed* bed) { return bed->bootstrap(level, false); });
    add(fmt::format("bootstrap a pair to level {}", highest),
        [=](BenchmarkBed* bed) { return bed->bootstrap(highest, true); });
  }
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  add_limb_cases(cases);
  add_scheme_cases(cases);
  return cases;
}

std::string name_of(const Case& c) { return fmt::format("{}, {}", c.operation, c.parameters); }

std::string parameters_text(const Case& c) {
  if (c.set.empty()) return c.parameters;
  const params::CkksLiteral literal = params::named_literal(c.set);
  return fmt::format("{}: N 2^{}, {} + {} limbs", literal.name, literal.log_n, literal.q_bits.size(),
                     literal.p_bits.size());
}

}  // namespace

std::vector<std::string> ckks_benchmark_names() {
  std::vector<std::string> names;
  for (const Case& c : all_cases()) names.push_back(name_of(c));
  return names;
}

void run_ckks_benchmarks(std::string_view filter, double seconds, const params::CostTable& costs,
                         const std::function<void(const BenchmarkResult&)>& sink) {
  KernelPrices prices;
  std::map<int, double> bandwidths;  // by threads
  const auto memory_seconds = [&](double bytes, int threads) {
    // The largest cache may still hold its data from the last run.
    const double from_memory = bytes - std::ldexp(costs.cache_mib, 20);
    if (from_memory <= 0) return 0.0;
    const auto [bandwidth, fresh] = bandwidths.try_emplace(threads);
    if (fresh) bandwidth->second = memory_bandwidth(threads);
    return from_memory / bandwidth->second;
  };
  std::unique_ptr<BenchmarkBed> bed;  // one at a time: the keys of the large sets take gigabytes
  std::string bed_set;
  for (const Case& c : all_cases()) {
    if (name_of(c).find(filter) == std::string::npos) continue;
    if (!c.set.empty() && bed_set != c.set) {
      bed.reset();
      bed = std::make_unique<BenchmarkBed>(c.set, costs);
      bed_set = c.set;
    }
    const TimedOperation operation = c.prepare(bed.get());
    const int threads = c.set.empty() ? 1 : base::thread_limit();
    sink({c.operation, parameters_text(c), threads, session::measure(operation.run, seconds), operation.work.bytes,
          operation.price ? operation.price(costs) : 0, prices.bound(operation.work, threads),
          memory_seconds(operation.work.bytes, threads)});
  }
}

}  // namespace tacit::bench
