#include "runtime/slots/ranked_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "base/parallel.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/artefact.h"
#include "runtime/crew.h"
#include "runtime/description.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/small_program_for_test.h"
#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

params::CkksLiteral tiny_ring_literal() {
  params::CkksLiteral literal = small_insecure_literal(4);
  literal.log_n = 6;
  return literal;
}

/// Three layers on five ciphertexts, four, and one, with a number of inputs.
class RankedRunsTest : public ::testing::Test {
 protected:
  RankedRunsTest() : bench_(tiny_ring_literal()) {
    ProgramWriter writer(bench_.slots());
    const auto x = writer.input("x", Layout::row_major({5 * bench_.slots()}, bench_.slots()));
    const auto h = writer.dense(x, Layout::row_major({4 * bench_.slots()}, bench_.slots()));
    const auto s = writer.multiply(h, h);
    writer.output(writer.dense(s, Layout::row_major({3}, bench_.slots())), "y");
    program_ = writer.finish(bench_.context->parameters());
    keys_ = bench_.keys(program_);
    for (unsigned i = 0; i < 3; ++i)
      inputs_.push_back(bench_.encrypt(program_, {ProgramWriter(bench_.slots(), i).numbers(program_.value(0).layout)}));
    const Executor executor(bench_.prepared(program_), keys_);
    for (const auto& input : inputs_) expected_.push_back(bytes_of(*bench_.context, executor.run(input).outputs));
  }
  Checkpoints checkpoints(const std::string& version = "1", std::uint8_t model = 1, std::uint8_t keys = 1) const {
    Checkpoints checkpoints{folder_.path(), {version}};
    checkpoints.of.binding.model[0] = model;
    checkpoints.of.keys[0] = keys;
    return checkpoints;
  }
  RankedRuns runs(Communicator& ranks, std::size_t count, std::optional<Checkpoints> kept = std::nullopt) const {
    return RankedRuns(ranks, bench_.context, program_, keys_, count, {}, std::move(kept));
  }

  Bench bench_;
  slots::Program program_;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys_;
  std::vector<std::vector<CiphertextArray>> inputs_;
  std::vector<std::vector<std::byte>> expected_;
  base::TemporaryFolder folder_;
};

TEST_F(RankedRunsTest, RoundsOfRunsGiveWhatOneRankGives) {
  struct Case {
    int ranks;
    std::size_t runs, at_once;
  };
  for (const Case& c : {Case{1, 3, 1}, Case{2, 3, 2}, Case{2, 1, 1}, Case{3, 3, 3}, Case{4, 3, 3}, Case{5, 2, 2}})
    ThreadRanks::run(c.ranks, [&](Communicator& self) {
      if (self.rank() != 0) return serve(self);
      RankedRuns all = runs(self, c.runs);
      all.encode();
      EXPECT_EQ(all.at_once(), c.at_once);
      for (std::size_t first = 0; first < c.runs; first += all.at_once()) {
        const std::size_t count = std::min(all.at_once(), c.runs - first);
        const auto results = all.run(std::span(inputs_).subspan(first, count), first);
        ASSERT_EQ(results.size(), count);
        for (std::size_t r = 0; r < count; ++r) {
          EXPECT_EQ(bytes_of(*bench_.context, results[r].outputs), expected_[first + r])
              << c.ranks << " ranks, run " << first + r;
          EXPECT_EQ(results[r].seconds.size(), program_.instructions.size());
        }
      }
      give_order(self, Order::leave);
    });
}

/// Stops a run behind an instruction.
struct Interruption final : Observer {
  void carried_out(program::ValueId id, const slots::Instruction&, std::span<const program::ArrayPtr>,
                   const program::ArrayPtr&) override {
    seen.push_back(id);
    if (id == last) throw base::InputError("interrupted");
  }
  program::ValueId last = 0;
  std::vector<program::ValueId> seen;
};

TEST_F(RankedRunsTest, AnInterruptedRunGoesOnBehindItsLastLayer) {
  OneRank alone;
  RankedRuns all = runs(alone, 1, checkpoints());
  Interruption interruption;
  interruption.last = 2;
  EXPECT_THROW(all.run(std::span(inputs_).first(1), 0, &interruption), base::InputError);
  const std::filesystem::path file = checkpoints().file(0);
  EXPECT_EQ(artefact_kind(file), ArtefactKind::checkpoint);

  ThreadRanks::run(3, [&](Communicator& self) {
    if (self.rank() != 0) return serve(self);
    RankedRuns resumed = runs(self, 1, checkpoints());
    resumed.encode();
    Interruption watch;
    watch.last = static_cast<program::ValueId>(program_.instructions.size());
    const auto results = resumed.run(std::span(inputs_).first(1), 0, &watch);
    EXPECT_EQ(bytes_of(*bench_.context, results[0].outputs), expected_[0]);
    EXPECT_GE(watch.seen.front(), 1U);
    give_order(self, Order::leave);
  });
  // Done, it answers without work.
  RankedRuns again = runs(alone, 1, checkpoints());
  Interruption watch;
  EXPECT_EQ(bytes_of(*bench_.context, again.run(std::span(inputs_).first(1), 0, &watch)[0].outputs), expected_[0]);
  EXPECT_TRUE(watch.seen.empty());
  checkpoints().remove(1);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST_F(RankedRunsTest, ACheckpointOfSomethingElseIsRefused) {
  OneRank alone;
  runs(alone, 1, checkpoints()).run(std::span(inputs_).first(1));
  const auto refused = [&](const Checkpoints& kept, std::size_t input, const char* why) {
    EXPECT_THAT([&] { runs(alone, 1, kept).run(std::span(inputs_).subspan(input, 1)); },
                ThrowsMessage<base::KeyMismatch>(AllOf(HasSubstr("run-0.checkpoint is a checkpoint of"), HasSubstr(why),
                                                       HasSubstr("name another folder"))));
  };
  refused(checkpoints(), 1, "another run, on other inputs");
  refused(checkpoints("2"), 0, "tacit 1, and this is 2");
  refused(checkpoints("1", 2), 0, "another model");
  refused(checkpoints("1", 1, 2), 0, "other keys");

  std::filesystem::resize_file(checkpoints().file(0), std::filesystem::file_size(checkpoints().file(0)) - 1);
  EXPECT_THAT([&] { runs(alone, 1, checkpoints()).run(std::span(inputs_).first(1)); },
              ThrowsMessage<base::InputError>(AllOf(HasSubstr("run-0.checkpoint"), HasSubstr("remove it"))));
}

TEST_F(RankedRunsTest, ACheckpointThatLacksWhatTheRestReadsIsRefused) {
  OneRank alone;
  const base::Digest input = digest_of(*bench_.context, inputs_[0]);
  for (const program::ValueId next :
       {program::ValueId{1}, static_cast<program::ValueId>(program_.instructions.size())}) {
    checkpoints().save(*bench_.context, 0, input, RunState{next, {}});
    EXPECT_THAT([&] { runs(alone, 1, checkpoints()).run(std::span(inputs_).first(1)); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr("run-0.checkpoint"), HasSubstr("it lacks the value"))));
  }
}

TEST_F(RankedRunsTest, ACheckpointInMemoryIsTheFile) {
  const base::Digest input = digest_of(*bench_.context, inputs_[0]);
  const RunState state{1, {{program::ValueId{0}, inputs_[0][0]}}};
  const Checkpoints kept = checkpoints();
  kept.save(*bench_.context, 0, input, state);
  std::vector<std::byte> bytes;
  save_run(*bench_.context, kept.of, input, state, Sink::memory(bytes));
  const std::vector<char> file = base::read_file(kept.file(0));
  EXPECT_TRUE(std::ranges::equal(bytes, std::as_bytes(std::span(file))));
  const auto load = [&](const Checkpoints& of) {
    return load_run(*bench_.context, of.of, program_, input, Source::memory(bytes, "it"));
  };
  const RunState again = load(kept);
  EXPECT_EQ(again.next, 1U);
  EXPECT_EQ(again.values.size(), 1U);
  EXPECT_THAT([&] { load(checkpoints("2")); },
              ThrowsMessage<base::KeyMismatch>(HasSubstr("it is a checkpoint of tacit 1, and this is 2")));
  bytes.pop_back();
  EXPECT_THAT([&] { load(kept); }, ThrowsMessage<base::InputError>(HasSubstr("it: the file has ")));
}

TEST_F(RankedRunsTest, ACheckpointOfValuesThatAreNotMadeYetIsRefused) {
  OneRank alone;
  const base::Digest input = digest_of(*bench_.context, inputs_[0]);
  const auto refused = [&](const RunState& state, const char* why) {
    checkpoints().save(*bench_.context, 0, input, state);
    EXPECT_THAT([&] { runs(alone, 1, checkpoints()).run(std::span(inputs_).first(1)); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr("run-0.checkpoint"), HasSubstr(why))));
  };
  const auto count = static_cast<program::ValueId>(program_.instructions.size());
  refused({count + 1, {}}, "it has no place in this program");
  // The input is the value before the second instruction, which comes next.
  refused({1, {{1, inputs_[0][0]}}}, "it has no place in this program");
  refused({1, {{count, inputs_[0][0]}}}, "it has no place in this program");
  refused({2, {{1, inputs_[0][0]}}}, "is not as this program makes it");
  CiphertextArray fewer = inputs_[0][0];
  fewer.pop_back();
  refused({1, {{0, fewer}}}, "is not as this program makes it");
  checkpoints().save(*bench_.context, 0, input, RunState{1, {{0, inputs_[0][0]}}});
  RankedRuns whole = runs(alone, 1, checkpoints());
  EXPECT_EQ(bytes_of(*bench_.context, whole.run(std::span(inputs_).first(1))[0].outputs), expected_[0]);
}

// Each value is read once: a list that repeats one would take its bytes as often.
TEST_F(RankedRunsTest, ACheckpointNamesEachValueOnceInOrder) {
  const base::Digest input = digest_of(*bench_.context, inputs_[0]);
  const std::filesystem::path file = checkpoints().file(0);
  checkpoints().save(*bench_.context, 0, input, RunState{1, {{0, inputs_[0][0]}}});
  const auto objection = [&](const char* from, const std::string& to) {
    nlohmann::json json;
    std::vector<std::byte> value;
    {
      const ArtefactReader reader(file, ArtefactKind::checkpoint);
      json = nlohmann::json::parse(reader.read_text(reader.section(kAboutSection, SectionType::text)));
      value = reader.read(reader.section("value 0", SectionType::ciphertext));
    }
    json[from] = nlohmann::json::parse(to);
    json["next"] = 2;
    ArtefactWriter writer(file, ArtefactKind::checkpoint);
    writer.add_section(kAboutSection, SectionType::text, json.dump());
    writer.add_section("value 0", SectionType::ciphertext, value);
    writer.finish();
    return base::refusal([&] { checkpoints().load(*bench_.context, program_, 0, input); });
  };
  EXPECT_THAT(objection("values", "[0, 0]"), HasSubstr("it names the value 0 after the value 0"));
  EXPECT_THAT(objection("values", "[1, 0]"), HasSubstr("it names the value 0 after the value 1"));
  std::string many = "[0";
  for (int i = 1; i < 70000; ++i) many += ",0";
  EXPECT_THAT(objection("values", many + "]"), HasSubstr("its description: more than 65536 values"));
}

TEST_F(RankedRunsTest, ACheckpointOfAnotherLevelOrScaleIsRefused) {
  const base::Digest input = digest_of(*bench_.context, inputs_[0]);
  const slots::Instruction& first = program_.value(0);
  const auto objection = [&](std::size_t at, int level, double scale) {
    CiphertextArray array = inputs_[0][0];
    const std::vector<double> halves(static_cast<std::size_t>(bench_.slots()), 0.5);
    array[at] = scheme::ckks::Encryptor(bench_.context, bench_.secret)
                    .encrypt(scheme::ckks::Encoder(bench_.context).encode(halves, level, scale));
    checkpoints().save(*bench_.context, 0, input, RunState{1, {{0, array}}});
    return base::refusal([&] { checkpoints().load(*bench_.context, program_, 0, input); });
  };
  const std::string other = checkpoints().file(0).string() +
                            ": its value 0 is not as this program makes it; where no whole copy is kept, remove it: "
                            "its run begins anew";
  ASSERT_GT(first.level, 0);
  for (const std::size_t at : {0, 4}) {
    EXPECT_EQ(objection(at, first.level, first.scale), base::kNotRefused) << at;
    EXPECT_EQ(objection(at, first.level - 1, first.scale), other) << at;
    EXPECT_EQ(objection(at, first.level, 2 * first.scale), other) << at;
  }
}

TEST_F(RankedRunsTest, ACheckpointHasTheFirstValueThatItLacksNamed) {
  const base::Digest input = digest_of(*bench_.context, inputs_[0]);
  ASSERT_EQ(program_.instructions.size(), 5u);
  // Instructions read the value before theirs; the last is an output.
  for (const auto& [next, lacking] : std::map<program::ValueId, int>{{1, 0}, {2, 1}, {3, 2}, {4, 3}, {5, 4}}) {
    checkpoints().save(*bench_.context, 0, input, RunState{next, {}});
    EXPECT_EQ(base::refusal([&] { checkpoints().load(*bench_.context, program_, 0, input); }),
              checkpoints().file(0).string() + ": it lacks the value " + std::to_string(lacking) +
                  "; where no whole copy is kept, remove it: its run begins anew");
  }
  checkpoints().save(*bench_.context, 0, input, RunState{0, {}});
  const std::optional<RunState> begun = checkpoints().load(*bench_.context, program_, 0, input);
  ASSERT_TRUE(begun);
  EXPECT_EQ(RunState{}.next, 0u);
  EXPECT_EQ(begun->next, 0u);
  EXPECT_TRUE(begun->values.empty());
}

TEST_F(RankedRunsTest, SoManyCheckpointsAreRemoved) {
  for (const std::size_t run : {0, 1, 2}) checkpoints().save(*bench_.context, run, {}, RunState{});
  checkpoints().remove(2);
  for (const std::size_t run : {0, 1, 2}) EXPECT_EQ(std::filesystem::exists(checkpoints().file(run)), run == 2) << run;
}

TEST_F(RankedRunsTest, TextsOfAnOrderAreReadUpToTheirLongest) {
  const auto objection = [&](const std::string& parameters, const std::string& folder) {
    base::ByteWriter order;
    order.text(parameters);
    order.u64(0);
    order.u32(static_cast<std::uint32_t>(base::thread_limit()));
    order.u64(1);
    order.text(folder);
    const std::vector<std::uint8_t> bytes = order.take();
    OneRank alone;
    return base::refusal([&] { RankedRuns(alone, bytes); });
  };
  const auto unfit = [](std::size_t size) {
    return HasSubstr("a text of " + std::to_string(size) + " bytes does not fit");
  };
  std::string parameters = params::to_json(bench_.context->parameters().literal());
  EXPECT_THAT(objection(parameters, std::string(65536, 'a')), Not(HasSubstr("does not fit")));
  EXPECT_THAT(objection(parameters, std::string(65537, 'a')), unfit(65537));
  parameters.resize(1048576, ' ');
  EXPECT_THAT(objection(parameters, ""), Not(HasSubstr("does not fit")));
  EXPECT_THAT(objection(parameters + ' ', ""), unfit(1048577));
}

TEST_F(RankedRunsTest, OneRankGoesByTheKeysThatItsOptionsName) {
  OneRank alone;
  RankedRuns named(alone, bench_.context, program_, keys_, 1, {.key_bytes = 5});
  EXPECT_EQ(named.prepared().memory().keys, 5u);
  EXPECT_EQ(named.prepared().memory().weights, 0u);
  named.encode();
  EXPECT_GT(named.prepared().memory().weights, 0u);
}

TEST_F(RankedRunsTest, EveryRunHasACheckpointOfItsNumber) {
  OneRank alone;
  RankedRuns two = runs(alone, 2, checkpoints());
  const auto results = two.run(std::span(inputs_).first(2), 3);
  ASSERT_EQ(results.size(), 2u);
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_EQ(bytes_of(*bench_.context, results[r].outputs), expected_[r]);
    EXPECT_TRUE(std::filesystem::exists(checkpoints().file(3 + r))) << r;
  }
  EXPECT_FALSE(std::filesystem::exists(checkpoints().file(2)));
}

}  // namespace
}  // namespace tacit::runtime
