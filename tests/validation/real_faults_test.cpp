#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>

#include "check/slots/faults_for_test.h"
#include "check/slots/faulty_run_for_test.h"
#include "graph/onnx/import.h"
#include "session/owner/dataset.h"
#include "tests/command/workspace.h"

namespace tacit::check {
namespace {

using runtime::Bench;

constexpr std::int64_t kFirstCalibrating = 200, kCalibrating = 200;

struct MnistModel {
  std::string name;
  int pad = 0;  ///< zeros around an image
};

/// A network for MNIST with zero mean and unit deviation, and some images. Without a parameter set the compiler chooses
/// one.
struct MnistNetwork {
  TestNetwork net;
  std::vector<std::vector<std::vector<double>>> images;
};

std::optional<MnistNetwork> mnist_network(const MnistModel& model, const std::optional<params::CkksLiteral>& literal,
                                          int max_degree, int images) {
  const auto folder = test::external_data();
  if (!folder) return std::nullopt;
  MnistNetwork result;
  TestNetwork& net = result.net;
  net.graph = graph::onnx::import_model(*folder / "models/mnist" / (model.name + ".onnx"));
  session::Preprocessing preprocessing;
  preprocessing.scale = 255;
  preprocessing.mean = {0.1307};
  preprocessing.std = {0.3081};
  preprocessing.pad = model.pad;
  const session::Dataset data({*folder / "mnist/images_public.npy"}, net.graph, preprocessing);
  graph::CompileOptions options;
  for (std::int64_t i = 0; i < kCalibrating; ++i) options.calibration.push_back(data.sample(kFirstCalibrating + i));
  options.parameters = literal;
  options.max_degree = max_degree;
  net.model = graph::compile(net.graph, options);
  for (int i = 0; i < images; ++i) {
    auto& inputs = result.images.emplace_back();
    for (graph::Tensor& tensor : data.sample(i)) inputs.push_back(std::move(tensor.data));
  }
  net.input = result.images.at(0);
  return result;
}

/// A number from the environment, for longer runs by hand.
int asked(const char* name, int usual) {
  const char* text = std::getenv(name);
  return text ? std::atoi(text) : usual;
}

/// What is planted: rounds of the library, each in another order, of at most so many faults, and runs without any.
struct Plan {
  std::vector<FaultLibrary::Draw> library = FaultLibrary::all();
  int rounds = asked("TACIT_FAULT_ROUNDS", 1);
  int faults = 1000;
  int clean_runs = asked("TACIT_CLEAN_RUNS", 1);
};

void expect_faults_found(TestNetwork net, const std::vector<std::vector<std::vector<double>>>& inputs, double epsilon,
                         const Plan& plan) {
  const Bench bench(net.model.parameters);
  const Request request = parse_request("nn", epsilon);
  const auto keys = bench.keys(net.model.program);
  int alarms = 0;
  for (int run = 0; run < plan.clean_runs; ++run) {
    net.input = inputs[static_cast<std::size_t>(run) % inputs.size()];
    for (const OperatorResult& result : run_with_fault(net, bench, request, nullptr, {}, keys).report.operators) {
      EXPECT_FALSE(result.failed) << result.operators << ": " << result.worst_error << " > " << result.tolerance << " "
                                  << name(result.cause);
      alarms += result.failed ? 1 : 0;
    }
  }
  Tally tally;
  for (int round = 0; round < plan.rounds; ++round) {
    net.input = inputs[static_cast<std::size_t>(round) % inputs.size()];
    FaultLibrary library(net, static_cast<unsigned>(round) + 1, std::pow(10.0, epsilon));
    std::vector<FaultLibrary::Draw> draws = plan.library;
    std::shuffle(draws.begin(), draws.end(), std::mt19937(static_cast<unsigned>(round) + 1));
    for (const FaultLibrary::Draw draw : draws) {
      if (tally.planted >= asked("TACIT_FAULTS", plan.faults)) break;
      if (const std::optional<Fault> fault = (library.*draw)())
        tally.add(*fault, run_with_fault(net, bench, request, &*fault, {}, keys));
    }
  }
  std::cout << plan.clean_runs << " clean runs, " << alarms << " alarms; planted " << tally.planted << " found "
            << tally.found << " named " << tally.named << " explained " << tally.explained << "\n"
            << tally.misses;
  EXPECT_EQ(tally.found, tally.planted);
  EXPECT_EQ(tally.named, tally.planted);
  EXPECT_GE(tally.explained, 0.9 * tally.planted);
}

void expect_faults_found(const MnistModel& model, const std::optional<params::CkksLiteral>& literal, int max_degree,
                         double epsilon, const Plan& plan) {
  const auto mnist = mnist_network(model, literal, max_degree, std::max(plan.rounds, plan.clean_runs));
  if (!mnist) GTEST_SKIP() << "TACIT_DATA is not set";
  expect_faults_found(mnist->net, mnist->images, epsilon, plan);
}

const MnistModel kMlp{"mlp_mnist_heir"}, kLeNet5{"lenet5_mnist_heir", 2};

TEST(RealFaults, AreFoundInTheMlp) { expect_faults_found(kMlp, deep_insecure_literal(16, 11), 15, -3, {}); }
TEST(RealFaults, AreFoundInLeNet5) {
  expect_faults_found(kLeNet5, deep_insecure_literal(17, 13), 7, -3, {.faults = 3});
}

/// The parameters that are chosen for use: by hand, for LeNet-5 alone takes 9 GiB.
class SecureFaults : public ::testing::Test {
 protected:
  void SetUp() override {
    if (asked("TACIT_SECURE_SIZE", 0) == 0) GTEST_SKIP() << "TACIT_SECURE_SIZE is not set";
  }
};

TEST_F(SecureFaults, AreFoundInTheMlp) {
  expect_faults_found(
      kMlp, {}, 59, -2,
      {.library = {&FaultLibrary::bias_dropped, &FaultLibrary::wrong_scale_constant, &FaultLibrary::range_exceeded}});
}
TEST_F(SecureFaults, AreFoundInLeNet5) {
  expect_faults_found(kLeNet5, {}, 59, -1,
                      {.library = {&FaultLibrary::weight_of_one_diagonal, &FaultLibrary::maximum_as_average,
                                   &FaultLibrary::flipped_limb_bit}});
}
TEST_F(SecureFaults, AreFoundWhereBootstrapsAre) {
  const TestNetwork net = bootstrapped_perceptron(4, params::named_literal("S8"));
  expect_faults_found(net, {net.input}, -3,
                      {.library = {&FaultLibrary::bootstrap_out_of_range, &FaultLibrary::missing_rescale,
                                   &FaultLibrary::flipped_limb_bit}});
}

}  // namespace
}  // namespace tacit::check
