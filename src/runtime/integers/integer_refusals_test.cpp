#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "layout/operators/matrix.h"
#include "program/integers/program.h"
#include "program/integers/small_program_for_test.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/integer_files.h"

namespace tacit::runtime {
namespace {

using scheme::tfhe::Context;
using scheme::tfhe::FreshLweCiphertexts;
using scheme::tfhe::LweCiphertexts;

/// Of x in [0, 3]^3: x0 + 2 x1 - x2 + 4, in [1, 13]. Sums need no large keys.
integers::Program sum_program() {
  constexpr int kStep = 59;
  integers::Program program{"sum", 4, {}};
  program.instructions.push_back({integers::Input{"x"}, {1, 3}, kStep, 0, 3, true, "x", "input 'x'"});
  integers::Linear sum;
  sum.terms.push_back(
      {0, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 3}, 1, std::vector<double>{1, 2, -1}))});
  sum.bias = {4};
  program.instructions.push_back({std::move(sum), {1, 1}, kStep, 1, 13, true, "sum", ""});
  program.instructions.push_back({integers::Output{1, "y"}, {1, 1}, kStep, 1, 13, true, "y", ""});
  return program;
}

/// The owner of the data and the server, with keys for sums alone.
struct SumParties {
  integers::Program program = sum_program();
  scheme::tfhe::ContextPtr context = Context::make(params::TfheParameters::check(params::sums_literal(-64)));
  scheme::tfhe::SecretKey secret = scheme::tfhe::SecretKey::generate(*context);
  IntegerClient client{interface(), context, secret};

  static integers::ClientInterface interface() {
    integers::ClientInterface interface;
    interface.inputs.push_back({"x", {1, 3}, 59, {layout::RepeatedReals(1), layout::RepeatedReals(0), 0, 3}, false});
    interface.outputs.push_back({"y", {1, 1}, 59, {layout::RepeatedReals(1), layout::RepeatedReals(0), 1, 13}});
    return interface;
  }
  std::vector<FreshLweCiphertexts> sent(const std::vector<double>& x) const { return client.encrypt(std::span(&x, 1)); }
  std::vector<LweCiphertexts> inputs(const std::vector<double>& x) const {
    return expand_inputs(*context, program, sent(x));
  }
  IntegerExecutor executor(const integers::Program& of) const {
    return {std::make_shared<const PreparedIntegers>(context, of),
            std::make_shared<const scheme::tfhe::Evaluator>(
                context, scheme::tfhe::SeededEvaluationKeys::generate(*context, secret))};
  }
};

TEST(IntegerSums, AreDecryptedAsIntegers) {
  const SumParties p;
  const IntegerExecutor executor = p.executor(p.program);
  EXPECT_EQ(p.client.decrypt(executor.run(p.inputs({3, 2, 1})).outputs)[0], std::vector<double>{3 + 4 - 1 + 4});
  EXPECT_EQ(p.client.decrypt(executor.run(p.inputs({0, 0, 3})).outputs)[0], std::vector<double>{-3 + 4});
  EXPECT_EQ(p.client.decrypt(executor.run(p.inputs({3, 3, 0})).outputs)[0], std::vector<double>{3 + 6 + 4});
}

TEST(IntegerMemory, OfSumsIsTheirCiphertextsAndOfTablesTheirExtension) {
  const auto sums = params::TfheParameters::check(params::sums_literal(-64));
  // Three ciphertexts and their sum; three weights, each with its index.
  EXPECT_EQ(value_bytes(sum_program(), sums), 4 * sums.ciphertext_bytes());
  EXPECT_EQ(weight_bytes(sum_program()), 3 * 8.0);
  EXPECT_EQ(table_bytes(sum_program(), sums), 0.0);
  // 2^3 polynomials of 2^11 words.
  const auto extended = params::TfheParameters::check(params::named_tfhe_literal("T7-40"));
  ASSERT_EQ(extended.literal().log_extension, 3);
  EXPECT_EQ(table_bytes(integers::small_program(), extended), 8 * 2048 * 8.0);
}

TEST(IntegerMemory, OfNothingIsThatOfKeysAlone) {
  const auto parameters = params::TfheParameters::check(params::named_tfhe_literal("T4"));
  const integers::Program nothing{"nothing", 4, {}};
  EXPECT_EQ(value_bytes(nothing, parameters), 0.0);
  EXPECT_EQ(weight_bytes(nothing), 0.0);
  EXPECT_EQ(table_bytes(nothing, parameters), 0.0);
  EXPECT_EQ(memory_need(nothing, parameters), key_bytes(parameters));
}

TEST(IntegerRefusals, NameTheTensorsThatAreNotThoseOfTheInterface) {
  const SumParties p;
  const std::vector<double> x{1, 2, 3};
  const std::vector<std::vector<double>> two{x, x};
  EXPECT_EQ(base::refusal([&] { p.client.encrypt({}); }), "0 tensors were given for 1 inputs");
  EXPECT_EQ(base::refusal([&] { p.client.encrypt(two); }), "2 tensors were given for 1 inputs");
  const std::vector<LweCiphertexts> three = p.inputs(x);
  const std::vector<LweCiphertexts> pair{three[0], three[0]};
  EXPECT_EQ(base::refusal([&] { p.client.decrypt({}); }), "0 results were given for 1 outputs");
  EXPECT_EQ(base::refusal([&] { p.client.decrypt(pair); }), "2 results were given for 1 outputs");
  EXPECT_EQ(base::refusal([&] { p.client.decrypt(three); }), "output 'y' has 3 ciphertexts; expected 1");
}

TEST(IntegerRefusals, NameTheInputThatDoesNotFitTheProgram) {
  const SumParties p;
  const IntegerExecutor executor = p.executor(p.program);
  const LweCiphertexts whole = p.inputs({1, 2, 3})[0];
  EXPECT_EQ(base::refusal([&] { executor.run({}); }), "input 'x' has 0 ciphertexts; expected 3");
  const std::vector<LweCiphertexts> two{LweCiphertexts(params::LweDimension(whole.dimension()), 2, whole.parameters())};
  EXPECT_EQ(base::refusal([&] { executor.run(two); }), "input 'x' has 2 ciphertexts; expected 3");
  const std::vector<LweCiphertexts> twice{whole, whole};
  EXPECT_EQ(base::refusal([&] { executor.run(twice); }), "2 encrypted tensors for a program with 1 inputs");
}

TEST(IntegerRefusals, ValidationsNeedAnObserver) {
  const SumParties p;
  integers::Program program = p.program;
  program::Validate validate{.value = 1, .length = 1, .arguments = {0}};
  program.instructions.insert(program.instructions.begin() + 2, {validate, {1, 1}, 59, 1, 13, true, "validation", ""});
  const IntegerExecutor executor = p.executor(program);
  EXPECT_EQ(base::refusal([&] {
              executor.run(p.inputs({1, 2, 3}));
            }),
            "the program contains validations, which need the secret key");
  struct Seen final : IntegerObserver {
    void value(integers::ValueId id, const LweCiphertexts& ciphertexts) override {
      counts.emplace_back(id, ciphertexts.count());
    }
    std::vector<std::pair<integers::ValueId, std::size_t>> counts;
  } seen;
  const IntegerRunResult result = executor.run(p.inputs({1, 2, 3}), &seen);
  EXPECT_EQ(p.client.decrypt(result.outputs)[0], std::vector<double>{1 + 4 - 3 + 4});
  EXPECT_EQ(result.seconds.size(), 4u);
  EXPECT_THAT(seen.counts,
              testing::ElementsAre(testing::Pair(0, 3), testing::Pair(1, 1), testing::Pair(2, 0), testing::Pair(3, 1)));
}

TEST(IntegerResults, AreReadBackFromTheirFile) {
  const SumParties p;
  const base::TemporaryFolder folder;
  const std::vector<FreshLweCiphertexts> question = p.sent({3, 2, 1});
  const std::vector<LweCiphertexts> tensors =
      p.executor(p.program).run(expand_inputs(*p.context, p.program, question)).outputs;
  const Binding binding{{}, p.context->parameters().hash(), {}};
  SampleWriter writer(folder.path() / "y", ArtefactScheme::tfhe, {CiphertextRole::results, binding, {"y"}, {}});
  writer.add(pieces_of(*p.context, std::span<const LweCiphertexts>(tensors)), digest_of(*p.context, question));
  writer.finish();
  const SampleReader reader = open_samples(folder.path() / "y", *p.context, CiphertextRole::results);
  ASSERT_EQ(reader.questions().size(), 1u);
  EXPECT_EQ(reader.questions()[0], digest_of(pieces_of(*p.context, std::span<const FreshLweCiphertexts>(question))));
  EXPECT_EQ(p.client.decrypt(read_results(reader, 0, *p.context))[0], std::vector<double>{3 + 4 - 1 + 4});
}

}  // namespace
}  // namespace tacit::runtime
