#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/model.h>
#include <tacit/receipt.h>
#include <tacit/validation.h>

#include <cmath>
#include <filesystem>

#include "app/api/integers/trees_for_test.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using base::expect_refusal;
using ::testing::HasSubstr;
using testing::sine_row;
using testing::tree_options;

const char* const kTrees = TACIT_EXAMPLES "/trees/boosted.onnx";

class ModelOnIntegersApi : public ::testing::Test {
 protected:
  static const CompiledModel& model() {
    static const CompiledModel compiled = testing::trees();
    return compiled;
  }
  const base::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

TEST_F(ModelOnIntegersApi, MeasuredRangesReplaceSamples) {
  CompileOptions options = tree_options();
  const std::string ranges = calibrate(kTrees, options);
  options.calibration.clear();
  options.ranges = ranges;
  EXPECT_EQ(compile(kTrees, options).client.id(), model().client.id());
  options.scheme = Scheme::automatic;
  EXPECT_EQ(compile(kTrees, options).client.scheme(), Scheme::tfhe);
  options.scheme = Scheme::ckks;
  expect_refusal<InputError>([&] { compile(kTrees, options); }, "hold no interval of a polynomial");
}

TEST_F(ModelOnIntegersApi, PartiesThatShareFilesGetTheAnswersOfTheSimulation) {
  const std::vector<Tensors> rows{sine_row(1000), sine_row(1001)};
  model().client.save(folder / "client");
  model().server.save(folder / "server");
  {
    const auto half = ClientModel::load(folder / "client");
    EXPECT_EQ(half.scheme(), Scheme::tfhe);
    EXPECT_EQ(half.id(), model().client.id());
    EXPECT_EQ(half.input_shapes(), model().client.input_shapes());
    const Client client(half);
    client.save_secret_key(folder / "secret");
    client.evaluation_keys().save(folder / "keys");
    client.encrypt_all(rows).save(folder / "x");
  }
  {
    const auto half = ServerModel::load(folder / "server");
    expect_refusal<InputError>([&] { ModelKeys::load(half, folder / "secret"); }, "secret key");
    const EncryptedTensors questions = EncryptedTensors::load(half, folder / "x");
    EXPECT_EQ(questions.size(), 2u);
    Server server(PreparedModel(half, 0, 2), ModelKeys::load(half, folder / "keys"));
    server.evaluate(questions).save(folder / "y");
    const Client stranger(model().client);
    expect_refusal<KeyMismatch>([&] { server.evaluate(stranger.encrypt(rows[0])); }, "");
    expect_refusal<InputError>([&] { EncryptedTensors::load(half, folder / "y"); }, "evaluated already");
  }
  const auto half = ClientModel::load(folder / "client");
  const Client client(half, folder / "secret");
  client.public_key().save(folder / "public");
  const EncryptedTensors open = ModelPublicKey::load(half, folder / "public").encrypt_all(rows);
  Server server(PreparedModel(model().server), client.evaluation_keys());
  EXPECT_EQ(client.decrypt_all(server.evaluate(open)), simulate(model(), rows));
  const EncryptedTensors results = EncryptedTensors::load(half, folder / "y");
  EXPECT_NO_THROW(results.require_answers_to(EncryptedTensors::load_questions(half, folder / "x")));
  EXPECT_THROW(results.require_answers_to(client.encrypt_all(rows)), KeyMismatch);
  EXPECT_EQ(client.decrypt_all(results), simulate(model(), rows));
  for (const Tensors& label : client.decrypt_all(results, Disclosure{.labels = true})) EXPECT_EQ(label.size(), 1u);
  const std::vector<Tensors> own = client.decrypt_all(results),
                             shared = client.decrypt_all(results, Disclosure{.bits = 12});
  for (std::size_t row = 0; row < rows.size(); ++row) {
    EXPECT_EQ(shared[row][0], own[row][0]) << "the label";
    for (std::size_t e = 0; e < own[row][1].size(); ++e) EXPECT_NEAR(shared[row][1][e], own[row][1][e], 1e-3);
  }
  expect_refusal<InputError>([&] { client.decrypt_all(results, Disclosure{.bits = 12, .decryptions = 3}); },
                             "were shared under this key");
  expect_refusal<InputError>([&] { client.decrypt(client.encrypt(rows[0])); }, "no server has evaluated");
  // The files are those of the command.
  const Receipt receipt = evaluate_files({folder / "server", folder / "keys", folder / "x", folder / "z"});
  EXPECT_EQ(receipt.model_id, half.id());
  EXPECT_EQ(client.decrypt_all(EncryptedTensors::load(half, folder / "z")), client.decrypt_all(results));
}

TEST_F(ModelOnIntegersApi, APlanIsDataBeforeAnyKeyExists) {
  const Plan plan = model().client.plan();
  EXPECT_EQ(plan.scheme, Scheme::tfhe);
  EXPECT_EQ(plan.security_bits, 128);
  EXPECT_GT(plan.lookups, 10);
  EXPECT_EQ(plan.log2_failure, -128);
  EXPECT_EQ(plan.input_ciphertexts, 10);
  EXPECT_GT(plan.seconds, 0);
  EXPECT_GT(plan.key_bytes, 1e6);
  EXPECT_EQ(plan.levels, 0);
  EXPECT_THAT(plan.text, HasSubstr("TFHE"));
  EXPECT_THAT(plan.json, HasSubstr("\"lookups\""));
}

TEST_F(ModelOnIntegersApi, SumsAndLookupsAreValidated) {
  const std::vector<Tensors> rows{sine_row(1000)};
  const Validation validation = validate(model(), rows);
  EXPECT_FALSE(validation.failed) << validation.text;
  ASSERT_GE(validation.operators.size(), 4u);
  for (const ValidatedOperator& o : validation.operators) {
    EXPECT_EQ(o.cause, "none");
    EXPECT_LT(o.noise_share, 1);
  }
  expect_refusal<InputError>([&] { validate(model(), rows, {.epsilon = -2}); }, "compared exactly");
}

TEST_F(ModelOnIntegersApi, OptionsOfTheOtherSchemeAreRefusedAndTheCheaperSchemeIsTaken) {
  CompileOptions wrong = tree_options();
  wrong.max_degree = 7;
  expect_refusal<InputError>([&] { compile(kTrees, wrong); }, "max-degree");
  wrong = tree_options();
  wrong.scheme = Scheme::ckks;
  wrong.log2_failure = 0;
  wrong.exact_rounding = true;
  expect_refusal<InputError>([&] { compile(kTrees, wrong); }, "--rounding");
  wrong = tree_options();
  wrong.bits = 9;
  expect_refusal<InputError>([&] { compile(kTrees, wrong); }, "9");
  wrong = tree_options();
  wrong.log2_failure = 3;
  expect_refusal<InputError>([&] { compile(kTrees, wrong); }, "2^3");
  wrong = tree_options();
  wrong.memory_bytes = 1 << 20;
  expect_refusal<InputError>([&] { compile(kTrees, wrong); }, "need");
  CompileOptions either = tree_options();
  either.scheme = Scheme::automatic;
  const CompiledModel taken = compile(kTrees, either);
  EXPECT_EQ(taken.client.scheme(), Scheme::ckks);  // a product of bits takes less time than lookups
  EXPECT_THAT(taken.client.plan().text, HasSubstr("auto took CKKS"));
  // A mistake of one scheme is no reason for the other.
  for (const auto& [give, words] : std::vector<std::pair<void (*)(CompileOptions&), std::string>>{
           {[](CompileOptions& o) { o.bits = 9; }, "9 bits of the features of trees (--bits)"},
           {[](CompileOptions& o) { o.log2_failure = 3; }, "2^3 (--failure)"},
           {[](CompileOptions& o) { o.max_degree = -1; }, "(--max-degree) is -1"},
           {[](CompileOptions& o) { o.batch = 5000; }, "a batch of 5000 samples (--batch)"}}) {
    CompileOptions mistaken = either;
    give(mistaken);
    expect_refusal<InputError>([&] { compile(kTrees, mistaken); }, words);
  }
  either.exact_rounding = true;
  expect_refusal<InputError>([&] { compile(kTrees, either); }, "exact rounding is for networks on integers");
  either.exact_rounding = false;
  either.parameters = "T4";
  expect_refusal<InputError>([&] { compile(kTrees, either); }, "one scheme");
  either.parameters.clear();
  either.costs = default_costs();
  expect_refusal<InputError>([&] { compile(kTrees, either); }, "--costs prices CKKS alone");
  EXPECT_EQ(compile(TACIT_EXAMPLES "/fashion/model.onnx", {.input_range = std::pair{-1.0, 2.1}}).client.scheme(),
            Scheme::ckks);
}

/// The part of a note that says what both schemes were planned to take; the bytes of both files.
std::vector<std::string> compiled_on_threads(int threads, Scheme scheme, const std::filesystem::path& folder) {
  set_threads(threads);
  CompileOptions options{.input_range = std::pair{-1.0, 2.1}};
  options.scheme = scheme;
  const CompiledModel model = compile(TACIT_EXAMPLES "/fashion/model.onnx", options);
  set_threads(0);
  model.client.save(folder / "client");
  model.server.save(folder / "server");
  const std::string text = model.client.plan().text;
  const auto note = text.find("auto took");
  std::vector<std::string> all{note == text.npos ? std::string() : text.substr(note, text.find('\n', note) - note)};
  for (const char* file : {"client", "server"}) {
    const std::vector<char> bytes = base::read_file(folder / file);
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

/// What is compiled, and for which scheme, depends on no threads: both are priced on one core.
TEST_F(ModelOnIntegersApi, FilesAndTheChoiceOfASchemeAreTheSameOnEveryMachine) {
  for (const Scheme scheme : {Scheme::tfhe, Scheme::automatic}) {
    const auto one = compiled_on_threads(1, scheme, temporary.path()),
               many = compiled_on_threads(32, scheme, temporary.path());
    ASSERT_GT(one.at(1).size(), 100u);
    EXPECT_EQ(one.at(0), many.at(0));
    EXPECT_TRUE(one == many);
    EXPECT_THAT(one[0], HasSubstr(scheme == Scheme::automatic ? "on one core of a Zen 5: CKKS 0." : ""));
  }
}

}  // namespace
}  // namespace tacit
