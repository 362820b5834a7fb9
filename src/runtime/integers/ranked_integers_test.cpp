#include "runtime/integers/ranked_integers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"
#include "runtime/integers/integer_checkpoints.h"
#include "runtime/slots/checkpoints.h"
#include "runtime/thread_ranks_for_test.h"

namespace tacit::runtime {
namespace {

using scheme::tfhe::LweCiphertexts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

/// A program with keys, three inputs, and what one rank makes of them.
class Ranked {
 public:
  explicit Ranked(integers::Program of)
      : program(std::move(of)),
        context(scheme::tfhe::Context::make(
            params::TfheParameters::check(params::solve(integers::requirements(program, -64))))) {
    const auto secret = scheme::tfhe::SecretKey::generate(*context);
    keys = std::make_shared<const IntegerKeys>(context, scheme::tfhe::SeededEvaluationKeys::generate(*context, secret),
                                               true);
    const integers::Instruction& input = program.instructions.front();
    const scheme::tfhe::Encryptor encryptor(context, secret);
    for (std::uint64_t i = 0; i < 3; ++i) {
      std::vector<scheme::tfhe::Torus> numbers;
      for (std::uint64_t e = 0; e < integers::elements(input); ++e) numbers.push_back(((i + e) % 2) << input.step);
      inputs.push_back({scheme::tfhe::expand(*context, encryptor.encrypt_seeded(numbers))});
    }
    const IntegerExecutor alone(
        RunsOnIntegers::executor(std::make_shared<const PreparedIntegers>(context, program), keys));
    for (const auto& input_of : inputs) expected.push_back(alone.run(input_of).outputs);
  }
  /// Of two sums that are looked up five times, made once. Pairs of tables share a bootstrap, so that the second lookup
  /// is made with the first. There is no checkpoint.
  static const Ranked& sharing() {
    static const Ranked ranked(integers::sharing_program(1));
    ranked.checkpoints().remove(1);
    return ranked;
  }
  RankedIntegers runs(Communicator& ranks, std::size_t count, std::optional<Checkpoints> kept = std::nullopt) const {
    return {ranks, context, program, keys, count, {}, std::move(kept)};
  }
  Checkpoints checkpoints(const std::string& version = "1", std::uint8_t model = 1) const {
    Checkpoints kept{folder.path(), {version}};
    kept.of.binding.model[0] = model;
    kept.of.binding.parameters = context->parameters().hash();
    return kept;
  }
  base::Digest question(std::size_t i) const {
    return digest_of(pieces_of(*context, std::span<const LweCiphertexts>(inputs[i])));
  }
  /// The refusal of a run of the first input.
  std::string refusal(const Checkpoints& kept, std::size_t input = 0) const {
    OneRank alone;
    return base::refusal<base::Error>([&] { runs(alone, 1, kept).run(std::span(inputs).subspan(input, 1)); });
  }

  const integers::Program program;
  const scheme::tfhe::ContextPtr context;
  std::shared_ptr<const IntegerKeys> keys;
  std::vector<std::vector<LweCiphertexts>> inputs, expected;
  const base::TemporaryFolder folder;
};

TEST(RankedIntegers, AnyNumberOfRanksMakesTheSameWords) {
  struct Case {
    int ranks;
    std::size_t runs, at_once;
  };
  const Ranked rounding(integers::rounding_program());
  for (const Ranked* const one : {&Ranked::sharing(), &rounding}) {
    const Ranked& all = *one;
    const integers::Program& program = all.program;
    for (const Case& c : {Case{1, 3, 1}, Case{2, 1, 1}, Case{2, 3, 2}, Case{3, 1, 1}, Case{4, 1, 1}, Case{5, 2, 2}})
      ThreadRanks::run(c.ranks, [&](Communicator& self) {
        if (self.rank() != 0) return serve(self);
        RankedIntegers ranked = all.runs(self, c.runs);
        EXPECT_EQ(ranked.at_once(), c.at_once);
        for (std::size_t first = 0; first < c.runs; first += ranked.at_once()) {
          const std::size_t count = std::min(ranked.at_once(), c.runs - first);
          const auto results = ranked.run(std::span(all.inputs).subspan(first, count), first);
          ASSERT_EQ(results.size(), count);
          for (std::size_t r = 0; r < count; ++r) {
            EXPECT_TRUE(results[r].outputs == all.expected[first + r])
                << program.name << " on " << c.ranks << " ranks, run " << first + r;
            EXPECT_THAT(results[r].seconds, SizeIs(program.instructions.size()));
          }
        }
        give_order(self, Order::leave);
      });
  }
}

TEST(RankedIntegers, RanksShareTheBootstrapsOfARun) {
  const Ranked& all = Ranked::sharing();
  struct Count final : base::Progress {
    void stage_began(std::string_view, std::uint64_t steps) override { planned += steps; }
    void steps_done(std::uint64_t steps) override { done += steps; }
    void stage_ended() override {}
    std::uint64_t planned = 0, done = 0;
  };
  ThreadRanks::run(2, [&](Communicator& self) {
    if (self.rank() != 0) return serve(self);
    Count count;  // of rank 0
    all.runs(self, 1).run(std::span(all.inputs).first(1), 0, nullptr, count);
    EXPECT_EQ(integers::bootstraps(all.program), 3u);
    EXPECT_EQ(count.planned, 1u);
    EXPECT_EQ(count.done, 1u);
    give_order(self, Order::leave);
  });
}

/// Stops a run after an instruction.
struct Stop final : IntegerObserver {
  void value(program::ValueId id, const LweCiphertexts&) override {
    seen.push_back(id);
    if (id == last) throw base::InputError("interrupted");
  }
  program::ValueId last = 0;
  std::vector<program::ValueId> seen;
};

TEST(RankedIntegers, AnInterruptedRunGoesOnAfterItsLastLayer) {
  const Ranked& all = Ranked::sharing();
  const Checkpoints kept = all.checkpoints();
  OneRank alone;
  Stop stop;
  stop.last = 3;
  RankedIntegers interrupted = all.runs(alone, 1, kept);
  EXPECT_THROW(interrupted.run(std::span(all.inputs).first(1), 0, &stop), base::InputError);
  ThreadRanks::run(3, [&](Communicator& self) {
    if (self.rank() != 0) return serve(self);
    RankedIntegers resumed = all.runs(self, 1, kept);
    const auto results = resumed.run(std::span(all.inputs).first(1));
    EXPECT_TRUE(results[0].outputs == all.expected[0]);
    EXPECT_EQ(results[0].seconds[0], 0) << "it was not carried out again";
    give_order(self, Order::leave);
  });
  // Done, it answers without work.
  Stop none;
  RankedIntegers again = all.runs(alone, 1, kept);
  EXPECT_TRUE(again.run(std::span(all.inputs).first(1), 0, &none)[0].outputs == all.expected[0]);
  EXPECT_THAT(none.seen, IsEmpty());
  kept.remove(1);
  EXPECT_TRUE(std::filesystem::is_empty(all.folder.path()));
}

TEST(RankedIntegers, EveryStateLeadsToTheSameWords) {
  const Ranked& all = Ranked::sharing();
  const Checkpoints kept = all.checkpoints();
  OneRank alone;
  struct Values final : IntegerObserver {
    void value(program::ValueId, const LweCiphertexts& ciphertexts) override { made.push_back(ciphertexts); }
    std::vector<LweCiphertexts> made;
  } values;
  all.runs(alone, 1).run(std::span(all.inputs).first(1), 0, &values);
  const integers::Makers makers(all.program);
  for (program::ValueId next = 0; next <= all.program.instructions.size(); ++next) {
    IntegerRunState state{next, {}};
    for (program::ValueId id = 0; id < values.made.size(); ++id)
      if (makers.of(id) < next) state.values.emplace_back(id, values.made[id]);
    kept.save(*all.context, 0, all.question(0), state);
    ThreadRanks::run(2, [&](Communicator& self) {
      if (self.rank() != 0) return serve(self);
      const auto result = all.runs(self, 1, kept).run(std::span(all.inputs).first(1))[0];
      EXPECT_TRUE(result.outputs == all.expected[0]) << next;
      EXPECT_THAT(std::vector(result.seconds.begin(), result.seconds.begin() + next), testing::Each(0)) << next;
      give_order(self, Order::leave);
    });
  }
}

// The run of a program of one node is first kept after its first lookup, which has made the second one's value too.
TEST(RankedIntegers, AStateAfterBootstrapsIsKeptWithinALayer) {
  const Ranked& all = Ranked::sharing();
  integers::Program one_node = all.program;
  for (integers::Instruction& made : one_node.instructions) made.node = "trees";
  const Checkpoints kept = all.checkpoints();
  OneRank alone;
  Stop stop;
  stop.last = 3;
  RankedIntegers interrupted(alone, all.context, one_node, all.keys, 1, {}, kept);
  EXPECT_THROW(interrupted.run(std::span(all.inputs).first(1), 0, &stop), base::InputError);
  const std::optional<IntegerRunState> state = kept.load(*all.context, one_node, 0, all.question(0));
  ASSERT_TRUE(state);
  EXPECT_EQ(state->next, 3u);
  std::vector<program::ValueId> ids;
  for (const auto& [id, value] : state->values) ids.push_back(id);
  EXPECT_THAT(ids, ElementsAre(1, 2, 3));
}

TEST(RankedIntegers, ACheckpointOfSomethingElseIsRefused) {
  const Ranked& all = Ranked::sharing();
  EXPECT_EQ(all.refusal(all.checkpoints()), base::kNotRefused);
  const std::string file = all.checkpoints().file(0).string(),
                    way_out = "; name another folder, or remove this one to begin anew";
  EXPECT_EQ(all.refusal(all.checkpoints(), 1), file + " is a checkpoint of another run, on other inputs" + way_out);
  EXPECT_EQ(all.refusal(all.checkpoints("2")), file + " is a checkpoint of tacit 1, and this is 2" + way_out);
  EXPECT_EQ(all.refusal(all.checkpoints("1", 2)), file + " is a checkpoint of another model" + way_out);
  Checkpoints other_keys = all.checkpoints();
  other_keys.of.keys[0] = 1;
  EXPECT_EQ(all.refusal(other_keys), file + " is a checkpoint of other keys" + way_out);
  // Of slots.
  Evaluated of = all.checkpoints().of;
  write_artefact(all.checkpoints().file(0), ArtefactKind::checkpoint, ArtefactScheme::ckks,
                 [&](ArtefactWriter& writer) { write_checkpoint_head(writer, of, all.question(0), {}); });
  EXPECT_THAT(all.refusal(all.checkpoints()), AllOf(StartsWith(file), HasSubstr("CKKS")));
}

TEST(RankedIntegers, ACheckpointHoldsWhatTheRestReadsAsTheProgramMakesIt) {
  const Ranked& all = Ranked::sharing();
  OneRank alone;
  const Checkpoints kept = all.checkpoints();
  const LweCiphertexts& three = all.inputs[0][0];
  const auto ciphertexts = [&](std::size_t count) {
    LweCiphertexts some(params::LweDimension(three.dimension()), count, three.parameters());
    for (std::size_t i = 0; i < count; ++i) std::ranges::copy(three[i % three.count()], some[i].begin());
    return some;
  };
  const auto refused = [&](const IntegerRunState& state) {
    kept.save(*all.context, 0, all.question(0), state);
    return all.refusal(kept);
  };
  const std::string file = kept.file(0).string() + ": ",
                    anew = "; where no whole copy is kept, remove it: its run begins anew";
  EXPECT_EQ(refused({1, {{0, ciphertexts(3)}}}), base::kNotRefused);
  kept.remove(1);
  EXPECT_EQ(refused({1, {}}), file + "it lacks the value 0" + anew);
  EXPECT_EQ(refused({3, {{1, ciphertexts(2)}, {2, ciphertexts(2)}}}), file + "it lacks the value 3" + anew);
  EXPECT_EQ(refused({6, {}}), file + "it lacks the value 5" + anew);
  EXPECT_EQ(refused({1, {{0, ciphertexts(2)}}}), file + "its value 0 is not as this program makes it" + anew);
  EXPECT_EQ(refused({1, {{0, ciphertexts(4)}}}), file + "its value 0 is not as this program makes it" + anew);
  EXPECT_EQ(refused({2, {{1, ciphertexts(2)}, {3, ciphertexts(3)}}}), file + "it has no place in this program" + anew)
      << "nothing makes the value 3 before the instruction 2";
}

TEST(RankedIntegers, MemoryIsHeldToTheBudgetOfEveryRank) {
  const Ranked& all = Ranked::sharing();
  OneRank alone;
  const double needed = memory_need(all.program, all.context->parameters());
  const auto within = [&](double bytes) {
    const PrepareOptions options{.memory = {.bytes = static_cast<std::uint64_t>(bytes)}};
    return base::refusal([&] { RankedIntegers(alone, all.context, all.program, all.keys, 1, options); });
  };
  EXPECT_EQ(within(needed + 1), base::kNotRefused);
  EXPECT_THAT(within(needed), HasSubstr("keys, tables and ciphertexts of program 'small' need"));
}

}  // namespace
}  // namespace tacit::runtime
