#include "session/bounded_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "session/cost_file.h"
#include "session/merkle_files.h"

namespace tacit::session {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(BoundedFile, IsReadWholeUpToItsBound) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "f";
  std::ofstream(file, std::ios::binary) << std::string("a\0b\n", 4);
  EXPECT_EQ(read_bounded(file, 4), std::string("a\0b\n", 4));
  EXPECT_THAT(base::refusal([&] { read_bounded(file, 3); }),
              HasSubstr("4 bytes are more than the 3 bytes that this may have"));
  EXPECT_THAT(base::refusal([&] { read_bounded(folder.path() / "g", 4); }), HasSubstr("there is no such file"));
  EXPECT_THAT(base::refusal([&] { read_bounded(folder.path(), 4); }), HasSubstr("it is no regular one"));
}

TEST(CostFile, IsReadBackAsItWasWritten) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "costs.json";
  params::CostTable costs;
  costs.machine = "a lab";
  costs.ntt_ns = 0.125;
  write_costs(file, costs);
  EXPECT_EQ(params::to_json(read_costs(file)), params::to_json(costs));
  EXPECT_EQ(params::to_json(read_costs("")), params::to_json(params::CostTable{})) << "no file: the default prices";
  EXPECT_THAT(base::refusal([&] { read_costs(folder.path() / "none"); }), HasSubstr("'tacit bench cost --output"));
  std::ofstream(file) << "{";
  EXPECT_THAT(base::refusal([&] { read_costs(file); }), testing::StartsWith(file.string() + ": "));
  std::ofstream(file) << std::string((1 << 16) + 1, ' ');
  EXPECT_THAT(base::refusal([&] { read_costs(file); }), HasSubstr("65537 bytes are more than the 65536 bytes"));
  EXPECT_THROW(write_costs(folder.path() / "none" / "costs.json", costs), base::InputError);
}

TEST(MerkleFiles, ATreeTakesTwoDigestsForEveryLeaf) {
  constexpr std::uint64_t kLeaves = 10, kBytes = kLeaves * 2 * sizeof(merkle::Digest);
  EXPECT_EQ(base::refusal([] { require_room(kLeaves, {.bytes = kBytes}, "m.tacit"); }), base::kNotRefused);
  EXPECT_THAT(base::refusal([] { require_room(kLeaves, {.bytes = kBytes - 1}, "m.tacit"); }),
              AllOf(HasSubstr("m.tacit: a tree of 10 leaves takes"), HasSubstr("--chunk")));
  EXPECT_EQ(base::refusal([] { require_room(kLeaves, {}, "m.tacit"); }), base::kNotRefused) << "without a bound";
}

TEST(MerkleFiles, AProofHasAtMostAGibibyte) {
  const base::TemporaryFolder folder;
  const std::filesystem::path file = folder.path() / "proof";
  std::ofstream(file) << "x";
  std::filesystem::resize_file(file, (std::uintmax_t{1} << 30) + 1);  // takes no room
  EXPECT_THAT(base::refusal([&] { load_proof(file); }),
              HasSubstr("1073741825 bytes are more than the 1073741824 bytes that this may have"));
}

}  // namespace
}  // namespace tacit::session
