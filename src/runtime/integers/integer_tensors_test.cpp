#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "layout/operators/matrix.h"
#include "program/integers/program.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_executor.h"
#include "runtime/integers/integer_files.h"

namespace tacit::runtime {
namespace {

using scheme::tfhe::Context;
using scheme::tfhe::FreshLweCiphertexts;
using scheme::tfhe::LweCiphertexts;
using testing::ElementsAre;

constexpr int kStep = 59;

/// Of x in [0, 3]^2 and y in [0, 3]: s = x0 + 2 x1 - y + 4, in [1, 13], and y itself.
integers::Program two_tensors() {
  const auto row = [](const std::vector<double>& weights) {
    const auto columns = static_cast<layout::Index>(weights.size());
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, 1, weights));
  };
  integers::Program program{"two tensors", 4, {}};
  program.instructions.push_back({integers::Input{"x"}, {1, 2}, kStep, 0, 3, true, "x", "input 'x'"});
  program.instructions.push_back({integers::Input{"y"}, {1, 1}, kStep, 0, 3, true, "y", "input 'y'"});
  integers::Linear sum;
  sum.terms = {{0, row({1, 2})}, {1, row({-1})}};
  sum.bias = {4};
  program.instructions.push_back({std::move(sum), {1, 1}, kStep, 1, 13, true, "sum", ""});
  program.instructions.push_back({integers::Output{2, "s"}, {1, 1}, kStep, 1, 13, true, "s", ""});
  program.instructions.push_back({integers::Output{1, "y"}, {1, 1}, kStep, 0, 3, true, "y", ""});
  return program;
}

/// Client and server of it. Sums need no large keys.
class TwoTensors : public testing::Test {
 protected:
  static integers::ClientInterface interface() {
    const auto whole = [](std::int64_t lowest, std::int64_t highest) {
      return integers::Quantiser{layout::RepeatedReals(1), layout::RepeatedReals(0), lowest, highest};
    };
    integers::ClientInterface interface;
    interface.inputs = {{"x", {1, 2}, kStep, whole(0, 3), false}, {"y", {1, 1}, kStep, whole(0, 3), false}};
    interface.outputs = {{"s", {1, 1}, kStep, whole(1, 13)}, {"y", {1, 1}, kStep, whole(0, 3)}};
    return interface;
  }
  std::vector<FreshLweCiphertexts> sent(const std::vector<double>& x, const std::vector<double>& y) const {
    return client_.encrypt(std::vector<std::vector<double>>{x, y});
  }
  /// What comes back.
  std::vector<std::vector<double>> answer(std::span<const FreshLweCiphertexts> question) const {
    return client_.decrypt(executor_.run(expand_inputs(*context_, program_, question)).outputs);
  }

  integers::Program program_ = two_tensors();
  scheme::tfhe::ContextPtr context_ = Context::make(params::TfheParameters::check(params::sums_literal(-64)));
  scheme::tfhe::SecretKey secret_ = scheme::tfhe::SecretKey::generate(*context_);
  IntegerClient client_{interface(), context_, secret_};
  std::shared_ptr<const scheme::tfhe::Evaluator> evaluator_ = std::make_shared<const scheme::tfhe::Evaluator>(
      context_, scheme::tfhe::SeededEvaluationKeys::generate(*context_, secret_));
  IntegerExecutor executor_{std::make_shared<const PreparedIntegers>(context_, program_), evaluator_};
};

TEST_F(TwoTensors, AreTakenAndGivenInTheirOrder) {
  EXPECT_THAT(answer(sent({3, 1}, {2})), ElementsAre(ElementsAre(3 + 2 - 2 + 4), ElementsAre(2)));
  EXPECT_THAT(answer(sent({0, 0}, {3})), ElementsAre(ElementsAre(-3 + 4), ElementsAre(3)));
}

TEST_F(TwoTensors, AreRefusedByTheNameOfTheOneThatIsMissing) {
  const std::vector<FreshLweCiphertexts> both = sent({3, 1}, {2});
  const std::vector<FreshLweCiphertexts> first{both[0]}, swapped{both[1], both[0]}, three{both[0], both[1], both[1]};
  const auto objection = [&](std::span<const FreshLweCiphertexts> tensors) {
    return base::refusal([&] { expand_inputs(*context_, program_, tensors); });
  };
  EXPECT_EQ(objection(both), base::kNotRefused);
  EXPECT_EQ(objection(first), "tensor 'y' has 0 ciphertexts; expected 1");
  EXPECT_EQ(objection(swapped), "tensor 'x' has 1 ciphertexts; expected 2");
  EXPECT_EQ(objection(three), "3 encrypted tensors for a program with 2 inputs");
  std::vector<LweCiphertexts> expanded = expand_inputs(*context_, program_, both);
  expanded.pop_back();
  EXPECT_EQ(base::refusal([&] { executor_.run(expanded); }), "input 'y' has 0 ciphertexts; expected 1");
}

/// Keeps the words of the first ciphertext of one value.
struct Words final : IntegerObserver {
  void value(integers::ValueId id, const LweCiphertexts& ciphertexts) override {
    if (id == 2) words.assign(ciphertexts[0].begin(), ciphertexts[0].end());
  }
  std::vector<scheme::tfhe::Torus> words;
};

// Word for word: a sum adds nothing of its own.
TEST_F(TwoTensors, TakenOnceMakeTheSameCiphertextWithTheBiasInItsBody) {
  const std::vector<LweCiphertexts> inputs = expand_inputs(*context_, program_, sent({3, 1}, {2}));
  for (const std::int64_t bias : {0, 5}) {
    integers::Program program = program_;
    integers::Linear sum;
    sum.terms = {
        {0, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 2}, 1, std::vector<double>{0, 1}))}};
    if (bias != 0) sum.bias = {bias};
    program.instructions[2].operation = std::move(sum);
    program.instructions[2].lowest = program.instructions[3].lowest = 0;
    Words seen;
    IntegerExecutor(std::make_shared<const PreparedIntegers>(context_, program), evaluator_).run(inputs, &seen);
    std::vector<scheme::tfhe::Torus> expected(inputs[0][1].begin(), inputs[0][1].end());
    expected.back() += static_cast<scheme::tfhe::Torus>(bias) << kStep;
    EXPECT_EQ(seen.words, expected) << bias;
  }
}

TEST_F(TwoTensors, AreASampleOfAFile) {
  const base::TemporaryFolder folder;
  const std::vector<FreshLweCiphertexts> first = sent({3, 1}, {2}), second = sent({0, 0}, {3});
  SampleWriter writer(
      folder.path() / "x", ArtefactScheme::tfhe,
      {CiphertextRole::inputs, Binding{{}, context_->parameters().hash(), {}}, {"x", "y"}, BatchedInputs{2, 1}});
  for (const auto& sample : {first, second})
    writer.add(pieces_of(*context_, std::span<const FreshLweCiphertexts>(sample)));
  writer.finish();
  const SampleReader reader = open_samples(folder.path() / "x", *context_, CiphertextRole::inputs);
  EXPECT_THAT(reader.digests(), ElementsAre(digest_of(*context_, first), digest_of(*context_, second)));
  EXPECT_THAT(answer(read_inputs(reader, 0, *context_)), ElementsAre(ElementsAre(7), ElementsAre(2)));
  EXPECT_THAT(answer(read_inputs(reader, 1, *context_)), ElementsAre(ElementsAre(1), ElementsAre(3)));
}

}  // namespace
}  // namespace tacit::runtime
