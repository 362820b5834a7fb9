// Times the kernels of the ring room on the instruction set that TACIT_ISA or the processor chooses. It also prints the
// clock of a chain of dependent additions.

#include <benchmark/benchmark.h>

#include <cstdio>
#include <random>
#include <string>
#include <vector>

#include "base/aligned.h"
#include "base/cpu.h"
#include "ring/base_converter.h"
#include "ring/embedding.h"
#include "ring/limb.h"
#include "ring/ntt.h"
#include "ring/primes_for_test.h"
#include "ring/rns_poly.h"
#include "session/owner/measurement.h"

namespace tacit::ring {
namespace {

NttPoly random_poly(std::size_t n, const std::vector<Modulus>& primes) {
  std::mt19937_64 random(1);
  NttPoly poly(n, primes.size());
  for (std::size_t i = 0; i < primes.size(); ++i)
    for (std::uint64_t& word : poly.limb_span(i)) word = random() % primes[i].value();
  return poly;
}

void transform(benchmark::State& state, bool forward, std::size_t count = 1) {
  const std::size_t n = std::size_t{1} << state.range(0);
  const std::vector<Modulus> primes = testing::largest_primes(static_cast<int>(state.range(1)), 2 * n, count);
  std::vector<NttTables> tables;
  for (const Modulus& q : primes) tables.emplace_back(q, n);
  NttPoly poly = random_poly(n, primes);
  std::size_t i = 0;
  for ([[maybe_unused]] auto _ : state) {
    if (forward)
      tables[i].forward(poly.limb(i));
    else
      tables[i].inverse(poly.limb(i));
    i = i + 1 < primes.size() ? i + 1 : 0;
    benchmark::ClobberMemory();
  }
}

/// Transforms many limbs and primes in turn, which exceed the caches.
void transform_many(benchmark::State& state, bool forward) { transform(state, forward, 36); }

void dot(benchmark::State& state) {
  const std::size_t n = std::size_t{1} << state.range(0);
  const auto terms = static_cast<std::size_t>(state.range(1));
  const Modulus q = testing::largest_primes(50, 2 * n, 1)[0];
  NttPoly a = random_poly(n, std::vector<Modulus>(terms, q));
  NttPoly out(n, 1);
  std::vector<limb::FactorRow> left;
  std::vector<const std::uint64_t*> right;
  for (std::size_t i = 0; i < terms; ++i) {
    left.push_back({a.limb(i)});
    right.push_back(a.limb(i));
  }
  for ([[maybe_unused]] auto _ : state) {
    limb::dot(out.limb(0), left, right, n, q);
    benchmark::ClobberMemory();
  }
  state.counters["us_per_term"] = benchmark::Counter(
      static_cast<double>(terms) * 1e-6, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void multiply(benchmark::State& state) {
  const std::size_t n = std::size_t{1} << state.range(0);
  const Modulus q = testing::largest_primes(50, 2 * n, 1)[0];
  NttPoly a = random_poly(n, {q, q});
  for ([[maybe_unused]] auto _ : state) {
    limb::multiply(a.limb(0), a.limb(0), a.limb(1), n, q);
    benchmark::ClobberMemory();
  }
}

void sub_multiply_scalar(benchmark::State& state) {
  const std::size_t n = std::size_t{1} << state.range(0);
  const Modulus q = testing::largest_primes(50, 2 * n, 1)[0];
  NttPoly a = random_poly(n, {q, q});
  for ([[maybe_unused]] auto _ : state) {
    limb::sub_multiply_scalar(a.limb(0), a.limb(0), a.limb(1), q.value() - 5, n, q);
    benchmark::ClobberMemory();
  }
}

void base_conversion(benchmark::State& state) {
  const std::size_t n = std::size_t{1} << state.range(0);
  const auto sources = static_cast<std::size_t>(state.range(1)), targets = static_cast<std::size_t>(state.range(2));
  const std::vector<Modulus> primes = testing::largest_primes(50, 2 * n, sources + targets);
  const std::vector<Modulus> from(primes.begin(), primes.begin() + state.range(1));
  const BaseConverter converter(from, std::vector<Modulus>(primes.begin() + state.range(1), primes.end()));
  const NttPoly in = random_poly(n, from);
  NttPoly out(n, targets);
  std::vector<const std::uint64_t*> src;
  std::vector<std::uint64_t*> dst;
  for (std::size_t i = 0; i < sources; ++i) src.push_back(in.limb(i));
  for (std::size_t i = 0; i < targets; ++i) dst.push_back(out.limb(i));
  base::AlignedVector<std::uint64_t> prepared(converter.prepared_words(n));
  for ([[maybe_unused]] auto _ : state) {
    converter.prepare(src, prepared.data(), n);
    converter.convert_prepared(prepared.data(), 0, dst, n);
    benchmark::ClobberMemory();
  }
  state.counters["us_per_mac"] =
      benchmark::Counter(static_cast<double>(sources * targets) * 1e-6,
                         benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void embedding(benchmark::State& state) {
  const std::size_t slots = std::size_t{1} << state.range(0);
  const Embedding map(slots);
  std::vector<std::complex<double>> z(slots, {0.5, 0.25});
  for ([[maybe_unused]] auto _ : state) {
    map.slots_to_coefficients(z);
    map.coefficients_to_slots(z);
    benchmark::ClobberMemory();
  }
}

void degrees_and_lengths(benchmark::internal::Benchmark* b) {
  for (const int bits : {50, 49, 40})
    for (int log_n = 13; log_n <= 16; ++log_n) b->Args({log_n, bits});
  b->Unit(benchmark::kMicrosecond);
}

void many(benchmark::internal::Benchmark* b) {
  for (const int bits : {50, 40})
    for (const int log_n : {14, 16}) b->Args({log_n, bits});
  b->Unit(benchmark::kMicrosecond);
}

BENCHMARK_CAPTURE(transform, forward, true)->Apply(degrees_and_lengths);
BENCHMARK_CAPTURE(transform, inverse, false)->Apply(degrees_and_lengths);
BENCHMARK_CAPTURE(transform_many, forward, true)->Apply(many);
BENCHMARK_CAPTURE(transform_many, inverse, false)->Apply(many);
BENCHMARK(dot)->Args({13, 4})->Args({14, 4})->Args({16, 3})->Args({16, 16})->Unit(benchmark::kMicrosecond);
BENCHMARK(multiply)->Arg(14)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(sub_multiply_scalar)->Arg(14)->Arg(16)->Unit(benchmark::kMicrosecond);
BENCHMARK(base_conversion)
    ->Args({14, 4, 8})
    ->Args({15, 4, 16})
    ->Args({16, 10, 5})
    ->Args({16, 12, 36})
    ->Args({16, 36, 12})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(embedding)->Arg(13)->Arg(15)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tacit::ring

int main(int argc, char** argv) {
  std::printf("kernels: %s, clock %.2f GHz\n", std::string(tacit::base::isa_name(tacit::base::active_isa())).c_str(),
              tacit::session::measured_clock_hertz() / 1e9);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}
