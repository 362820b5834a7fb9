#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

#include "compiled_case.h"
#include "data_folder.h"
#include "program/slots/key_manifest.h"
#include "runtime/slots/client.h"
#include "runtime/slots/executor.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/keys.h"

namespace tacit::conformance {
namespace {

/// A ring too small to be secure, so that every case runs in moments; deep enough for all of them.
params::CkksLiteral insecure_literal() {
  return {"insecure-test",          11, {50, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40},
          {50, 50, 50, 50, 50, 50}, 40, true};
}

/// Every party of a case in one place; keys differ from case to case.
double run_encrypted(const CompiledCase& compiled, const NodeCase& node_case, const scheme::ckks::ContextPtr& context) {
  const scheme::ckks::KeyGenerator generator(context);
  const auto secret = std::make_shared<scheme::ckks::SecretKey>(generator.secret_key());
  const auto keys = std::make_shared<scheme::ckks::EvaluationKeys>(
      generator.evaluation_keys(*secret, slots::key_manifest(compiled.model.program)));
  const auto client_model = std::make_shared<runtime::ClientModel>();
  client_model->literal = compiled.model.parameters;
  client_model->interface = compiled.model.client;
  const runtime::Client client(client_model, context, secret);
  const runtime::Executor executor(std::make_shared<const runtime::PreparedProgram>(context, compiled.model.program),
                                   keys);
  const runtime::RunResult result = executor.run(client.encrypt({&compiled.inputs, 1}));
  std::vector<std::vector<double>> decrypted;
  for (runtime::DecryptedOutput& output : client.decrypt(result.outputs)) decrypted.push_back(std::move(output.values));
  return worst_error(compiled, node_case, decrypted);
}

/// Cases whose inputs lie where the last noise decides: the client runs the operator on decrypted numbers, and 2 comes
/// back as 1.9999999. No operator of these has an encrypted form.
constexpr std::string_view kOnEdges[] = {
    "onnx_node/node/test_pow",                         // negative bases, encrypted exponents that were whole
    "onnx_node/node/test_pow_types_float",             // integers from encrypted exponents, rounded down
    "onnx_node/node/test_pow_types_int32_float32",     // likewise
    "onnx_node/node/test_pow_types_int64_float32",     // likewise
    "onnx_node/node/test_thresholdedrelu_example",     // an input at the threshold
    "onnx_node_18/node/test_thresholdedrelu_example",  // likewise
    "onnx_node_18/node/test_l2normalization_axis_0",   // the direction of a vector of zeros
};

bool on_edge(const NodeCase& node_case) { return std::ranges::find(kOnEdges, node_case.name) != std::end(kOnEdges); }

void expect_conformance(const Suite& suite, std::size_t expected_matches) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set: " << suite.cases << " ONNX node cases are not run encrypted";
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(insecure_literal()));
  std::size_t matched = 0, refused = 0, on_edges = 0;
  for (const NodeCase& node_case : read_cases(*data, suite)) {
    SCOPED_TRACE(node_case.name);
    const MostEncrypted most = compile_most_encrypted(node_case, insecure_literal());
    if (!most.compiled) {
      ++refused;
      continue;
    }
    if (on_edge(node_case)) {
      EXPECT_TRUE(most.compiled->model.encrypted.nodes.empty()) << "not the client computes it";
      ++on_edges;
      continue;
    }
    EXPECT_LE(run_encrypted(*most.compiled, node_case, context), tolerance(node_case));
    ++matched;
  }
  EXPECT_EQ(matched, expected_matches);
  EXPECT_EQ(matched + refused + on_edges, suite.cases);
}

TEST(EncryptedConformance, EveryCaseUpToOpset17ThatCompilesMatchesOnCiphertexts) {
  expect_conformance(kSuites[0], 195);
}
TEST(EncryptedConformance, EveryCaseOfOpsets18To28ThatCompilesMatchesOnCiphertexts) {
  expect_conformance(kSuites[1], 170);
}

}  // namespace
}  // namespace tacit::conformance
