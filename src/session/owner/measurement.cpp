#include "session/owner/measurement.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "session/stopwatch.h"

namespace tacit::session {
namespace {

constexpr double kShortestSample = 200e-6;
constexpr std::size_t kFewestSamples = 5;

double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

/// `rounds` times 16 additions, each waiting for the one before.
void dependent_additions(std::uint64_t rounds) {
  std::uint64_t x = rounds;
  for (std::uint64_t i = 0; i < rounds; ++i) {
    for (int j = 0; j < 16; ++j) {
      x += i;
      // Keeps the compiler from merging the additions; costs no instruction.
      asm volatile("" : "+r"(x));
    }
  }
}

}  // namespace

Measurement summarise(std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {quantile(seconds, 0.5), quantile(seconds, 0.1), quantile(seconds, 0.9), static_cast<int>(seconds.size())};
}

Measurement measure(const std::function<void()>& operation, double budget_seconds) {
  operation();
  const Stopwatch once;
  operation();
  const auto repeats = static_cast<int>(std::ceil(kShortestSample / std::max(once.seconds(), 1e-8)));
  std::vector<double> samples;
  const Stopwatch whole;
  while (samples.size() < kFewestSamples || whole.seconds() < budget_seconds) {
    const Stopwatch sample;
    for (int i = 0; i < repeats; ++i) operation();
    samples.push_back(sample.seconds() / repeats);
  }
  return summarise(std::move(samples));
}

double measured_clock_hertz() {
  constexpr std::uint64_t kRounds = 50'000;
  double best = 0;
  for (int run = 0; run < 100; ++run) {
    const Stopwatch watch;
    dependent_additions(kRounds);
    best = std::max(best, 16.0 * static_cast<double>(kRounds) / watch.seconds());
  }
  return best;
}

double load_average() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace tacit::session
