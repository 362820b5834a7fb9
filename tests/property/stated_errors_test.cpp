#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "base/error.h"
#include "graph/reference/run.h"
#include "random_pipeline.h"
#include "session/owner/compilation.h"
#include "session/owner/compiled_network.h"
#include "session/owner/engine.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/integers/expect_errors.h"
#include "session/owner/slots/expect_errors.h"

/// No output of a random pipeline is off by more than the plan states on rows that calibration did not see. An error is
/// a share of the range that its target has over all rows. TACIT_PIPELINES sets how many pipelines of each kind are
/// tried.
namespace tacit::session {
namespace {

constexpr std::size_t kSamples = 400, kRows = 60;
constexpr double kMostMissed = 0.1;  // of the rows of a pipeline

std::uint64_t pipelines() {
  constexpr std::uint64_t kUsual = 40;
  const char* const asked = std::getenv("TACIT_PIPELINES");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : kUsual;
}

struct Tally {
  std::size_t compiled = 0, refused = 0, targets = 0, exceeded = 0, missed = 0;
};

void compare(CompiledNetwork& network, const ExpectedErrors& expected, const RandomPipeline& pipeline,
             std::uint64_t seed, Tally& tally) {
  OutputErrors errors(output_forms(pipeline.graph));
  for (const auto& row : pipeline.rows(kSamples, seed)) {  // errors are shares of the range of these as well
    const auto exact = graph::reference::run(pipeline.graph, row);
    errors.add(exact, exact);
  }
  const std::unique_ptr<Engine> engine = network.simulated();
  std::size_t missed = 0;
  for (const auto& row : pipeline.rows(kRows, seed + 1'000'000)) {
    if (network.check(0, {&row, 1}).front()) {
      ++missed;
      continue;
    }
    try {
      const Inference inference = engine->infer({&row, 1});
      if (inference.refusal || (!inference.refusals.empty() && inference.refusals[0])) {
        ++missed;
        continue;
      }
      errors.add(inference.outputs.at(0), graph::reference::run(pipeline.graph, row));
    } catch (const base::InputError&) {
      ++missed;
    }
  }
  tally.missed += missed;
  EXPECT_LE(static_cast<double>(missed), kMostMissed * kRows) << "seed " << seed << ":" << pipeline.text;
  ASSERT_EQ(expected.outputs.size(), 1u) << "seed " << seed << ":" << pipeline.text << " " << expected.why_not;
  const OutputError seen = errors.account().at(0);
  const ExpectedOutput& stated = expected.outputs[0];
  EXPECT_EQ(seen.nan, 0) << "seed " << seed << ":" << pipeline.text;
  const auto hold = [&](double largest, double bound, std::size_t target) {
    ++tally.targets;
    if (largest <= bound + 1e-9) return;
    ++tally.exceeded;
    ADD_FAILURE() << "seed " << seed << ", target " << target << ": off by " << largest << ", stated " << bound << ":"
                  << pipeline.text;
  };
  if (seen.targets.empty()) return hold(seen.largest, stated.error, 0);
  for (std::size_t t = 0; t < seen.targets.size(); ++t) hold(seen.targets[t].largest, stated.targets.at(t).error, t);
}

void report(const Tally& tally) {
  std::printf("%zu pipelines compiled, %zu refused, %zu targets, %zu beyond the stated error, %zu rows missed\n",
              tally.compiled, tally.refused, tally.targets, tally.exceeded, tally.missed);
  EXPECT_GT(tally.compiled, 0u);
}

void on_integers(const PipelineKind& kind, int bits, std::uint64_t first) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + pipelines(); ++seed) {
    const RandomPipeline pipeline = random_pipeline(kind, seed);
    graph::quant::CompileOptions options;
    options.bits = bits;
    options.calibration = pipeline.rows(kSamples, seed);
    try {
      IntegerCompilation compilation =
          compile_graph_on_integers("random", pipeline.graph, options, {}, base::Progress::silent());
      const ExpectedErrors expected = expect_errors(compilation, options.calibration, base::Progress::silent());
      if (expected.unanswered) base::refuse("{}", expected.why_not);
      const auto network = network_on_integers(std::move(compilation));
      ++tally.compiled;
      compare(*network, expected, pipeline, seed, tally);
    } catch (const base::InputError& error) {
      ++tally.refused;
      std::printf("seed %llu:%s refused: %s\n", static_cast<unsigned long long>(seed), pipeline.text.c_str(),
                  error.what());
    }
  }
  report(tally);
}

TEST(StatedErrors, HoldForLayersOnIntegersOfSixBits) { on_integers({}, 6, 1000); }
TEST(StatedErrors, HoldForLayersOnIntegersOfEightBits) { on_integers({}, 8, 3000); }
TEST(StatedErrors, HoldForTreesOnIntegers) { on_integers({.trees = true}, 6, 5000); }

TEST(StatedErrors, HoldForLayersOnSlots) {
  Tally tally;
  for (std::uint64_t seed = 7000; seed < 7000 + pipelines(); ++seed) {
    const RandomPipeline pipeline = random_pipeline({}, seed);
    graph::CompileOptions options;
    options.calibration = pipeline.rows(kSamples, seed);
    try {
      Compilation compilation = compile_graph("random", pipeline.graph, options, base::Progress::silent());
      const ExpectedErrors expected = expect_errors(compilation, options.calibration, base::Progress::silent());
      if (expected.unanswered) base::refuse("{}", expected.why_not);
      const auto network = network_on_slots(std::move(compilation), {});
      ++tally.compiled;
      compare(*network, expected, pipeline, seed, tally);
    } catch (const base::InputError& error) {
      ++tally.refused;
      std::printf("seed %llu:%s refused: %s\n", static_cast<unsigned long long>(seed), pipeline.text.c_str(),
                  error.what());
    }
  }
  report(tally);
}

}  // namespace
}  // namespace tacit::session
