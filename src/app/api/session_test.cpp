#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/model.h>
#include <tacit/receipt.h>
#include <tacit/validation.h>

#include <atomic>
#include <cmath>
#include <regex>

#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using ::testing::HasSubstr;

const char* const kServedNetwork = TACIT_EXAMPLES "/fashion/model.onnx";

Tensors image(double phase) {
  Tensors image(1);
  for (int i = 0; i < 784; ++i) image[0].push_back(0.8 * std::sin(0.05 * i + phase));
  return image;
}

/// Counts stages and steps, and cancels at a step if asked to.
class Counting final : public Progress {
 public:
  explicit Counting(int cancel_at = -1) : cancel_at_(cancel_at) {}
  std::atomic<int> stages = 0, steps = 0;
  std::vector<std::string> names;

 private:
  void stage_began(std::string_view stage, std::uint64_t) override {
    ++stages;
    names.emplace_back(stage);
  }
  void steps_done(std::uint64_t done) override { steps += static_cast<int>(done); }
  void stage_ended() override { --stages; }
  bool cancelled() const override { return cancel_at_ >= 0 && steps >= cancel_at_; }
  int cancel_at_;
};

class SessionApi : public ::testing::Test {
 protected:
  static const CompiledModel& model() {
    static const CompiledModel compiled = compile(kServedNetwork, {.input_range = std::pair{-1.0, 2.1}});
    return compiled;
  }
  const base::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

TEST_F(SessionApi, APlanIsDataBeforeAnyKeyExistsAndAfterAFile) {
  model().client.save(folder / "client");
  const Plan plan = ClientModel::load(folder / "client").plan();
  EXPECT_EQ(plan.security_bits, 128);
  EXPECT_EQ(plan.log_n, 14);
  EXPECT_GT(plan.log_qp, 214);
  EXPECT_LE(plan.log_qp, 430);
  EXPECT_EQ(plan.input_ciphertexts, 1);
  EXPECT_EQ(plan.output_ciphertexts, 1);
  EXPECT_GT(plan.rotations, 0);
  EXPECT_GT(plan.seconds, 0);
  EXPECT_GT(plan.key_bytes, 1e6);
  EXPECT_EQ(plan.warnings, std::vector<std::string>{});
  EXPECT_THAT(plan.text, HasSubstr("128-bit security"));
  EXPECT_THAT(plan.json, HasSubstr("\"approximations\""));
  EXPECT_EQ(plan.json, model().client.plan().json);
}

TEST_F(SessionApi, PricesOfAnotherMachineChangeThePlan) {
  CompileOptions options{.input_range = std::pair{-1.0, 2.1}};
  options.costs = std::regex_replace(default_costs(), std::regex("\"ntt_ns\": *[0-9.]+"), "\"ntt_ns\": 1000");
  options.costs = std::regex_replace(options.costs, std::regex("\"machine\": *\"[^\"]*\""), "\"machine\": \"slow\"");
  const Plan slow = compile(kServedNetwork, options).client.plan();
  EXPECT_EQ(slow.machine, "slow");
  EXPECT_GT(slow.seconds, 10 * model().client.plan().seconds);
  options.costs = "{}}";
  EXPECT_THROW(compile(kServedNetwork, options), InputError);
}

TEST_F(SessionApi, ManyInputsPassInOneCallAndReportProgress) {
  const Client client(model().client);
  Counting keys, encrypting, evaluating;
  Server server(model().server, client.evaluation_keys(keys));
  EXPECT_GT(keys.steps, 3);
  const std::vector<Tensors> inputs{image(0), image(1), image(2)};
  const EncryptedTensors encrypted = client.encrypt_all(inputs, encrypting);
  EXPECT_EQ(encrypted.size(), 3u);
  EXPECT_EQ(encrypting.steps, 3);
  encrypted.save(folder / "x");
  const EncryptedTensors results = server.evaluate(EncryptedTensors::load(model().server, folder / "x"), evaluating);
  EXPECT_EQ(results.size(), 3u);
  EXPECT_GT(evaluating.steps, 3);  // of inputs and of the instructions inside them
  EXPECT_EQ(evaluating.stages, 0);
  const std::vector<Tensors> answers = client.decrypt_all(results);
  ASSERT_EQ(answers.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Tensors alone = client.decrypt(server.evaluate(client.encrypt(inputs[i])));
    for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(answers[i][0][c], alone[0][c], 1e-3) << i << " " << c;
  }
  EXPECT_GT(std::abs(answers[0][0][0] - answers[1][0][0]), 1e-2);  // different pictures, different scores
  EXPECT_THROW(client.decrypt(results), InputError);
}

TEST_F(SessionApi, ABatchIsOneRunAndValidatedAsOne) {
  const CompiledModel pairs = compile(kServedNetwork, {.input_range = std::pair{-1.0, 2.1}, .batch = 2});
  EXPECT_EQ(pairs.client.plan().batch, 2);
  EXPECT_EQ(pairs.client.input_shapes(), model().client.input_shapes());
  const Client client(pairs.client);
  Server server(pairs.server, client.evaluation_keys());
  const std::vector<Tensors> inputs{image(0), image(1), image(2)};
  const EncryptedTensors questions = client.encrypt_all(inputs);
  EXPECT_EQ(questions.size(), 3u);
  server.evaluate(questions).save(folder / "y");
  const EncryptedTensors results = EncryptedTensors::load(pairs.client, folder / "y");
  EXPECT_NO_THROW(results.require_answers_to(questions));
  const std::vector<Tensors> answers = client.decrypt_all(results);
  ASSERT_EQ(answers.size(), 3u);
  const Client single(model().client);
  Server one(model().server, single.evaluation_keys());
  for (std::size_t i = 0; i < 3; ++i) {
    const Tensors alone = single.decrypt(one.evaluate(single.encrypt(inputs[i])));
    for (std::size_t c = 0; c < 10; ++c) EXPECT_NEAR(answers[i][0][c], alone[0][c], 1e-3) << i << " " << c;
  }
  // Two inputs in the place of three.
  EXPECT_THROW(results.require_answers_to(client.encrypt_all(std::span(inputs).first(2))), KeyMismatch);
  const Validation validation = validate(pairs, inputs, {});
  EXPECT_FALSE(validation.failed) << validation.text;
  EXPECT_GT(validation.operators.size(), 2u);

  const CompiledModel cheapest =
      compile(kServedNetwork, {.input_range = std::pair{-1.0, 2.1}, .batch = kCheapestBatch});
  EXPECT_GT(cheapest.client.plan().batch, 1);
  EXPECT_LT(cheapest.client.plan().seconds, model().client.plan().seconds);
}

TEST_F(SessionApi, WorkStopsWhereItsProgressCancels) {
  Counting at_once(0);
  CompileOptions options{.input_range = std::pair{-1.0, 2.1}};
  options.progress = &at_once;
  EXPECT_THROW(compile(kServedNetwork, options), Cancelled);
  const Client client(model().client);
  Counting after_two(2);
  EXPECT_THROW(client.evaluation_keys(after_two), Cancelled);
  EXPECT_EQ(after_two.steps, 2);
  Server server(model().server, client.evaluation_keys());
  Counting soon(2);
  EXPECT_THROW(server.evaluate(client.encrypt(image(0)), soon), Cancelled);
  EXPECT_EQ(server.evaluate(client.encrypt(image(0))).size(), 1u);  // and can go on afterwards
}

TEST_F(SessionApi, FilesAreEvaluatedWithAReceiptThatNamesThem) {
  const Client client(model().client);
  model().server.save(folder / "server");
  client.evaluation_keys().save(folder / "keys");
  client.save_secret_key(folder / "secret");
  client.encrypt(image(0)).save(folder / "x");
  const EvaluationFiles files{folder / "server", folder / "keys", folder / "x", folder / "y"};
  const Receipt receipt = evaluate_files(files);
  EXPECT_EQ(receipt.model, root_of(folder / "server"));
  EXPECT_EQ(receipt.keys, root_of(folder / "keys"));
  EXPECT_EQ(receipt.input, root_of(folder / "x"));
  EXPECT_EQ(receipt.output, root_of(folder / "y"));
  EXPECT_EQ(load_receipt(folder / "y.receipt").commitment, receipt.commitment);
  EXPECT_EQ(client.decrypt(EncryptedTensors::load(model().client, folder / "y"))[0].size(), 10u);

  EvaluationFiles wrong = files;
  wrong.keys = folder / "secret";
  EXPECT_THROW(evaluate_files(wrong), InputError);
  wrong = files;
  wrong.output = folder / "keys";
  EXPECT_THROW(evaluate_files(wrong), InputError);
  wrong.output = folder / "z";
  Counting soon(1);
  EXPECT_THROW(evaluate_files(wrong, 0, soon), Cancelled);
  EXPECT_FALSE(std::filesystem::exists(folder / "z"));
  EXPECT_THROW(evaluate_files(files, 1 << 20), InputError);
}

TEST_F(SessionApi, EveryOperatorIsValidated) {
  const std::vector<Tensors> inputs{image(0), image(1)};
  const Validation validation = validate(model(), inputs, {.operators = "nn", .epsilon = -3});
  EXPECT_FALSE(validation.failed) << validation.text;
  ASSERT_GE(validation.operators.size(), 3u);
  for (const ValidatedOperator& o : validation.operators) {
    EXPECT_GT(o.worst_error, 0) << o.node;
    EXPECT_LT(o.worst_error, 1e-3) << o.node;
    EXPECT_EQ(o.cause, "none");
  }
  EXPECT_THAT(validation.json, HasSubstr("\"worst_bits\""));
  const Validation strict = validate(model(), {inputs.data(), 1}, {.operators = "vector", .epsilon = -12});
  EXPECT_TRUE(strict.failed);
  EXPECT_EQ(strict.operators.front().cause, "noise");
  CompiledModel from_files = model();
  from_files.origin.reset();
  EXPECT_THROW(validate(from_files, inputs), InputError);
  EXPECT_THROW(validate(model(), inputs, {.operators = "nn:no such node"}), InputError);
}

TEST_F(SessionApi, WhatWouldMisleadIsRefusedBeforeAnyKey) {
  for (const auto& range : {std::pair{2.1, -1.0}, std::pair{1.0, 1.0}, std::pair{std::nan(""), 1.0}})
    EXPECT_THROW(compile(kServedNetwork, {.input_range = range}), InputError) << range.first;
  CompileOptions options{.input_range = std::pair{-1.0, 2.1}};
  options.max_polynomial_error = -1;
  EXPECT_THROW(compile(kServedNetwork, options), InputError);
  EXPECT_THROW(validate(model(), {}), InputError);
  const Client client(model().client);
  client.save_secret_key(folder / "secret");
  EXPECT_THROW(client.save_secret_key(folder / "secret"), InputError);
}

TEST_F(SessionApi, ResultsWithoutAReceiptAreNone) {
  const Client client(model().client);
  model().server.save(folder / "server");
  client.evaluation_keys().save(folder / "keys");
  client.encrypt(image(0)).save(folder / "x");
  EvaluationFiles files{folder / "server", folder / "keys", folder / "x", folder / "y"};
  files.receipt = folder / std::string(300, 'r');
  EXPECT_THROW(evaluate_files(files), Error);
  EXPECT_FALSE(std::filesystem::exists(folder / "y"));
  files.receipt = folder / "." / "y";
  EXPECT_THROW(evaluate_files(files), InputError);
  files.output.clear();
  EXPECT_THROW(evaluate_files(files), InputError);
}

}  // namespace
}  // namespace tacit
