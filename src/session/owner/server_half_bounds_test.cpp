#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/parallel.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "layout/operators/matrix.h"
#include "params/small_ring_for_test.h"
#include "program/integers/program.h"
#include "program/slots/key_manifest.h"
#include "program/slots/memory_plan.h"
#include "runtime/compiled_model.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_files.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/key_store.h"
#include "runtime/slots/small_program_for_test.h"
#include "runtime/slots/weight_bytes.h"
#include "session/evaluation.h"
#include "session/owner/stages_for_test.h"
#include "session/server_half.h"

namespace tacit::session {
namespace {

using layout::Layout;
using runtime::CiphertextArray;
using testing::HasSubstr;

params::CkksLiteral ring_of_64() {
  params::CkksLiteral literal = runtime::small_insecure_literal(3);
  literal.log_n = 6;
  return literal;
}

/// Half of every element of two ciphertexts: of four blocks two are zero.
slots::Program halving(const runtime::Bench& bench) {
  const Layout two = Layout::row_major({2 * bench.slots()}, bench.slots());
  std::vector<layout::Index> begin{0}, column;
  for (layout::Index r = 0; r < 2 * bench.slots(); ++r) {
    column.push_back(r);
    begin.push_back(r + 1);
  }
  runtime::ProgramWriter writer(bench.slots());
  const std::vector<double> weight(column.size(), 0.5);
  slots::LinearTerm term{
      writer.input("x", two),
      {two, two, std::make_shared<layout::SparseRows>(two.shape(), two.shape(), begin, column, weight)},
      {}};
  term.schedule = runtime::schedule_of(term.map);
  writer.output(writer.record(slots::Linear{{term}, {}}, two), "y");
  return writer.finish(bench.context->parameters());
}

/// The file of a server's half of a program, and what its client has.
class ServedProgram {
 public:
  ServedProgram(const params::CkksLiteral& literal, slots::Program (*program_of)(const runtime::Bench&))
      : bench(literal), program(program_of(bench)) {
    runtime::ServerModel half;
    half.name = std::string("made");
    half.literal = literal;
    half.program = program;
    half.id = runtime::id_of(half, runtime::content_of(half), half.other_half);
    binding = {half.id, bench.context->parameters().hash(), runtime::new_key_set_id()};
    runtime::save(half, file("server"));
  }
  std::filesystem::path file(const char* name) const { return folder.path() / name; }
  std::unique_ptr<ServerHalf> loaded(const base::MemoryBudget& memory = {}) const {
    return load_server_half(file("server"), memory, [](const params::ParameterIdentity&) {});
  }
  /// Writes keys, and that many different samples.
  void write_keys() const { runtime::save(bench.context, *bench.keys(program), binding, file("keys")); }
  std::vector<CiphertextArray> sample(unsigned seed) const { return bench.encrypt(program, {tensor(seed)}); }
  std::vector<double> tensor(unsigned seed) const {
    return runtime::ProgramWriter(bench.slots(), seed).numbers(program.value(0).layout);
  }
  void write_inputs(const std::vector<std::vector<CiphertextArray>>& samples, const char* input = "x",
                    const std::optional<runtime::BatchedInputs>& batched = {}) const {
    runtime::CiphertextWriter writer(file("x"), bench.context, runtime::CiphertextRole::inputs, binding, {input},
                                     batched);
    for (const std::vector<CiphertextArray>& one : samples) writer.add(one);
    writer.finish();
  }

  runtime::Bench bench;
  slots::Program program;
  base::TemporaryFolder folder;
  runtime::Binding binding;
};

TEST(ServedOnSlots, NeedsLessThanItsBudgetForKeysCiphertextsAndItsLargestWeights) {
  const ServedProgram served(ring_of_64(), halving);
  const params::CkksLiteral& literal = served.bench.context->parameters().literal();
  const double keys = params::key_bytes(literal, slots::key_manifest(served.program));
  const double values = slots::value_bytes(served.program, params::Account(literal), base::thread_limit());
  const runtime::WeightBytes weights(served.program, *served.bench.context);
  ASSERT_GT(weights.most(1), weights.counted(1) + 1) << "a bound that is known at once refuses nothing that fits";
  const auto needed = static_cast<std::uint64_t>(keys + values + static_cast<double>(weights.counted(1)));
  EXPECT_EQ(served.loaded({.bytes = needed + 1})->model().key_bytes, static_cast<std::uint64_t>(keys));
  EXPECT_THAT(base::refusal([&] { served.loaded({.bytes = needed}); }),
              HasSubstr("keys, ciphertexts, transforms and the largest weights of model 'made' need"));
  // What stays, of three evaluations at once: their ciphertexts, and the weights once.
  const auto shared = [&](int evaluations) {
    return served.loaded()->prepare({.memory = {}, .evaluations = evaluations}, 1000, base::Progress::silent());
  };
  EXPECT_EQ(shared(3), shared(1) + 2 * static_cast<std::uint64_t>(values));
}

TEST(ServedOnSlots, NeedsRoomForTheTransformsOfBootstrapsToo) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const ServedProgram served(literal, runtime::refreshing_program);
  const params::Account account(literal);
  const double transforms = slots::transform_bytes(served.program, account);
  const double rest = params::key_bytes(literal, slots::key_manifest(served.program)) +
                      slots::value_bytes(served.program, account, base::thread_limit()) +
                      static_cast<double>(runtime::WeightBytes(served.program, *served.bench.context).counted(2));
  ASSERT_GT(transforms, 1.0);
  const auto needed = static_cast<std::uint64_t>(rest + transforms);
  EXPECT_EQ(base::refusal([&] { served.loaded({.bytes = needed + 2}); }), base::kNotRefused);
  EXPECT_NE(base::refusal([&] { served.loaded({.bytes = needed - 1}); }), base::kNotRefused);
}

TEST(ServedOnSlots, AnswersTheSameWithCheckpointsAndLeavesNone) {
  const ServedProgram served(ring_of_64(), halving);
  served.write_keys();
  served.write_inputs({served.sample(1), served.sample(2), served.sample(3)});
  const auto folder = served.file("checkpoints");
  std::filesystem::create_directory(folder);
  for (const auto& checkpoints : {std::filesystem::path(), folder}) {
    const std::unique_ptr<ServerHalf> half = served.loaded();
    const auto keys = half->load_keys(served.file("keys"));
    EXPECT_EQ(keys->bytes(), served.bench.keys(served.program)->bytes());
    StagesForTest stages;
    const EvaluatedInputs done = half->evaluate(*keys, {served.file("x"), served.file("y"), checkpoints}, stages);
    EXPECT_EQ(done.inputs, 3u);
    EXPECT_EQ(stages.of("evaluating"), (StagesForTest::Stage{3, 3}));
    EXPECT_EQ(stages.of("evaluate"), (StagesForTest::Stage{3 * 3, 3 * 3})) << "a step an instruction of each";
    const runtime::CiphertextReader results(served.file("y"), served.bench.context, runtime::CiphertextRole::results);
    EXPECT_EQ(
        results.questions(),
        runtime::CiphertextReader(served.file("x"), served.bench.context, runtime::CiphertextRole::inputs).digests());
    EXPECT_EQ(done.receipt.output, results.root());
    for (unsigned s = 0; s < 3; ++s) {
      const std::vector<double> given = served.tensor(s + 1);
      const auto found = served.bench.decrypt(results.read(s)[0], served.program.value(0).layout);
      for (std::size_t i = 0; i < given.size(); ++i) ASSERT_NEAR(found[i], given[i] / 2, 1e-6) << s << " " << i;
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST(ServedOnSlots, CountsTheInputsOfABatch) {
  const ServedProgram served(ring_of_64(), halving);
  served.write_keys();
  served.write_inputs({served.sample(1), served.sample(2)}, "x", runtime::BatchedInputs{5, 3});
  const std::unique_ptr<ServerHalf> half = served.loaded();
  StagesForTest stages;
  const EvaluatedInputs done =
      half->evaluate(*half->load_keys(served.file("keys")), {served.file("x"), served.file("y"), {}}, stages);
  EXPECT_EQ(done.inputs, 5u);
  EXPECT_EQ(stages.of("evaluating"), (StagesForTest::Stage{5, 5}));
  EXPECT_EQ(
      runtime::CiphertextReader(served.file("y"), served.bench.context, runtime::CiphertextRole::results).batched(),
      (runtime::BatchedInputs{5, 3}));
}

TEST(ServedOnSlots, RefusesTheSameInputTwiceOtherTensorsAndOtherKeys) {
  ServedProgram served(ring_of_64(), halving);
  served.write_keys();
  const std::unique_ptr<ServerHalf> half = served.loaded();
  const auto keys = half->load_keys(served.file("keys"));
  const auto evaluate_inputs = [&] {
    half->evaluate(*keys, {served.file("x"), served.file("y"), {}}, base::Progress::silent());
  };
  const std::string x = served.file("x").string();
  const std::vector<CiphertextArray> one = served.sample(1);
  served.write_inputs({one, served.sample(2), one});
  EXPECT_EQ(base::refusal(evaluate_inputs), x + " holds the same input twice; encrypt each for itself");
  served.write_inputs({one}, "z");
  const std::string others = x + " holds other tensors than the network's inputs; give the file that encrypt wrote";
  EXPECT_EQ(base::refusal(evaluate_inputs), others);
  EXPECT_EQ(base::refusal([&] { half->inputs_of(served.file("x")); }), others);
  EXPECT_FALSE(std::filesystem::exists(served.file("y")));
  const runtime::Binding before = served.binding;
  served.binding.key_set[0] ^= 1;
  served.write_inputs({one});
  EXPECT_THAT(base::refusal<base::KeyMismatch>(evaluate_inputs), HasSubstr("do not belong together: key set"));
  EXPECT_EQ(half->inputs_of(served.file("x")).binding.key_set, served.binding.key_set);
  served.binding = before;
  served.write_inputs({one});
  EXPECT_EQ(base::refusal(evaluate_inputs), base::kNotRefused);
}

// Its size says that a sample is none of the model's: nothing of it is read.
TEST(ServedOnSlots, RefusesSamplesByTheirSizeAndKnowsThatOfItsResults) {
  const ServedProgram served(ring_of_64(), halving);
  served.write_keys();
  const std::unique_ptr<ServerHalf> half = served.loaded();
  const auto keys = half->load_keys(served.file("keys"));
  served.write_inputs({served.sample(1), served.sample(2)});
  const FoundInputs found = half->inputs_of(served.file("x"));
  EXPECT_EQ(found.runs, 2u);
  half->evaluate(*keys, {served.file("x"), served.file("y"), {}}, base::Progress::silent());
  const std::uint64_t real = std::filesystem::file_size(served.file("y"));
  EXPECT_LE(real, found.result_bytes);
  EXPECT_GE(real + (129 << 10), found.result_bytes);
  // Ten times the ciphertexts, and none.
  std::vector<CiphertextArray> many = served.sample(3), none = many;
  for (int i = 0; i < 9; ++i) many[0].push_back(many[0][0]);
  none[0].clear();
  for (const auto& sample : {many, none}) {
    served.write_inputs({served.sample(1), sample});
    const auto refused =
        testing::AllOf(HasSubstr(" has a sample 1 of "), HasSubstr("give the file that encrypt wrote"));
    EXPECT_THAT(base::refusal([&] { half->inputs_of(served.file("x")); }), refused);
    EXPECT_THAT(base::refusal([&] {
                  half->evaluate(*keys, {served.file("x"), served.file("y"), {}}, base::Progress::silent());
                }),
                refused);
  }
}

TEST(ServedOnSlots, AnEvaluationGoesOnAfterAPause) {
  const ServedProgram served(ring_of_64(), halving);
  served.write_keys();
  served.write_inputs({served.sample(1), served.sample(2), served.sample(3)});
  const std::unique_ptr<ServerHalf> half = served.loaded();
  const auto keys = half->load_keys(served.file("keys"));
  half->evaluate(*keys, {served.file("x"), served.file("whole"), {}}, base::Progress::silent());
  const auto started = half->start(*keys, served.file("x"), served.file("y"));
  StagesForTest stages;
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_FALSE(started->go_on(*keys, stages, [] { return true; }));
    EXPECT_FALSE(std::filesystem::exists(served.file("y")));
  }
  const std::optional<EvaluatedInputs> done = started->go_on(*keys, stages, [] { return true; });
  ASSERT_TRUE(done);
  EXPECT_EQ(done->inputs, 3u);
  EXPECT_EQ(stages.of("evaluating"), (StagesForTest::Stage{3, 3}));
  EXPECT_EQ(base::read_file(served.file("y")), base::read_file(served.file("whole")));
}

/// Twice x plus 1, of x in [0, 3].
TEST(ServedOnIntegers, TakesOneInputASampleOfItsOwnTensors) {
  constexpr int kStep = 59;
  const base::TemporaryFolder folder;
  const auto context = scheme::tfhe::Context::make(params::TfheParameters::check(params::sums_literal(-64)));
  const auto secret = scheme::tfhe::SecretKey::generate(*context);
  runtime::IntegerServerModel server;
  server.name = std::string("sum");
  server.literal = context->parameters().literal();
  server.program = {"sum", 4, {}};
  server.program.instructions.push_back({integers::Input{"x"}, {1, 1}, kStep, 0, 3, true, "x", "input 'x'"});
  integers::Linear sum;
  sum.terms.push_back(
      {0, std::make_shared<layout::Contraction>(layout::Contraction::dense({1, 1}, 1, std::vector<double>{2}))});
  sum.bias = {1};
  server.program.instructions.push_back({std::move(sum), {1, 1}, kStep, 1, 7, true, "sum", ""});
  server.program.instructions.push_back({integers::Output{1, "y"}, {1, 1}, kStep, 1, 7, true, "y", ""});
  server.id = runtime::id_of(server, runtime::content_of(server), server.other_half);
  runtime::save(server, folder.path() / "server");
  const std::unique_ptr<ServerHalf> half =
      load_server_half(folder.path() / "server", {}, [](const params::ParameterIdentity&) {});
  const runtime::Binding binding{server.id, context->parameters().hash(), runtime::new_key_set_id()};
  const auto x = folder.path() / "x";
  const std::size_t fresh = 8 + scheme::tfhe::seeded_ciphertexts_bytes(1);
  const auto objection = [&](const char* name, const runtime::BatchedInputs& batched, std::size_t bytes) {
    runtime::SampleWriter writer(x, runtime::ArtefactScheme::tfhe,
                                 {runtime::CiphertextRole::inputs, binding, {name}, batched});
    for (std::size_t s = 0; s < batched.samples(); ++s)
      writer.add([&](const std::function<void(std::span<const std::byte>)>& out) {
        out(std::vector<std::byte>(s == 1 ? bytes : fresh));
      });
    writer.finish();
    return base::refusal([&] { half->inputs_of(x); });
  };
  EXPECT_EQ(objection("x", {3, 1}, fresh), base::kNotRefused);
  // Under a public key, an input has whole masks.
  const std::size_t packed = 8 + scheme::tfhe::packed_ciphertexts_bytes(*context, 1);
  EXPECT_EQ(objection("x", {3, 1}, packed), base::kNotRefused);
  for (const std::size_t bytes : {fresh - 1, packed + 1, packed + 8})
    EXPECT_EQ(objection("x", {3, 1}, bytes),
              fmt::format("{} has a sample 1 of {} bytes, and inputs of this model have {} to {}; give the file that "
                          "encrypt wrote",
                          x.string(), bytes, fresh, packed));
  const std::string others =
      x.string() + " holds other tensors than the network's inputs; give the file that encrypt wrote";
  EXPECT_EQ(objection("x", {3, 2}, fresh), others);
  EXPECT_EQ(objection("z", {3, 1}, fresh), others);
}

TEST(EvaluationRefusals, NameTheFolderForCheckpointsAndTheMissingOutput) {
  const base::TemporaryFolder folder;
  EvaluationFiles files;
  files.model = folder.path() / "server";
  files.keys = folder.path() / "keys";
  files.input = folder.path() / "x";
  const auto objection = [&] {
    return base::refusal([&] {
      evaluate(
          files, {}, [](const params::ParameterIdentity&) {}, base::Progress::silent());
    });
  };
  EXPECT_EQ(objection(), "evaluate: no file was named for the results");
  files.output = folder.path() / "y";
  files.checkpoints = folder.path() / "none" / "checkpoints";
  EXPECT_EQ(objection(),
            fmt::format("--checkpoint {} is no folder and none can be made there", files.checkpoints.string()));
  files.checkpoints = folder.path() / "checkpoints";
  EXPECT_THAT(objection(), HasSubstr("server: cannot open the file")) << "the folder was made";
  EXPECT_TRUE(std::filesystem::is_directory(files.checkpoints));
  EXPECT_THAT(objection(), HasSubstr("server: cannot open the file")) << "and is there";
}

}  // namespace
}  // namespace tacit::session
