#include "session/evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "graph/reference/run.h"
#include "runtime/compiled_model.h"
#include "session/owner/client_half.h"
#include "session/owner/halves.h"
#include "session/owner/small_perceptron_for_test.h"
#include "session/owner/stages_for_test.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

TEST(Evaluation, AnswersEveryInputOfAFileInItsOrder) {
  constexpr std::size_t kInputs = 6;
  const base::TemporaryFolder folder;
  const auto file = [&](const char* name) { return folder.path() / name; };
  const Compilation compilation = small_perceptron();
  const Halves halves = halves_of(compilation);
  runtime::save(halves.server, file("server"));
  runtime::save(halves.client, file("client"));
  const std::unique_ptr<ClientHalf> client = load_client_half(file("client"));
  ASSERT_EQ(client->batch(), 1u);
  client->generate_keys({file("secret"), file("keys"), {}}, {}, base::Progress::silent());
  const auto samples = graph::passes::deep_samples(kInputs, 4, 5);  // some of those that calibrated
  const std::unique_ptr<InputEncryptor> encryptor = client->encryptor({file("secret")}, file("x"), {kInputs, 1});
  for (const auto& sample : samples) encryptor->add({&sample, 1});
  encryptor->finish();

  EvaluationFiles files;
  files.model = file("server");
  files.keys = file("keys");
  files.input = file("x");
  files.output = file("y");
  StagesForTest stages;
  const Stopwatch watch;
  const Evaluation done = evaluate(
      files, {}, [](const params::ParameterIdentity&) {}, stages);
  const double whole = watch.seconds();
  EXPECT_EQ(done.model, "small");
  EXPECT_EQ(done.inputs, kInputs);
  EXPECT_GT(done.seconds, 0);
  EXPECT_LE(kInputs * done.seconds, whole) << "those of one input";
  EXPECT_GT(done.key_bytes, 0u);
  EXPECT_EQ(done.receipt_file, file("y.receipt"));
  EXPECT_TRUE(std::filesystem::exists(file("y.receipt")));
  EXPECT_EQ(stages.of("reading keys"), (StagesForTest::Stage{0, 0})) << "of unknown length";
  EXPECT_EQ(stages.of("evaluating"), (StagesForTest::Stage{kInputs, kInputs}));

  const std::unique_ptr<ResultFile> results = client->results({file("secret"), file("y"), file("x"), {}});
  EXPECT_EQ(results->batched(), (runtime::BatchedInputs{kInputs, 1}));
  const graph::Graph network = graph::passes::deep_perceptron(1, 4);
  for (std::size_t i = 0; i < kInputs; ++i) {
    const auto answers = results->read(i);
    ASSERT_EQ(answers.size(), 1u);
    const std::vector<double> expected = graph::reference::run(network, samples[i]).at(0).data;
    const std::vector<double>& found = answers[0].at(0).data;
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t e = 0; e < found.size(); ++e) EXPECT_NEAR(found[e], expected[e], 1e-3) << i << " " << e;
  }
}

TEST(ClientHalfOnSlots, AnInputNeedsLessThanItsBudget) {
  const base::TemporaryFolder folder;
  const Halves halves = halves_of(small_perceptron());
  runtime::save(halves.client, folder.path() / "client");
  const std::unique_ptr<ClientHalf> client = load_client_half(folder.path() / "client");
  const program::ClientInput& input = halves.client.interface.inputs.at(0);
  // Two polynomials of a limb a level and one more, of 2^8 words each; and the slots as real numbers.
  const std::uint64_t ciphertext = 2 * static_cast<std::uint64_t>(input.level + 1) * 256 * 8;
  const std::uint64_t needed = static_cast<std::uint64_t>(input.layout.ciphertexts()) *
                               (ciphertext + static_cast<std::uint64_t>(input.layout.slots()) * sizeof(double));
  EXPECT_EQ(base::refusal([&] { client->require_memory_for_input({.bytes = needed + 1}); }), base::kNotRefused);
  EXPECT_THAT(base::refusal([&] { client->require_memory_for_input({.bytes = needed}); }),
              testing::HasSubstr("the ciphertexts of one input of model 'small' need"));
}

}  // namespace
}  // namespace tacit::session
