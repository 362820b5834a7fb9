#include "session/server_half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_files.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/client_half.h"
#include "session/owner/stages_for_test.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

using scheme::tfhe::LweCiphertexts;
using testing::HasSubstr;

/// Both halves of the small program, whose two lookups take a bootstrap each.
class ServerHalfOnIntegers : public testing::Test {
 protected:
  ServerHalfOnIntegers() {
    server_.name = client_.name = std::string("small");
    server_.literal = client_.literal = parameters_.literal();
    server_.program = program_;
    const integers::Instruction& result = program_.instructions.back();
    client_.interface.inputs.push_back({.name = "x",
                                        .shape = {1, 3},
                                        .step = program_.instructions.front().step,
                                        .quantiser = {layout::RepeatedReals(1), layout::RepeatedReals(0), 0, 3},
                                        .saturates = false});
    client_.interface.outputs.push_back(
        {"y", {1, 1}, result.step, {layout::RepeatedReals(1), layout::RepeatedReals(0), -7, 7}});
    client_.plan = std::string("{}");
    client_.parts = {1, 2, 3};  // nobody here runs them
    runtime::bind(server_, client_);
    runtime::save(server_, file("server"));
    runtime::save(client_, file("client"));
  }
  std::filesystem::path file(const char* name) const { return folder_.path() / name; }
  std::unique_ptr<ServerHalf> loaded(const base::MemoryBudget& memory = {}) const {
    return load_server_half(file("server"), memory, [](const params::ParameterIdentity&) {});
  }
  /// Bytes of what so many evaluations share, and of their ciphertexts.
  double shared(int evaluations) const {
    return runtime::table_bytes(program_, parameters_) + runtime::weight_bytes(program_) +
           evaluations * runtime::value_bytes(program_, parameters_);
  }
  static base::MemoryBudget budget(double bytes) { return {.bytes = static_cast<std::uint64_t>(bytes)}; }

  const base::TemporaryFolder folder_;
  const integers::Program program_ = integers::small_program();
  const params::TfheParameters parameters_ =
      params::TfheParameters::check(params::solve(integers::requirements(program_, -64)));
  const double keys_ = runtime::key_bytes(parameters_);
  runtime::IntegerServerModel server_;
  runtime::IntegerClientModel client_;
};

TEST_F(ServerHalfOnIntegers, NeedsLessThanItsBudgetForKeysTablesAndCiphertexts) {
  const double needed = runtime::memory_need(program_, parameters_);
  const std::unique_ptr<ServerHalf> half = loaded(budget(needed + 1));
  EXPECT_EQ(half->model().scheme, runtime::ArtefactScheme::tfhe);
  EXPECT_EQ(half->model().key_bytes, static_cast<std::uint64_t>(keys_));
  EXPECT_THAT(base::refusal([&] { loaded(budget(needed)); }),
              HasSubstr("keys, tables and ciphertexts of model 'small' need"));
  // Of three evaluations each has keys and ciphertexts of its own.
  const auto key_bytes = static_cast<std::uint64_t>(keys_);
  EXPECT_EQ(half->prepare({.memory = budget(shared(3) + 3 * keys_ + 1), .evaluations = 3}, key_bytes,
                          base::Progress::silent()),
            static_cast<std::uint64_t>(shared(3)));
  EXPECT_THAT(base::refusal([&] {
                loaded()->prepare({.memory = budget(shared(3) + 3 * keys_), .evaluations = 3}, key_bytes,
                                  base::Progress::silent());
              }),
              HasSubstr("keys, tables and ciphertexts of model 'small' need"));
}

TEST_F(ServerHalfOnIntegers, TheOwnersWorkIsHeldToItsBudgetToo) {
  const std::unique_ptr<ClientHalf> client = load_client_half(file("client"));
  const double input = 3 * parameters_.ciphertext_bytes();
  EXPECT_EQ(base::refusal([&] { client->require_memory_for_input(budget(input + 1)); }), base::kNotRefused);
  EXPECT_THAT(base::refusal([&] { client->require_memory_for_input(budget(input)); }),
              HasSubstr("an input of model 'small' needs"));
  EXPECT_EQ(base::refusal([&] {
              client->generate_keys({file("secret"), file("keys"), {}}, budget(1), base::Progress::silent());
            }),
            base::kNotRefused)
      << "keys are made in pieces";
  for (const char* const made : {"secret", "keys"}) EXPECT_TRUE(std::filesystem::remove(file(made)));
  EXPECT_THAT(base::refusal([&] {
                client->generate_keys({file("secret"), file("keys"), file("public")}, {}, base::Progress::silent());
              }),
              HasSubstr("its plan does not say whether its parameters leave room for the noise of a public key"));
  EXPECT_FALSE(std::filesystem::exists(file("secret")));
  EXPECT_EQ(client->describe_keys(),
            (nlohmann::ordered_json{{"key_bytes", static_cast<std::uint64_t>(keys_)},
                                    {"bootstrap_key_bytes", parameters_.bootstrap_key_bytes()},
                                    {"key_switch_key_bytes", parameters_.key_switch_key_bytes()}}));
  EXPECT_EQ(client->batch(), 1u);
}

TEST_F(ServerHalfOnIntegers, AnswersEveryInputOfAFileInItsOrder) {
  const std::vector<integers::Integers> inputs{{3, 1, 2}, {0, 0, 3}, {2, 1, 0}};
  const auto context = scheme::tfhe::Context::make(parameters_);
  const auto secret = scheme::tfhe::SecretKey::generate(*context);
  const runtime::Binding binding{server_.id, parameters_.hash(), runtime::new_key_set_id()};
  runtime::save(*context, scheme::tfhe::SeededEvaluationKeys::generate(*context, secret), binding, file("keys"));
  const runtime::IntegerClient owner(client_.interface, context, secret);
  runtime::SampleWriter writer(
      file("x"), runtime::ArtefactScheme::tfhe,
      {runtime::CiphertextRole::inputs, binding, {"x"}, runtime::BatchedInputs{inputs.size(), 1}});
  for (const integers::Integers& input : inputs) {
    const std::vector<double> numbers(input.begin(), input.end());
    const auto sent = owner.encrypt({&numbers, 1});
    writer.add(runtime::pieces_of(*context, std::span<const scheme::tfhe::FreshLweCiphertexts>(sent)));
  }
  const base::Digest asked = writer.finish();

  const std::unique_ptr<ServerHalf> half = loaded();
  const std::shared_ptr<const LoadedKeys> keys = half->load_keys(file("keys"));
  EXPECT_EQ(keys->bytes(), static_cast<std::uint64_t>(keys_));
  EXPECT_EQ(half->inputs_of(file("x")).binding.key_set, binding.key_set);
  StagesForTest stages;
  const Stopwatch watch;
  const EvaluatedInputs done = half->evaluate(*keys, {file("x"), file("y"), {}}, stages);
  const double whole = watch.seconds();
  EXPECT_EQ(done.inputs, inputs.size());
  EXPECT_GT(done.seconds, 0);
  EXPECT_LE(static_cast<double>(inputs.size()) * done.seconds, whole) << "those of one input";
  EXPECT_EQ(stages.of("evaluating"), (StagesForTest::Stage{3, 3}));
  EXPECT_EQ(stages.of("looking up"), (StagesForTest::Stage{3 * 2, 3 * 2}));
  EXPECT_EQ(half->prepare({}, 0, base::Progress::silent()), static_cast<std::uint64_t>(shared(1)))
      << "prepared by the evaluation, for itself";

  const auto results = runtime::open_samples(file("y"), *context, runtime::CiphertextRole::results);
  EXPECT_EQ(results.batched(), (runtime::BatchedInputs{inputs.size(), 1}));
  const integers::ClearProgram reading(program_);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const double expected = static_cast<double>(reading.run({&inputs[i], 1})[0][0]);
    EXPECT_EQ(owner.decrypt(runtime::read_results(results, i, *context))[0], std::vector<double>{expected}) << i;
  }
  EXPECT_EQ(done.receipt.model, half->model().root);
  EXPECT_EQ(done.receipt.model_id, server_.id);
  EXPECT_EQ(done.receipt.parameters, parameters_.hash());
  EXPECT_EQ(done.receipt.keys, keys->provenance().root);
  EXPECT_EQ(done.receipt.input, asked);
  EXPECT_EQ(done.receipt.output, results.root());

  // Kept on its way, it gives the same results, and leaves no checkpoint.
  const std::filesystem::path kept = file("kept");
  std::filesystem::create_directory(kept);
  StagesForTest kept_stages;
  const EvaluatedInputs again = half->evaluate(*keys, {file("x"), file("z"), kept}, kept_stages);
  EXPECT_EQ(again.inputs, inputs.size());
  EXPECT_GT(again.seconds, 0);
  EXPECT_EQ(again.receipt.output, results.root());
  EXPECT_EQ(kept_stages.of("evaluating"), (StagesForTest::Stage{3, 3}));
  EXPECT_EQ(kept_stages.of("looking up"), (StagesForTest::Stage{3 * 2, 3 * 2}));
  EXPECT_TRUE(std::filesystem::is_empty(kept));
}

}  // namespace
}  // namespace tacit::session
