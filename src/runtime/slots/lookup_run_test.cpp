#include <gtest/gtest.h>

#include <random>

#include "params/small_ring_for_test.h"
#include "program/slots/clear_program.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"

// Two layers of tables behind integer sums, encrypted and in the clear.
namespace tacit::runtime {
namespace {

using layout::Index;
using layout::Layout;

/// Adds integer weights of -1, 0 and 1 that bring `from` entries of a step onto the arguments of a table.
program::ValueId add_sums(ProgramWriter& writer, program::ValueId from, const Layout& layout, int terms, int entries,
                          std::mt19937& random) {
  const Index count = layout::element_count(layout.shape());
  std::uniform_int_distribution<int> weight(0, 1);
  std::vector<double> bias(static_cast<std::size_t>(count), 1.0 / entries - 1);
  auto op =
      std::make_shared<layout::SparseRows>(layout.shape(), layout.shape(), [&](Index row, layout::RowEntries& to) {
        for (int t = 0; t < terms; ++t) to.add((row + 3 * t) % count, weight(random) * 2.0 / entries);
      });
  slots::LinearTerm term{from, {layout, layout, op}, {}};
  term.schedule = schedule_of(term.map);
  return writer.record(slots::Linear{{term}, layout::RepeatedReals::of(bias)}, layout);
}

// Bits in, sums of 7 bits, tables of 8 entries whose results are bits, and the same again.
TEST(LookupRun, TwoLayersOfTablesBehindSumsAreExact) {
  for (const params::BootstrapForm form : {params::BootstrapForm::half, params::BootstrapForm::whole}) {
    const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
    const Bench bench(literal);
    const auto slots = static_cast<Index>(bench.context->parameters().slots());
    const Layout layout = Layout::row_major({slots}, slots);
    std::mt19937 random(7);
    std::uniform_int_distribution<int> bit(0, 1);
    ProgramWriter writer(slots);
    program::ValueId value = writer.input("x", layout);
    std::vector<std::vector<double>> tables;
    for (int layer = 0; layer < 2; ++layer) {
      const program::ValueId sums = add_sums(writer, value, layout, 7, 8, random);
      std::vector<double>& table = tables.emplace_back(8);
      for (double& entry : table) entry = bit(random);
      value = writer.record(slots::Lookup{{sums}, {table}, params::plan_lookup(literal, {form, 8, 4})}, layout);
    }
    writer.output(value, "y");
    const slots::Program program = writer.finish(bench.context->parameters());
    std::vector<double> x(static_cast<std::size_t>(slots));
    for (double& b : x) b = bit(random);
    const std::vector<double> clear = slots::ClearProgram(program).run({x})[0];
    Executor executor(bench.prepared(program), bench.keys(program));
    const RunResult result = executor.run(bench.encrypt(program, {x}));
    const std::vector<double> encrypted = bench.decrypt(result.outputs.at(0), layout);
    for (std::size_t i = 0; i < x.size(); ++i) {
      EXPECT_NEAR(clear[i], std::round(clear[i]), 1e-9);
      EXPECT_NEAR(encrypted[i], std::round(clear[i]), 0x1p-10);
    }
  }
}

}  // namespace
}  // namespace tacit::runtime
