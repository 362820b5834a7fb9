#include "runtime/slots/key_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "params/small_ring_for_test.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/small_program_for_test.h"

namespace tacit::runtime {
namespace {

using scheme::ckks::EvaluationKeys;
using testing::ElementsAre;

/// Keys of every kind: bootstraps take the last two.
class KeysOfEveryKind : public testing::Test {
 protected:
  KeysOfEveryKind() {
    const int top = bench_.context->parameters().max_level();
    keys_ = scheme::ckks::KeyGenerator(bench_.context)
                .evaluation_keys(bench_.secret, {.relinearise_level = 1,
                                                 .conjugate_level = 0,
                                                 .rotations = {{1, 1}, {3, 0}},
                                                 .raised_rotations = {{0, top}, {5, top}}});
    for_each_key(keys_, [&](const std::string& name, const EvaluationKeys& key) {
      names_.push_back(name);
      parts_.push_back(key);
    });
  }
  /// What a collection of these parts is refused with, if not on the way then at its end.
  std::string objection(const std::vector<EvaluationKeys>& parts) const {
    return base::refusal([&] {
      KeyCollector collector;
      for (const EvaluationKeys& part : parts) collector.add(part);
      collector.take(*bench_.context);
    });
  }

  Bench bench_{params::insecure_on_small_ring("S8", 9)};
  EvaluationKeys keys_;
  std::vector<std::string> names_;
  std::vector<EvaluationKeys> parts_;
};

/// Counts the steps of the only stage, and notes when it ended.
struct Steps final : base::Progress {
  std::uint64_t total = 0, done = 0;
  bool ended = false;
  void stage_began(std::string_view, std::uint64_t of) override { total = of; }
  void steps_done(std::uint64_t count) override { done += count; }
  void stage_ended() override { ended = true; }
};

TEST_F(KeysOfEveryKind, AreMadeOneAtATimeWithTheSameBytesForEverySink) {
  const int top = bench_.context->parameters().max_level();
  scheme::ckks::KeySeries series(bench_.context, bench_.secret,
                                 {.relinearise_level = 1,
                                  .conjugate_level = 0,
                                  .rotations = {{1, 1}, {3, 0}},
                                  .raised_rotations = {{0, top}, {5, top}}});
  const base::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "keys";
  const Binding binding{.parameters = bench_.context->parameters().hash()};
  Steps once, twice;
  const base::Digest root = make_and_save(bench_.context, series, binding, path, once);
  std::vector<std::byte> memory;
  EXPECT_EQ(make_and_save(bench_.context, series, binding, Sink::memory(memory), twice), root);
  EXPECT_EQ(std::make_pair(once.total, once.done), std::make_pair(std::uint64_t{4}, std::uint64_t{4}));
  EXPECT_EQ(std::make_pair(twice.total, twice.done), std::make_pair(std::uint64_t{8}, std::uint64_t{8}));
  EXPECT_TRUE(once.ended && twice.ended);
  const std::vector<char> file = base::read_file(path);
  ASSERT_EQ(file.size(), memory.size());
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(file)), memory));

  // A file of them is that of keys that were made as a whole.
  Provenance found;
  const EvaluationKeys read = load_evaluation_keys(path, bench_.context, nullptr, found);
  EXPECT_EQ(read.manifest(), keys_.manifest());
  std::vector<std::byte> whole;
  EXPECT_EQ(save(bench_.context, read, binding, Sink::memory(whole)), root);
  EXPECT_EQ(whole, memory);
}

TEST_F(KeysOfEveryKind, AreGivenOneAfterTheOtherByName) {
  EXPECT_THAT(names_, ElementsAre("relinearise", "conjugate", "rotate 1", "rotate 3", "raise", "raised rotate 0",
                                  "raised rotate 5"));
  std::size_t bytes = 0;
  for (const EvaluationKeys& part : parts_) {
    EXPECT_EQ(part.parameters, keys_.parameters);
    bytes += part.bytes();
  }
  EXPECT_EQ(bytes, keys_.bytes());
}

TEST_F(KeysOfEveryKind, AreCollectedAgain) {
  KeyCollector collector;
  for (const EvaluationKeys& part : parts_) collector.add(part);
  const EvaluationKeys all = collector.take(*bench_.context);
  EXPECT_EQ(all.parameters, bench_.context->parameters().hash());
  EXPECT_EQ(all.manifest(), keys_.manifest());
  EXPECT_EQ(scheme::ckks::serialize(*bench_.context, all), scheme::ckks::serialize(*bench_.context, keys_));
}

TEST_F(KeysOfEveryKind, AreRefusedWhereTheirRotationsDoNotBelongTogether) {
  const EvaluationKeys &relinearise = parts_[0], &rotate_1 = parts_[2], &rotate_3 = parts_[3];
  EXPECT_EQ(objection({relinearise, rotate_1, rotate_3}), base::kNotRefused);
  EvaluationKeys other = rotate_3;
  other.rotation_primes.top = 7;
  EXPECT_EQ(objection({rotate_1, other}), "its rotation keys are over different primes");
  EXPECT_EQ(objection({relinearise, other}), base::kNotRefused) << "the only ones";
  EvaluationKeys unread = relinearise;
  unread.rotation_primes.top = 7;
  EXPECT_EQ(objection({rotate_1, unread}), base::kNotRefused) << "it has no rotations";
}

TEST_F(KeysOfEveryKind, OfRaisedCiphertextsNeedTheKeyToTheEphemeralSecret) {
  const EvaluationKeys &raise = parts_[4], &rotate_0 = parts_[5], &rotate_5 = parts_[6];
  EXPECT_EQ(objection({raise}), base::kNotRefused);
  EXPECT_EQ(objection({rotate_0, rotate_5, raise}), base::kNotRefused);
  EXPECT_EQ(objection({rotate_0, rotate_5}),
            "it has rotations of raised ciphertexts, and the key to the ephemeral secret is missing");
}

TEST(KeyStore, ManyKeysAreReadInSeveralSteps) {
  params::CkksLiteral literal = params::small_literal();
  literal.log_n = 13;
  const Bench bench(literal);
  params::KeyManifest manifest;
  manifest.relinearise_level = 2;
  for (std::int64_t steps = 1; steps <= 40; ++steps) manifest.rotations[steps] = 2;
  const EvaluationKeys keys = scheme::ckks::KeyGenerator(bench.context).evaluation_keys(bench.secret, manifest);
  const base::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "keys";
  const Binding binding{{}, bench.context->parameters().hash(), new_key_set_id()};
  save(bench.context, keys, binding, path);
  ASSERT_GT(std::filesystem::file_size(path), 2u * (8u << 20));  // more than two steps
  Provenance found;
  const EvaluationKeys read = load_evaluation_keys(path, bench.context, nullptr, found);
  EXPECT_EQ(found, binding);
  EXPECT_EQ(read.manifest(), keys.manifest());
  EXPECT_TRUE(scheme::ckks::serialize(*bench.context, read) == scheme::ckks::serialize(*bench.context, keys));
}

}  // namespace
}  // namespace tacit::runtime
