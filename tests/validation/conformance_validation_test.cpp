#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "check/slots/validation_run.h"
#include "program/slots/key_manifest.h"
#include "tests/conformance/compiled_case.h"
#include "tests/conformance/data_folder.h"

namespace tacit::conformance {
namespace {

params::CkksLiteral insecure_literal() {
  return {"insecure-test",          11, {50, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40},
          {50, 50, 50, 50, 50, 50}, 40, true};
}

/// Every ONNX operator that runs on ciphertexts, against its message function: the exact operator.
TEST(ValidationConformance, EveryNodeCaseThatIsComputedOnCiphertextsPasses) {
  const auto data = data_folder();
  if (!data) GTEST_SKIP() << "TACIT_DATA is not set";
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(insecure_literal()));
  const scheme::ckks::KeyGenerator generator(context);
  check::OwnerKeys keys{context, std::make_shared<const scheme::ckks::SecretKey>(generator.secret_key()), nullptr};
  int passed = 0, without_operators = 0;
  std::vector<NodeCase> cases;
  for (const Suite& suite : kSuites)
    for (NodeCase& node_case : read_cases(*data, suite)) cases.push_back(std::move(node_case));
  for (const NodeCase& node_case : cases) {
    SCOPED_TRACE(node_case.name);
    const std::optional<CompiledCase> compiled = compile_most_encrypted(node_case, insecure_literal()).compiled;
    if (!compiled) continue;
    const check::Request request = check::parse_request("nn", -4);
    try {
      check::validations(compiled->model, request);
    } catch (const base::InputError&) {
      ++without_operators;
      continue;
    }
    keys.evaluation = std::make_shared<const scheme::ckks::EvaluationKeys>(
        generator.evaluation_keys(*keys.secret, slots::key_manifest(compiled->model.program)));
    const check::Report report = check::run_validation(compiled->model, request, {}, keys, {{compiled->inputs}});
    for (const check::OperatorResult& result : report.operators)
      EXPECT_FALSE(result.failed) << result.operators << ": " << check::failure_text(result) << ", "
                                  << result.worst_error << " > " << result.tolerance << ", "
                                  << check::name(result.cause);
    ++passed;
  }
  EXPECT_EQ(passed, 311);
  EXPECT_EQ(without_operators, 61);  // Softmax, which the client computes, Identity and the like
}

}  // namespace
}  // namespace tacit::conformance
