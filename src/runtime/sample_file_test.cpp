#include "runtime/sample_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

using base::Digest;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(BatchedInputs, TheLastSampleHoldsTheRest) {
  const auto sizes = [](const BatchedInputs& batched) {
    std::vector<std::size_t> held;
    for (std::size_t sample = 0; sample < batched.samples(); ++sample) held.push_back(batched.of(sample));
    return held;
  };
  EXPECT_THAT(sizes({7, 3}), ElementsAre(3, 3, 1));
  EXPECT_THAT(sizes({6, 3}), ElementsAre(3, 3));
  EXPECT_THAT(sizes({1, 3}), ElementsAre(1));
  EXPECT_THAT(sizes({3, 1}), ElementsAre(1, 1, 1));
  EXPECT_THAT(sizes({0, 3}), ElementsAre());
  EXPECT_EQ(BatchedInputs{}.inputs, 0U);
  EXPECT_EQ(BatchedInputs{}.batch, 1U);
}

TEST(CiphertextRole, ARefusalSaysWhatIsThereAndWhatIsNeeded) {
  const auto refusal = [](CiphertextRole expected, CiphertextRole found) {
    return base::refusal([&] { require_role(expected, found, "file"); });
  };
  using enum CiphertextRole;
  for (const CiphertextRole role : {inputs, results, vectors, tiles}) EXPECT_EQ(refusal(role, role), base::kNotRefused);
  EXPECT_EQ(
      refusal(inputs, results),
      "file holds results, which have been evaluated already; encrypted inputs are needed: give what encrypt made");
  EXPECT_EQ(refusal(results, inputs),
            "file holds encrypted inputs that no server has evaluated yet; results are needed: give what evaluate made "
            "of it");
  EXPECT_EQ(refusal(vectors, tiles),
            "file holds a tile tensor; a ciphertext without a model is needed: give what Ciphertext::save wrote");
  EXPECT_EQ(refusal(tiles, vectors),
            "file holds ciphertexts that were made without a model; a tile tensor is needed: give what tile::save "
            "wrote");
}

TEST(Questions, ResultsAnswerThemInTheirOrder) {
  const std::vector<Digest> asked{Digest{1}, Digest{2}, Digest{3}};
  const auto refusal = [&](const std::vector<Digest>& answers, const BatchedInputs& batched) {
    return base::refusal<base::KeyMismatch>([&] {
      require_answers({asked, {5, 2}}, "questions", {answers, batched}, "answers");
    });
  };
  const std::string way_out = "; nothing is shown: ask the server again";
  EXPECT_EQ(refusal(asked, {5, 2}), base::kNotRefused);
  EXPECT_EQ(refusal({Digest{1}, Digest{3}, Digest{2}}, {5, 2}),
            "result 1 of answers answers input 2 of questions, not input 1" + way_out);
  EXPECT_EQ(refusal({Digest{1}, Digest{2}, Digest{1}}, {5, 2}),
            "result 2 of answers answers input 0 of questions, not input 2" + way_out);
  EXPECT_EQ(refusal({Digest{4}, Digest{2}, Digest{3}}, {5, 2}),
            "result 0 of answers answers no input of questions, not input 0" + way_out);
  EXPECT_EQ(refusal({Digest{1}, Digest{2}}, {5, 2}), "answers holds 5 results for the 5 inputs of questions" + way_out);
  EXPECT_EQ(refusal(asked, {6, 2}), "answers holds 6 results for the 5 inputs of questions" + way_out);
  EXPECT_EQ(refusal(asked, {5, 3}), "answers holds 5 results for the 5 inputs of questions" + way_out);
}

class SampleFileTest : public testing::Test {
 protected:
  static SampleWriter::Pieces pieces(std::vector<std::vector<std::byte>> all) {
    return [all = std::move(all)](const std::function<void(std::span<const std::byte>)>& out) {
      for (const std::vector<std::byte>& piece : all) out(piece);
    };
  }
  /// Of so many samples, each of the byte of its number. Results answer the questions of these first bytes.
  void write(const SampleFileHead& head, std::size_t samples, const std::vector<std::uint8_t>& questions = {}) const {
    SampleWriter writer(path_, ArtefactScheme::ckks, head);
    for (std::size_t i = 0; i < samples; ++i) {
      std::optional<Digest> question;
      if (!questions.empty()) question = Digest{questions[i]};
      writer.add(pieces({{static_cast<std::byte>(i)}, {}}), question);
    }
    writer.finish();
  }
  SampleReader read(CiphertextRole role = CiphertextRole::inputs, const params::ParameterHash& parameters = {}) const {
    return {path_, ArtefactScheme::ckks, role, parameters, "P"};
  }
  template <class Error = base::InputError>
  std::string refusal(CiphertextRole role = CiphertextRole::inputs) const {
    return base::refusal<Error>([&] { read(role); });
  }
  static SampleFileHead head(std::optional<BatchedInputs> batched = {}, CiphertextRole role = CiphertextRole::inputs) {
    return {.role = role, .binding = {}, .names = {"x", "y"}, .batched = batched};
  }

  base::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "samples";
};

TEST_F(SampleFileTest, SamplesAndWhatTheFileSaysOfThemAreReadBack) {
  write(head(BatchedInputs{5, 2}), 3);
  const SampleReader reader = read();
  EXPECT_EQ(reader.name(), path_.string());
  EXPECT_EQ(reader.samples(), 3U);
  EXPECT_EQ(reader.batched(), (BatchedInputs{5, 2}));
  EXPECT_EQ(reader.head().role, CiphertextRole::inputs);
  EXPECT_THAT(reader.head().names, ElementsAre("x", "y"));
  EXPECT_TRUE(reader.questions().empty());
  for (std::size_t i = 0; i < 3; ++i)
    reader.read(i, [&](base::ByteReader& bytes) {
      EXPECT_EQ(bytes.left(), 1U);
      EXPECT_EQ(bytes.u8(), i);
    });
  EXPECT_EQ(base::refusal([&] { reader.read(3, [](base::ByteReader&) {}); }),
            path_.string() + ": it has 3 samples and sample 3 was asked for");
  EXPECT_NE(base::refusal([&] { reader.read(0, [](base::ByteReader&) {}); }), base::kNotRefused)
      << "all of it must be read";
  const std::vector<Digest> digests = reader.digests();
  ASSERT_EQ(digests.size(), 3U);
  EXPECT_EQ(digests[2], digest_of(pieces({{std::byte{2}}})));
  EXPECT_EQ(digest_of(pieces({{std::byte{1}}, {std::byte{2}}})), digest_of(pieces({{std::byte{1}, std::byte{2}}})));
}

TEST_F(SampleFileTest, WithoutABatchEverySampleIsOneInput) {
  write(head(), 2);
  EXPECT_EQ(read().batched(), (BatchedInputs{2, 1}));
  SampleWriter writer(path_, ArtefactScheme::ckks, head());
  EXPECT_EQ(writer.names(), 2U);
}

TEST_F(SampleFileTest, InputsAreThoseThatTheSamplesHold) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const auto objection = [&](std::size_t inputs, std::size_t batch, std::size_t samples) {
    write(head(BatchedInputs{inputs, batch}), samples);
    return refusal();
  };
  EXPECT_EQ(objection(4, 2, 2), base::kNotRefused);
  EXPECT_EQ(objection(3, 2, 2), base::kNotRefused);
  EXPECT_EQ(objection(0, 2, 0), base::kNotRefused);
  const std::string written = "; the file was not written by Tacit";
  EXPECT_THAT(objection(5, 2, 2), HasSubstr("it states 5 inputs, 2 a sample, and has 2 samples" + written));
  EXPECT_THAT(objection(2, 2, 2), HasSubstr("it states 2 inputs, 2 a sample, and has 2 samples" + written));
  EXPECT_THAT(objection(0, 0, 0), HasSubstr("it states 0 inputs, 0 a sample, and has 0 samples" + written));
  EXPECT_EQ(objection(kMost, kMost, 1), base::kNotRefused);
  EXPECT_THAT(objection(kMost, kMost + 1, 1), HasSubstr("it states"));
  EXPECT_THAT(objection(kMost + 1, kMost, 2), HasSubstr("it states"));
}

TEST_F(SampleFileTest, ResultsNameTheQuestionThatEachAnswers) {
  const SampleFileHead results = head({}, CiphertextRole::results);
  write(results, 2, {7, 8});
  EXPECT_THAT(read(CiphertextRole::results).questions(), ElementsAre(Digest{7}, Digest{8}));
  EXPECT_THAT(refusal(), HasSubstr("holds results, which have been evaluated already"));
  write(results, 3, {7, 8, 7});
  EXPECT_THAT(refusal(CiphertextRole::results),
              HasSubstr("two of its results answer the same input; ask the server for one each"));
  SampleWriter writer(path_, ArtefactScheme::ckks, results);
  EXPECT_EQ(base::refusal<base::InternalError>([&] { writer.add(pieces({})); }),
            "a result without the question it answers");
  SampleWriter of_inputs(folder_.path() / "inputs", ArtefactScheme::ckks, head());
  EXPECT_EQ(base::refusal<base::InternalError>([&] { of_inputs.add(pieces({}), Digest{1}); }),
            "a question of what is no result");
}

TEST_F(SampleFileTest, ResultsNameAsManyQuestionsAsThereAre) {
  const auto of_two_results = [&](std::size_t bytes) {
    nlohmann::json json = to_json(Binding{});
    json["role"] = "results";
    json["names"] = {"x"};
    ArtefactWriter writer(path_, ArtefactKind::ciphertexts);
    writer.add_section(kAboutSection, SectionType::text, json.dump());
    writer.add_section("sample 0", SectionType::ciphertext, std::string_view("a"));
    writer.add_section("sample 1", SectionType::ciphertext, std::string_view("b"));
    std::vector<std::byte> questions(bytes);
    questions.front() = std::byte{1};
    writer.add_section("questions", SectionType::digests, questions);
    writer.finish();
    return refusal(CiphertextRole::results);
  };
  EXPECT_EQ(of_two_results(64), base::kNotRefused);
  for (const std::size_t bytes : {32, 63, 65, 96})
    EXPECT_EQ(of_two_results(bytes),
              path_.string() + ": it names other questions than it has results; the file was not written by Tacit")
        << bytes;
}

TEST_F(SampleFileTest, OtherParametersAndOtherFilesAreRefused) {
  write(head(), 1);
  EXPECT_THAT(base::refusal<base::KeyMismatch>([&] { read(CiphertextRole::inputs, params::ParameterHash{9}); }),
              testing::AllOf(HasSubstr(path_.string() + " and the parameter set P do not belong together"),
                             HasSubstr("00000000 against 09000000")));
  const auto made = [&](const char* role, std::string_view section) {
    nlohmann::json json = to_json(Binding{});
    json["role"] = role;
    json["names"] = {"x"};
    ArtefactWriter writer(path_, ArtefactKind::ciphertexts);
    writer.add_section(kAboutSection, SectionType::text, json.dump());
    writer.add_section(section, SectionType::ciphertext, std::string_view("a"));
    writer.finish();
    return refusal();
  };
  EXPECT_EQ(made("inputs", "sample 0"), base::kNotRefused);
  EXPECT_EQ(made("inputs", "sample 1"),
            path_.string() + ": 'sample 1' is out of order; the file was not written by Tacit");
  EXPECT_THAT(made("answers", "sample 0"),
              HasSubstr("the role of its ciphertexts is unknown; the file was not written by Tacit"));
}

}  // namespace
}  // namespace tacit::runtime
