#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "check/slots/faulty_run_for_test.h"
#include "graph/client_parts.h"
#include "graph/onnx/run_model_for_test.h"
#include "graph/slots/quantised_perceptron_for_test.h"

// A quantised network with tables, and faults that are planted in it.
namespace tacit::check {
namespace {

using runtime::Bench;

struct QuantisedNetwork {
  QuantisedNetwork() {
    net.graph = graph::onnx::import_text(sketch.text());
    graph::CompileOptions options;
    options.parameters = params::insecure_on_small_ring("S11", 10);
    options.calibration = graph::passes::rows_for(sketch, 50);
    net.model = graph::compile(net.graph, options);
    read(0);
    while (!std::holds_alternative<slots::Lookup>(net.model.program.value(lookup).operation)) ++lookup;
  }

  /// Lets the network read a row of the samples.
  void read(std::size_t row) {
    net.input = graph::numbers_of(graph::run_before(net.model.parts, graph::passes::rows_for(sketch, 50)[row]));
  }
  Fault fault(const char* name, Cause expected) const {
    return {.name = name, .expected = expected, .node = net.model.program.value(lookup).node, .at = lookup};
  }
  /// A fault of the tables of the lookup.
  template <class Change>
  Fault of_table(const char* name, Cause expected, const Change& change) const {
    Fault fault = this->fault(name, expected);
    fault.program = net.model.program;
    change(std::get<slots::Lookup>(fault.program->instructions[lookup].operation).tables.front());
    return fault;
  }
  /// A fault of the input: the numbers are changed, and the model computes with the same.
  template <class Change>
  Fault of_input(const char* name, Cause expected, const Change& change) const {
    Fault fault = this->fault(name, expected);
    fault.input = net.input;
    for (double& x : fault.input[0]) x = change(x);
    return fault;
  }

  graph::passes::QuantisedPerceptron sketch{.inputs = 16, .hidden = 24, .hidden_scale = 0.25};
  TestNetwork net;
  program::ValueId lookup = 0;
};

TEST(LookupFaults, AreFoundNamedAndExplained) {
  QuantisedNetwork quantised;
  const Bench bench(quantised.net.model.parameters);
  const Request request = parse_request("nn", -4);
  const auto keys = bench.keys(quantised.net.model.program);
  Tally tally;
  for (std::size_t row = 0; row < 4; ++row) {
    quantised.read(row);
    const FaultyRun clean = run_with_fault(quantised.net, bench, request, nullptr, {}, keys);
    EXPECT_EQ(clean.report.first_failure(), nullptr) << failure_text(*clean.report.first_failure());
    for (const Fault& fault :
         {quantised.of_table("entries in reverse order", Cause::bug, [](auto& table) { std::ranges::reverse(table); }),
          quantised.of_table("entries moved by one", Cause::bug,
                             [](auto& table) { std::rotate(table.begin(), table.begin() + 1, table.end()); }),
          quantised.of_table("entries of another unit", Cause::scale,
                             [](auto& table) {
                               for (double& entry : table) entry *= 1.25;
                             }),
          quantised.of_input("inputs between two steps", Cause::grid, [](double x) { return x > 0 ? 0.9 * x : x; }),
          quantised.of_input("inputs beyond the quantiser", Cause::range, [](double x) { return 9 * x; })})
      tally.add(fault, run_with_fault(quantised.net, bench, request, &fault, {}, keys));
  }
  EXPECT_EQ(tally.planted, 20);
  EXPECT_EQ(tally.found, tally.planted) << tally.misses;
  EXPECT_EQ(tally.named, tally.planted) << tally.misses;
  EXPECT_GE(tally.explained, 0.9 * tally.planted) << tally.misses;
}

}  // namespace
}  // namespace tacit::check
