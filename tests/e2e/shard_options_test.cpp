#include <gtest/gtest.h>
#include <tacit/model.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "tests/command/run_command.h"
#include "tests/command/workspace.h"

// What the C++ interface takes for meshes is what the command takes.
namespace tacit::test {
namespace {

using base::expect_refusal;

const std::string kNetwork = TACIT_SOURCE_DIR "/examples/fashion/model.onnx";
const std::string kConvolution = "node_Conv_43", kMatrix = "node_Gemm_49";

CompiledModel compiled(const std::vector<std::string>& shard, Scheme scheme = Scheme::ckks) {
  return compile(kNetwork, {.input_range = std::pair{-1.0, 2.1}, .scheme = scheme, .shard = shard});
}

TEST(ShardOptions, OfTheInterfaceCompileWhatThoseOfTheCommandDo) {
  const Workspace workspace;
  const std::string map = R"({")" + kConvolution + R"(": "x:4,z:2", ")" + kMatrix + R"(": "y:8"})";
  const std::string file = workspace.bytes("map.json", map);
  const CommandResult result = run_command({"compile", kNetwork, "-o", workspace("halves"), "--input-range=-1,2.1",
                                            "--shard", kConvolution + "=x:4,z:2", "--shard", kMatrix + "=y:8"});
  ASSERT_EQ(result.status, 0) << result.err;
  const ClientModel of_the_command = ClientModel::load(workspace("halves/client.tacit"));
  const CompiledModel whole = compiled({});
  EXPECT_EQ(of_the_command.plan().input_ciphertexts, 2);
  EXPECT_EQ(whole.client.plan().input_ciphertexts, 1);
  EXPECT_NE(whole.client.id(), of_the_command.id());
  EXPECT_EQ(compiled({kConvolution + "=x:4,z:2", kMatrix + "=y:8"}).client.id(), of_the_command.id());
  EXPECT_EQ(compiled({file}).client.id(), of_the_command.id());
  EXPECT_EQ(compiled({map}).client.id(), of_the_command.id());
}

TEST(ShardOptions, OfTheInterfaceAreRefusedAsThoseOfTheCommandAre) {
  const auto refused = [](const std::string& shard, const std::string& words) {
    expect_refusal<InputError>([&] { compiled({shard}); }, words);
    const CommandResult result = run_command({"plan", kNetwork, "--input-range=-1,2.1", "--shard", shard});
    EXPECT_EQ(result.status, 2) << shard;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
  };
  refused("node_Conv_44=x:4",
          "there is no node 'node_Conv_44' to shard; nodes and inputs of similar names: 'node_Conv_4");
  refused(kConvolution + "=x:4,q:2", "node 'node_Conv_43': no factor of Conv can be split along axis 'q'");
  refused(kMatrix + "=x:2,y:2@n", "axes 'x' and 'y' both split 'n'");
  refused(kConvolution + "=mesh=[x=2, y=2] inputs={0: {-1, x*y, -1, -1}} outputs={}", "dimension 1 is split twice");
  refused(kConvolution + "=mesh=[x=2] inputs={0: {-1, b, -1, -1}} outputs={}", "has no axis 'b'");
  refused(kConvolution + "=x:90", "axis 'x' has extent 90");
  refused(kConvolution, "expected NODE=AXIS:BLOCKS");
  refused(R"({"node_Conv_43": 5})", "shardings: node 'node_Conv_43' has no text like");
  expect_refusal<InputError>([] { compiled({kConvolution + "=x:2"}, Scheme::tfhe); },
                             "--shard belongs to --scheme ckks");
  expect_refusal<InputError>([] { compiled({kConvolution + "=x:2"}, Scheme::automatic); },
                             "--shard lays out ciphertexts of slots");
}

}  // namespace
}  // namespace tacit::test
