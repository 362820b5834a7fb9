#include "runtime/slots/small_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "program/slots/clear_program.h"
#include "program/slots/key_manifest.h"
#include "runtime/slots/client.h"
#include "runtime/slots/executor.h"
#include "runtime/slots/small_program_for_test.h"
#include "scheme/ckks/serialize.h"
#include "scheme/ckks/subring.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Tensors = std::vector<std::vector<double>>;

/// A matrix product between a thin question of 60 elements and an answer of ten, on 2,048 slots.
class SmallAnswersTest : public ::testing::Test {
 protected:
  SmallAnswersTest() {
    literal_.log_n = 12;
    context_ = scheme::ckks::Context::make(params::CkksParameters::check(literal_));
    secret_ = std::make_shared<const scheme::ckks::SecretKey>(scheme::ckks::KeyGenerator(context_).secret_key());
    ProgramWriter writer(2048);
    const Layout copies = Layout::parse("[60] across() within(copy:32 d0:64/1) junk()");
    program::ValueId x = writer.input("x", Layout::parse("[60] across() within(d0:8/64 copy:4 d0:64/1) junk()"));
    for (const int step : {256, 512, 1024}) x = writer.record(slots::RotateSum{x, {step}}, copies);
    writer.output(writer.dense(x, Layout::parse("[10] across() within(copy:128 d0:16/1) junk()")), "y");
    program_ = writer.finish(context_->parameters());
    model_.name = "small";
    model_.literal = literal_;
    const slots::Instruction &input = program_.instructions.front(), &output = program_.instructions.back();
    model_.interface.inputs = {{"x", input.layout, input.level, input.scale, -1, 1, {}, 3}};
    model_.interface.outputs = {{"y", output.layout, 0, 1, -9, 9, output.level, output.scale}};
    for (std::size_t i = 0; i < 60; ++i) sample_.push_back(std::sin(static_cast<double>(i)));
  }
  Client client() const { return {std::make_shared<const ClientModel>(model_), context_, secret_}; }
  std::vector<CiphertextArray> run(const std::vector<CiphertextArray>& inputs) const {
    const auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
        scheme::ckks::KeyGenerator(context_).evaluation_keys(*secret_, slots::key_manifest(program_)));
    return Executor(std::make_shared<const PreparedProgram>(context_, program_), keys).run(inputs).outputs;
  }
  std::uint64_t bytes_of(const CiphertextArray& array) const {
    return scheme::ckks::serialize(*context_, array.at(0)).size();
  }

  params::CkksLiteral literal_ = small_insecure_literal(2);
  scheme::ckks::ContextPtr context_;
  std::shared_ptr<const scheme::ckks::SecretKey> secret_;
  slots::Program program_;
  ClientModel model_;
  std::vector<double> sample_;
};

TEST_F(SmallAnswersTest, ThinQuestionsAndAnswersGiveTheResultsOfWholeOnes) {
  const Tensors sample{sample_};
  const std::vector<double> expected = slots::ClearProgram(program_).run(sample).at(0);
  std::uint64_t question = 0;
  for (const QuestionForm form : {QuestionForm::whole, QuestionForm::thin}) {
    const auto inputs = client().encrypt({&sample, 1}, form);
    const auto outputs = run(inputs);
    const DecryptedOutput found = client().decrypt(outputs).at(0);
    for (std::size_t i = 0; i < 10; ++i) EXPECT_NEAR(found.values[i], expected[i], 1e-6) << i;
    if (form == QuestionForm::thin) {
      EXPECT_LT(8 * (bytes_of(inputs.at(0)) - 90), question) << "an eighth, but for a seed and the head";
    }
    question = bytes_of(inputs.at(0));
    EXPECT_EQ(bytes_of(outputs.at(0)), scheme::ckks::ciphertext_bytes(*context_, 0, false, 2));
    const auto whole = static_cast<double>(scheme::ckks::ciphertext_bytes(*context_, 0, false));
    EXPECT_NEAR(static_cast<double>(bytes_of(outputs.at(0))) / whole, 0.56, 0.01) << "1,024 of 4,096, in bits";
  }
}

TEST_F(SmallAnswersTest, WholeAnswersAreReadAsBefore) {
  const Layout copies = Layout::parse("[10] across() within(copy:128 d0:16/1) junk()");
  std::vector<double> ten(10, 0.25);
  const scheme::ckks::Ciphertext whole =
      scheme::ckks::Encryptor(context_, *secret_)
          .encrypt(scheme::ckks::Encoder(context_).encode(copies.pack(ten)[0], 0, model_.interface.outputs[0].scale));
  for (const CiphertextArray& array : {CiphertextArray{whole}, small_answer(*context_, copies, {whole})})
    EXPECT_NEAR(client().decrypt({&array, 1}).at(0).values[3], 0.25, 1e-6);
}

TEST_F(SmallAnswersTest, TwoCopiesAndAThousandCoefficientsAreLeft) {
  const auto gap = [](int log_n, const char* layout, int parts = 1) {
    params::CkksLiteral literal = small_insecure_literal(2);
    literal.log_n = log_n;
    literal.parts = parts;
    return answer_gap(params::CkksParameters::check(literal), Layout::parse(layout));
  };
  EXPECT_EQ(gap(14, "[10] across() within(copy:512 d0:16/1) junk()"), 4);
  EXPECT_EQ(gap(14, "[900] across() within(copy:8 d0:1024/1) junk()"), 2);
  EXPECT_EQ(gap(14, "[4000] across() within(copy:2 d0:4096/1) junk()"), 0);
  EXPECT_EQ(gap(14, "[8000] across() within(d0:8192/1) junk()"), 0);
  EXPECT_EQ(gap(10, "[10] across() within(copy:32 d0:16/1) junk()"), 0);
  EXPECT_EQ(gap(14, "[10] across() within(copy:512 d0:16/1) junk()", 2), 4) << "also for several owners";
}

TEST_F(SmallAnswersTest, AnswersWithAnotherGapAreRefused) {
  const Tensors sample{sample_};
  const auto outputs = run(client().encrypt({&sample, 1}));
  const std::vector<CiphertextArray> other{{scheme::ckks::thinned(*context_, outputs.at(0).at(0), 4)}};
  EXPECT_THAT([&] { client().decrypt(other); },
              ThrowsMessage<base::InputError>(HasSubstr("one coefficient in 2^4, and results of this model have one in "
                                                        "2^2")));
}

}  // namespace
}  // namespace tacit::runtime
