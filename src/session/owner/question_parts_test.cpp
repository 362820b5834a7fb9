#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <memory>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/passes/sketch.h"
#include "graph/reference/run.h"
#include "session/evaluation.h"
#include "session/owner/client_half.h"
#include "session/owner/halves.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

using testing::HasSubstr;

constexpr std::size_t kRows = 3;

/// tanh(left A + right B) C, with inputs of 4 and 6 elements.
graph::Graph two_inputs() {
  graph::passes::DenseSketch s;
  const graph::TensorId left = s.input({1, 4}), right = s.input({1, 6});
  s.graph.tensors[left].name = "left";
  s.graph.tensors[right].name = "right";
  const graph::TensorId sum = s.node("Add", {s.dense(left, 5), s.dense(right, 5)}, {1, 5});
  s.output(s.dense(s.node("Tanh", {sum}, {1, 5}), 3));
  s.graph.name = "two";
  return s.graph;
}

std::vector<std::vector<graph::Tensor>> samples(std::size_t count, unsigned seed, double deviation) {
  const auto left = graph::passes::deep_samples(count, 4, seed, deviation);
  const auto right = graph::passes::deep_samples(count, 6, seed + 1, deviation);
  std::vector<std::vector<graph::Tensor>> both;
  for (std::size_t i = 0; i < count; ++i) both.push_back({left[i].front(), right[i].front()});
  return both;
}

/// A model of two inputs with a public key, and the parts of a question.
class QuestionOfTwo : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<base::TemporaryFolder>();
    graph::CompileOptions options;
    options.calibration = samples(40, 5, 1);
    options.parameters = small_insecure_literal();
    const Halves halves = halves_of(compile_graph("two", two_inputs(), options, base::Progress::silent()));
    runtime::save(halves.server, file("server"));
    runtime::save(halves.client, file("client"));
    make_keys("");
    encrypt("left", {"left"});
    encrypt("right", {"right"});
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static void make_keys(const std::string& name) {
    client()->generate_keys(
        {.secret = file(name + "secret"), .evaluation = file(name + "evaluation"), .public_key = file(name + "public")},
        {}, base::Progress::silent());
  }
  static std::unique_ptr<ClientHalf> client() { return load_client_half(file("client")); }
  /// Encrypts these inputs of the rows 0 to `rows` - 1.
  static void encrypt(const std::string& output, const std::vector<std::string>& names,
                      const EncryptionKey& key = {file("public"), true}, std::size_t rows = kRows) {
    const auto half = client()->only(names);
    const auto encryptor = half->encryptor(key, file(output), {rows, half->batch()});
    const auto all = samples(rows, 77, 0.7);
    for (const std::vector<graph::Tensor>& sample : all) {
      std::vector<graph::Tensor> own;
      for (const std::string& name : names) own.push_back(sample[name == "left" ? 0 : 1]);
      encryptor->add({&own, 1});
    }
    encryptor->finish();
  }
  static CombinedQuestion combine(const std::vector<std::string>& parts, const std::string& output,
                                  const std::optional<runtime::KeySetId>& key_set = {}) {
    std::vector<runtime::Source> sources;
    for (const std::string& part : parts) sources.emplace_back(file(part));
    return client()->combine_questions(sources, key_set, file(output), base::Progress::silent());
  }
  static std::string refused(const std::vector<std::string>& parts) {
    const std::string message = base::refusal([&] { combine(parts, "none"); });
    EXPECT_FALSE(std::filesystem::exists(file("none")));
    return message;
  }
  static void evaluate_question(const std::string& question) {
    EvaluationFiles files;
    files.model = file("server");
    files.keys = file("evaluation");
    files.input = file(question);
    files.output = file(question + ".answer");
    evaluate(
        files, {}, [](const params::ParameterIdentity&) {}, base::Progress::silent());
  }
  /// The largest error of the answers to a question.
  static double error_of(const std::string& question) {
    evaluate_question(question);
    const auto half = client();
    const auto results =
        half->results({.key = file("secret"), .results = file(question + ".answer"), .question = file(question)});
    EXPECT_EQ(results->batched().inputs, kRows);
    double largest = 0;
    const auto rows = samples(kRows, 77, 0.7);
    for (std::size_t row = 0; row < kRows; ++row) {
      const auto got = results->read(row).front();
      const auto expected = graph::reference::run(two_inputs(), rows[row]);
      for (std::size_t k = 0; k < 3; ++k)
        largest = std::max(largest, std::abs(got.front().data[k] - expected.front().data[k]));
    }
    return largest;
  }
  static std::filesystem::path file(const std::string& name) { return folder_->path() / name; }

  static inline std::unique_ptr<base::TemporaryFolder> folder_;
};

TEST_F(QuestionOfTwo, IsAnsweredAsThatOfOneOwner) {
  EXPECT_EQ(combine({"left", "right"}, "question").inputs, kRows);
  EXPECT_LT(error_of("question"), 0.03);
  combine({"right", "left"}, "turned");
  EXPECT_LT(error_of("turned"), 0.03) << "the order of the parts does not count";
}

TEST_F(QuestionOfTwo, MayCarrySeedsInPlaceOfHalves) {
  encrypt("seeded", {"right"}, {file("secret")});
  EXPECT_LT(std::filesystem::file_size(file("seeded")), std::filesystem::file_size(file("right")) * 2 / 3);
  combine({"left", "seeded"}, "short");
  EXPECT_LT(std::filesystem::file_size(file("short")),
            std::filesystem::file_size(file("left")) + std::filesystem::file_size(file("seeded")));
  EXPECT_LT(error_of("short"), 0.03);
}

TEST_F(QuestionOfTwo, MayComeFromOneOwnerInAnyOrder) {
  encrypt("both", {"right", "left"});
  combine({"both"}, "one");
  EXPECT_LT(error_of("one"), 0.03);
}

TEST_F(QuestionOfTwo, NeedsEveryInputOnce) {
  EXPECT_THAT(refused({"left"}), HasSubstr("input 'right' of model 'two' is missing; ask its owner for it"));
  EXPECT_THAT(refused({"left", "right", "left"}), HasSubstr("both hold input 'left'; leave one of them out"));
  EXPECT_THAT(refused({}), HasSubstr("no part of a question was given"));
}

TEST_F(QuestionOfTwo, NeedsTheSameRowsOfAllOwners) {
  encrypt("more", {"right"}, {file("public"), true}, kRows + 1);
  EXPECT_THAT(refused({"left", "more"}), HasSubstr("all owners must encrypt the same number, in the same order"));
}

TEST_F(QuestionOfTwo, NeedsOneKey) {
  make_keys("other.");
  encrypt("foreign", {"right"}, {file("other.public"), true});
  EXPECT_THROW(combine({"left", "foreign"}, "none"), base::KeyMismatch);
  EXPECT_THROW(combine({"left", "right"}, "none", runtime::KeySetId{1, 2, 3}), base::KeyMismatch) << "of another group";
}

TEST_F(QuestionOfTwo, IsNoPartAndAPartIsNoQuestion) {
  combine({"left", "right"}, "whole");
  EXPECT_THAT(refused({"whole", "left"}), HasSubstr("a part of a question is needed: give what encrypt --only wrote"));
  EXPECT_THAT(base::refusal([&] { evaluate_question("left"); }),
              HasSubstr("some of the encrypted inputs of a model, which combine puts together"));
  EXPECT_FALSE(std::filesystem::exists(file("left.answer")));
}

TEST_F(QuestionOfTwo, RefusesAPartThatWasChanged) {
  std::filesystem::copy_file(file("right"), file("changed"));
  std::fstream bytes(file("changed"), std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(static_cast<std::streamoff>(std::filesystem::file_size(file("changed")) / 2));
  bytes.put('\x5a');
  bytes.close();
  EXPECT_THAT(refused({"left", "changed"}), HasSubstr("damaged"));
}

}  // namespace
}  // namespace tacit::session
