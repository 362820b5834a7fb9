#include "program/slots/noise_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "program/slots/clear_program.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;

double deviation(const std::vector<std::vector<double>>& found, const std::vector<std::vector<double>>& expected) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t o = 0; o < found.size(); ++o)
    for (std::size_t i = 0; i < found[o].size(); ++i, ++count)
      sum += (found[o][i] - expected[o][i]) * (found[o][i] - expected[o][i]);
  return std::sqrt(sum / static_cast<double>(count));
}

/// Deviation of an encrypted run from the exact clear one, over that of simulated runs. Inputs are encrypted with the
/// public key, which is what the model states.
double measured_over_modelled(const Bench& bench, const slots::Program& program, unsigned seed) {
  const Layout& in = program.instructions[0].layout;
  const std::vector<std::vector<double>> tensors{ProgramWriter(bench.slots(), seed).numbers(in)};
  const slots::ClearProgram clear(program);
  const slots::NoiseModel model = slots::modelled_noise(program, bench.context->parameters());
  const auto expected = clear.run(tensors);
  double modelled = 0;
  constexpr int kRuns = 4;
  for (int run = 0; run < kRuns; ++run)
    modelled += deviation(clear.run(tensors, {}, slots::ClearProgram::Noise{model, seed + static_cast<unsigned>(run)}),
                          expected) /
                kRuns;
  Executor executor(bench.prepared(program), bench.keys(program));
  double measured = 0;
  for (int run = 0; run < kRuns; ++run) {
    const RunResult result = executor.run(bench.encrypt_public(program, tensors));
    measured += deviation({bench.decrypt(result.outputs[0], program.instructions.back().layout)}, expected) / kRuns;
  }
  return measured / modelled;
}

TEST(NoiseModel, SimulatedErrorIsThatOfAnEncryptedRun) {
  // Scales far below the primes' 53 bits of double precision, so that the noise is what is measured.
  const Bench bench({.name = "noisy",
                     .log_n = 11,
                     .q_bits = {45, 32, 32, 32, 32, 32, 32, 32},
                     .p_bits = {50, 50},
                     .log_scale = 32,
                     .insecure = true});
  const layout::Index slots = bench.slots();
  const Layout wide = Layout::row_major({400}, slots), narrow = Layout::row_major({256}, slots);
  const auto check = [&](const char* name, double lowest, double highest, const auto& body) {
    ProgramWriter writer(slots, 3);
    writer.output(body(writer, writer.input("x", wide)), "y");
    const double ratio = measured_over_modelled(bench, writer.finish(bench.context->parameters()), 5);
    EXPECT_GT(ratio, lowest) << name;
    EXPECT_LT(ratio, highest) << name;
  };
  using Id = program::ValueId;
  check("input", 0.7, 1.4, [](ProgramWriter&, Id x) { return x; });
  check("multiply", 0.7, 1.4, [](ProgramWriter& w, Id x) { return w.multiply(x, x); });
  check("multiply plain", 0.7, 1.4, [](ProgramWriter& w, Id x) { return w.multiply_plain(x); });
  check("linear", 0.5, 2, [&](ProgramWriter& w, Id x) { return w.dense(x, narrow); });
  check("folded linear", 0.5, 2, [&](ProgramWriter& w, Id x) { return w.dense(x, Layout::row_major({8}, slots)); });
  check("polynomial", 0.4, 2.5, [](ProgramWriter& w, Id x) {
    return w.polynomial(x, {0.1, 0.4, -0.2, 0.05, 0.02, -0.07, 0.01, 0.03, 0, 0.04, 0.1, -0.05, 0.02, 0.06, 0, 0.1});
  });
  check("linear, square, linear", 0.5, 2, [&](ProgramWriter& w, Id x) {
    const Id h = w.dense(x, narrow);
    return w.dense(w.multiply(h, h), narrow);
  });
}

/// The even series of a Relu, by interpolation.
std::vector<double> relu_series(int degree) {
  const int points = 4 * degree + 16;
  std::vector<double> series(static_cast<std::size_t>(degree) + 1, 0.0);
  for (int k = 0; k <= degree; ++k) {
    if (k > 1 && k % 2 == 1) continue;
    double sum = 0;
    for (int j = 0; j < points; ++j) {
      const double angle = std::numbers::pi * (j + 0.5) / points;
      sum += std::max(std::cos(angle), 0.0) * std::cos(k * angle);
    }
    series[static_cast<std::size_t>(k)] = (k == 0 ? 1 : 2) * sum / points;
  }
  return series;
}

// Around 0 a series of degree 958 is ten times as noisy as elsewhere.
TEST(NoiseModel, NoElementOfALongSeriesIsOffByMoreThanIsStated) {
  params::CkksLiteral literal{
      .name = "noisy", .log_n = 11, .q_bits = {44}, .p_bits = {50, 50}, .log_scale = 34, .insecure = true};
  literal.q_bits.resize(13, 34);
  const Bench bench(literal);
  const Layout wide = Layout::row_major({1000}, bench.slots());
  std::vector<double> arguments;
  for (int i = 0; i < 1000; ++i) arguments.push_back(i < 500 ? 0.02 * (i / 250.0 - 1) : (i - 750) / 250.0);
  for (const int degree : {59, 238, 478, 958}) {
    ProgramWriter writer(bench.slots(), 3);
    writer.output(writer.polynomial(writer.input("x", wide), relu_series(degree)), "y");
    const slots::Program program = writer.finish(bench.context->parameters());
    const double mean = slots::modelled_noise(program, bench.context->parameters()).at(1),
                 largest = slots::largest_noise(program, bench.context->parameters()).at(1);
    const auto expected = slots::ClearProgram(program).run({arguments});
    Executor executor(bench.prepared(program), bench.keys(program));
    double worst = 0;
    for (int run = 0; run < 3; ++run) {
      const RunResult result = executor.run(bench.encrypt(program, {arguments}));
      const std::vector<double> found = bench.decrypt(result.outputs[0], program.instructions.back().layout);
      for (std::size_t i = 0; i < found.size(); ++i) worst = std::max(worst, std::abs(found[i] - expected[0][i]));
    }
    EXPECT_LT(worst, 10 * largest) << degree;
    EXPECT_GT(worst, 1.5 * largest) << degree;
    EXPECT_GT(largest, (degree > 400 ? 6 : 1.5) * mean) << degree;
    EXPECT_LT(largest, 20 * mean) << degree;
  }
}

}  // namespace
}  // namespace tacit::runtime
