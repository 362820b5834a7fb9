#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

// Real networks in so few slots that their tensors take many ciphertexts, with meshes that the user gives.
namespace tacit::test {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using Arguments = std::vector<std::string>;

// Test-only sets: six levels in 256 slots, and the primes of S11, which bootstraps, in 4,096.
const char* const kFewSlots =
    R"({"name": "few slots", "log_n": 9, "q_bits": [50,40,40,40,40,40,40], "p_bits": [50,50,50], "log_scale": 40,
        "insecure": true})";
const char* const kFewSlotsThatBootstrap =
    R"({"name":"few slots, bootstraps","log_n":13,"q_bits":[50,40,40,40,40,40,40,40,40,40,40,40,40,40,40,50,50,
        50,50,50,50,29,29,50,47,47,47,47],"p_bits":[47,47,47,47,47,47,47,47,47],"log_scale":40,"insecure":true,
        "digits":[10,9,9],"bootstrap":{"slots_to_coefficients":3,"sine":[1,2,1,1,1,1,1,1],
        "coefficients_to_slots":4,"ephemeral_weight":32}})";

/// What `tacit run --json` answers for the first image of a set, as numbers of the first output.
std::vector<double> answers(const Workspace& workspace, const std::string& model, const std::string& set,
                            const std::string& parameters, const Arguments& more) {
  const std::filesystem::path folder = *external_data();
  const std::string images = (folder / set / "images_public.npy").string(), out = workspace("answers.json");
  Arguments arguments{"run",
                      (folder / "models" / model).string(),
                      "--input",
                      images,
                      "--count",
                      "1",
                      "--calibrate",
                      images,
                      "--calibrate-first",
                      "400",
                      "--calibrate-count",
                      "20",
                      "--parameters",
                      workspace.bytes("set.json", parameters),
                      "--output-format",
                      "json",
                      "-o",
                      out};
  arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  std::ifstream file(out);
  const json read = json::parse(file, nullptr, false);
  std::vector<double> numbers;
  const std::function<void(const json&)> collect = [&](const json& part) {
    if (part.is_number()) numbers.push_back(part.get<double>());
    if (part.is_structured())
      for (const json& inner : part) collect(inner);
  };
  collect(read);
  return numbers;
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double largest = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

// The scores of a digit reach 1e3.
TEST(Sharding, OfAnMnistNetworkChangesNoAnswer) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  const Workspace workspace;
  const auto scores = [&](const Arguments& more) {
    Arguments all{"--scale", "256"};
    all.insert(all.end(), more.begin(), more.end());
    return answers(workspace, "mnist/cryptonets_mnist.onnx", "mnist", kFewSlots, all);
  };
  const std::vector<double> free = scores({"--simulate"});
  ASSERT_GE(free.size(), 10u);
  const Arguments shard{"--shard", "conv=x:5,z:4", "--shard", "fc1=y:5"};
  EXPECT_LT(largest_difference(scores({"--simulate", shard[0], shard[1], shard[2], shard[3]}), free), 1e-3);
  EXPECT_LT(largest_difference(scores(shard), free), 1e-3);  // on ciphertexts
}

// 20 layers, 19 of them with bootstraps: the blocks of an annotated layer are offered to all that its rule reaches.
TEST(Sharding, OfACifarNetworkChangesNoAnswer) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  const Workspace workspace;
  const auto scores = [&](const Arguments& more) {
    Arguments all{"--scale", "255", "--simulate"};
    all.insert(all.end(), more.begin(), more.end());
    return answers(workspace, "cifar10/resnet20_cifar10_pre.onnx", "cifar10", kFewSlotsThatBootstrap, all);
  };
  const std::vector<double> free = scores({});
  ASSERT_GE(free.size(), 10u);
  const Arguments shard{"--shard", "/conv1/Conv=x:16,y:3",
                        "--shard", "/layer2/layer2.0/conv1/Conv=y:8,x:16",
                        "--shard", "/layer3/layer3.0/conv1/Conv=x:4,y:2"};
  EXPECT_LT(largest_difference(scores(shard), free), 1e-2);
}

TEST(Sharding, OfAFileIsReadAndWhatDoesNotFitIsRefused) {
  if (!external_data()) GTEST_SKIP() << "TACIT_DATA is unset";
  const Workspace workspace;
  const std::string model = (*external_data() / "models/mnist/cryptonets_mnist.onnx").string();
  const auto plan = [&](const Arguments& more) {
    Arguments arguments{"plan", model, "--input-range", "0,1", "--parameters", workspace.bytes("set.json", kFewSlots)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_command(arguments);
  };
  const std::string lines = plan({"--shard", "conv=x:5,z:4", "--explain", "sharding"}).out;
  EXPECT_THAT(lines, HasSubstr("conv: mesh=[x=5, z=4] inputs={0: {-1, -1, z, -1}, 1: {x, -1, -1, -1}, 2: {x}} "
                               "outputs={0: {-1, x, z, -1}}\n"));
  EXPECT_THAT(lines, HasSubstr("input: [1,1,28,28] -> [4][1,1,7,28] by {-1, -1, d2, -1}\n"));
  const std::string map = lines.substr(0, lines.find("\n\n"));
  for (const std::string& file :
       {workspace.bytes("map.txt", map), workspace.bytes("map.json", R"({"conv": "x:5,z:4"})")})
    EXPECT_THAT(plan({"--shard", file, "--explain", "sharding"}).out, HasSubstr(map)) << file;
  const auto refused = [&](const std::string& shard, const std::string& words) {
    const CommandResult result = plan({"--shard", shard});
    EXPECT_EQ(result.status, 2) << shard;
    EXPECT_THAT(result.err, HasSubstr(words));
  };
  refused("Conv=x:5", "there is no node 'Conv' to shard; nodes and inputs of similar names: 'conv'");
  refused("conv=x:5",
          "blocks of [1,1,28,28] have 784 elements, and a ciphertext has 256 slots; split into more blocks");
  refused("fc1=x:2", "node 'conv' (Conv): array sharding mesh=[x=2] spec={-1, -1, -1, -1}: blocks of [1,5,13,13]");
  refused("conv=x:5,q:2", "no factor of Conv can be split along axis 'q'");
  refused("fc2=x:6", "10 elements, which fill 5 of 6 blocks of 2");
  refused(workspace.bytes("list.json", "[1]"), "it shards no node");
  refused(workspace.bytes("twice.json", R"({"conv": "x:5", "conv": "x:1"})"), "node 'conv' is sharded twice");
  refused(workspace.bytes("spaced.txt", "# a comment\r\nfc2: mesh =[x=2]\n"), "line 2 names a mesh");
  refused(workspace.bytes("type.txt", "input: [1,1,28,28] -> [4][1,1,7,28] by {-1, -1, z, -1}\n"),
          "line 1 is a type, which follows from meshes; shard the input by a line like");
  refused(workspace.bytes("number.json", R"({"conv": 5})"), "node 'conv' has no text like \"x:4,y:2\"");
}

std::string waves(const Workspace& workspace, std::int64_t count) {
  std::vector<double> pixels;
  for (std::int64_t image = 0; image < count; ++image)
    for (std::int64_t i = 0; i < 784; ++i)
      pixels.push_back(0.6 + 1.4 * std::sin(0.01 * static_cast<double>((image + 3) * (i % 28 + i / 28))));
  return workspace.array("waves.npy", {count, 1, 28, 28}, pixels);
}

struct Planned {
  std::string model;
  Arguments options, shard{};
};

std::string explained(const Planned& planned, const char* pass, const Arguments& shard) {
  Arguments arguments{"plan", planned.model, "--explain", pass};
  for (const Arguments& more : {planned.options, shard}) arguments.insert(arguments.end(), more.begin(), more.end());
  const CommandResult result = run_command(arguments);
  EXPECT_EQ(result.status, 0) << result.err;
  return result.out;
}

// Without annotations, with one and with maxima: what is printed gives the same program again, and one line of it that
// is taken in gives its node the mesh that it states.
TEST(Sharding, OfPrintedMapsGivesTheSamePlan) {
  const Workspace workspace;
  const std::string examples = TACIT_SOURCE_DIR "/examples/", samples = waves(workspace, 60);
  std::vector<Planned> plans{
      {examples + "fashion/model.onnx", {"--input-range=-1,2.1"}},
      {examples + "fashion/model.onnx", {"--input-range=-1,2.1"}, {"--shard", "node_Conv_45=x:4,y:4"}},
  };
  if (const auto folder = external_data())
    plans.push_back(
        {(*folder / "models/mnist/mnist8_opt_wonnx.onnx").string(), {"--calibrate", samples, "--memory", "40GiB"}});
  for (const Planned& planned : plans) {
    SCOPED_TRACE(planned.model);
    const std::string sharding = explained(planned, "sharding", planned.shard);
    const Arguments printed{"--shard", workspace.bytes("map.txt", sharding)};
    EXPECT_EQ(explained(planned, "sharding", printed), sharding);
    EXPECT_EQ(explained(planned, "program", printed), explained(planned, "program", planned.shard));
    const std::size_t mesh = sharding.find(": mesh="), begin = sharding.rfind('\n', mesh) + 1;
    ASSERT_NE(mesh, std::string::npos) << sharding;
    std::string line = sharding.substr(begin, sharding.find('\n', mesh) + 1 - begin);
    if (line.starts_with("# ")) line = line.substr(2);
    EXPECT_THAT(explained(planned, "sharding", {"--shard", workspace.bytes("line.txt", line)}), HasSubstr("\n" + line));
  }
}

}  // namespace
}  // namespace tacit::test
