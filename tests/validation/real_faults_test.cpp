#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>

#include "app/dataset.h"
#include "check/faults_for_test.h"
#include "check/faulty_run_for_test.h"
#include "graph/onnx/import.h"
#include "tests/command/workspace.h"

namespace tacit::check {
namespace {

using runtime::Bench;

/// A network for MNIST with zero mean and unit deviation, and one image.
std::optional<TestNetwork> mnist_network(const std::string& name, int depth, int log_n) {
  const auto folder = test::external_data();
  if (!folder) return std::nullopt;
  TestNetwork net;
  net.graph = graph::onnx::import_model(*folder / "models/mnist" / (name + ".onnx"));
  app::Preprocessing preprocessing;
  preprocessing.scale = 255;
  preprocessing.mean = {0.1307};
  preprocessing.std = {0.3081};
  const app::Dataset images({*folder / "mnist/images_public.npy"}, app::model_inputs(net.graph), preprocessing);
  graph::CompileOptions options;
  for (std::int64_t i = 100; i < 300; ++i) options.calibration.push_back(images.sample(i));
  options.parameters = deep_insecure_literal(depth, log_n);
  options.max_degree = 15;
  net.model = graph::compile(net.graph, options);
  for (graph::Tensor& tensor : images.sample(0)) net.input.push_back(std::move(tensor.data));
  return net;
}

/// Rounds of the whole library; one by default, more with $TACIT_FAULT_ROUNDS.
int rounds() {
  const char* text = std::getenv("TACIT_FAULT_ROUNDS");
  return text ? std::max(1, std::atoi(text)) : 1;
}

void expect_faults_found(const TestNetwork& net) {
  const Bench bench(net.model.parameters);
  const Request request = parse_request("nn", -3);
  const Report clean = run_with_fault(net, bench, request, nullptr);
  for (const OperatorResult& result : clean.operators)
    EXPECT_FALSE(result.failed) << result.operators << ": " << result.worst_error << " > " << result.tolerance << " "
                                << name(result.cause);
  int planted = 0, found = 0, named = 0, explained = 0;
  for (int round = 0; round < rounds(); ++round) {
    FaultLibrary library(net, static_cast<unsigned>(round) + 1);
    for (const FaultLibrary::Draw draw : FaultLibrary::all()) {
      const std::optional<Fault> fault = (library.*draw)();
      if (!fault) continue;
      const Report report = run_with_fault(net, bench, request, &*fault);
      const OperatorResult* first = report.first_failure();
      ++planted;
      found += first ? 1 : 0;
      named += first && first->node == fault->node ? 1 : 0;
      explained += first && first->cause == fault->expected ? 1 : 0;
      if (!first || first->node != fault->node || first->cause != fault->expected)
        std::cout << fault->name << " at " << fault->node << ": "
                  << (first ? failure_text(*first) + ", " + check::name(first->cause) : std::string("not found")) << "\n";
    }
  }
  std::cout << "planted " << planted << " found " << found << " named " << named << " explained " << explained << "\n";
  EXPECT_GE(planted, 7);
  EXPECT_EQ(found, planted);
  EXPECT_EQ(named, planted);
  EXPECT_GE(explained, 0.9 * planted);
}

TEST(RealFaults, AreFoundInTheMlp) {
  const auto net = mnist_network("mlp_mnist_heir", 16, 11);
  if (!net) GTEST_SKIP() << "TACIT_DATA is not set";
  expect_faults_found(*net);
}

}  // namespace
}  // namespace tacit::check
