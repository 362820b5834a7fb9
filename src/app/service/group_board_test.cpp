#include "app/service/group_board.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "app/service/refusal_for_test.h"
#include "base/private_file.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/description.h"
#include "runtime/receipt.h"
#include "runtime/sample_file.h"
#include "runtime/slots/share_file.h"

namespace tacit::app::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

/// Returns the sentence of a refusal with this status.
template <class Body>
std::string told(Body&& body, int status) {
  const std::optional<Refusal> found = refused(body);
  if (!found) return base::kNotRefused;
  EXPECT_EQ(found->status(), status) << found->what();
  return found->what();
}

/// Two of the three owners anna, ben and cleo decrypt, and rita receives.
class GroupBoardTest : public testing::Test {
 protected:
  GroupRecord record(bool agreed, char id = 'a') const {
    GroupRecord group{
        .id = std::string(64, id),
        .proposal = base::hexadecimal(base::Digest{1}),
        .proposer = {},
        .binding = {.model = {2}, .parameters = {}, .key_set = {}},
        .agreed = agreed,
        .threshold = 2,
        .owners = {{"anna", std::string(32, '1')}, {"ben", std::string(32, '2')}, {"cleo", std::string(32, '3')}},
        .receivers = {{"rita", std::string(32, '4')}}};
    if (agreed) group.binding.key_set = {3};
    return group;
  }
  /// A file of an owner's part of keys.
  std::filesystem::path part(const char* round, int owner, char content = '.', base::Digest group = {1}) {
    const std::filesystem::path path = folder_.path() / "part";
    nlohmann::json about = runtime::to_json(record(false).binding);
    about["group"] = base::hexadecimal(group);
    about["owner"] = owner;
    about["round"] = round;
    runtime::ArtefactWriter writer(path, runtime::ArtefactKind::key_part);
    writer.add_section(runtime::kAboutSection, runtime::SectionType::text,
                       runtime::about_text(runtime::ArtefactKind::key_part, about));
    writer.add_section("content", runtime::SectionType::key, std::string(200, content));
    writer.finish();
    return path;
  }
  /// A file of one result, and its root.
  std::pair<std::filesystem::path, base::Digest> results(const runtime::Binding& binding) {
    const std::filesystem::path path = folder_.path() / "results";
    runtime::SampleWriter writer(path, runtime::ArtefactScheme::ckks,
                                 {.role = runtime::CiphertextRole::results, .binding = binding, .names = {"y"}});
    writer.add([](const auto& out) { out(std::as_bytes(std::span("y", 1))); }, base::Digest{5});
    return {path, writer.finish()};
  }
  std::filesystem::path share(int owner, const base::Digest& of, std::uint8_t receiver) {
    const std::filesystem::path path = folder_.path() / "share";
    runtime::KeySetId key{};
    key.fill(receiver);
    runtime::save_shares(
        {.binding = record(true).binding, .owner = owner, .receiver = key, .results = of, .samples = 1},
        [](std::uint64_t) {
          return runtime::SampleShares{{1, 2, 3}};
        },
        path);
    return path;
  }
  std::unique_ptr<GroupBoard::Place> arrived(const std::string& client, const std::filesystem::path& file) {
    auto place = board_.reserve(client, std::filesystem::file_size(file));
    std::filesystem::copy_file(file, place->file());
    return place;
  }
  GroupFile post(const std::string& client, const std::filesystem::path& file, char group = 'a') {
    return board_.post(*arrived(client, file), std::string(64, group));
  }
  GroupRecord post_group(const GroupRecord& group, const std::string& client = "anna", std::int64_t seconds = 100) {
    const std::filesystem::path file = folder_.path() / "group";
    std::ofstream(file) << "a group";
    return board_.post_group(*arrived(client, file), group, seconds);
  }
  std::vector<std::string> missing(std::size_t round, const GroupRecord& group) const {
    return board_.rounds(group).at(round).missing;
  }

  base::TemporaryFolder folder_;
  std::int64_t now_ = 1000;
  GroupBoard board_{folder_.path(),
                    {.of_client = 2, .on_disk = 8000, .most_seconds = 1000, .keep_seconds = 50},
                    [this] { return now_; }};
};

TEST_F(GroupBoardTest, NamesWhoHasNotSent) {
  const GroupRecord group = post_group(record(false));
  EXPECT_EQ(group.deadline, 1100);
  EXPECT_THAT(missing(0, group), ElementsAre("anna", "ben", "cleo"));
  EXPECT_EQ(post("ben", part("commitment", 1)).name, "commitment.1");
  EXPECT_EQ(post("anna", part("commitment", 0)).kind, "commitment");
  EXPECT_THAT(missing(0, group), ElementsAre("cleo"));
  EXPECT_THAT(board_.rounds(group)[0].sent, ElementsAre("anna", "ben"));
  EXPECT_FALSE(board_.rounds(group)[0].enough);
  EXPECT_THAT(told([&] { post("anna", part("first", 0)); }, 409),
              HasSubstr("the commitment of cleo is missing, and every owner sends it before the part1 is taken"));
  post("cleo", part("commitment", 2));
  EXPECT_TRUE(board_.rounds(group)[0].enough);
  EXPECT_EQ(post("anna", part("first", 0)).name, "part1.0");
  EXPECT_THAT(told([&] { post("anna", part("second", 0)); }, 409), HasSubstr("the part1 of ben, cleo is missing"));
}

TEST_F(GroupBoardTest, WaitsForNoSecondPartsThatKeysDoNotNeed) {
  GroupRecord group = record(false);
  group.second_parts = false;
  group = post_group(group);
  EXPECT_THAT(board_.rounds(board_.find("ben", group.id)), SizeIs(2));
  EXPECT_THAT(told([&] { post("anna", part("second", 0)); }, 400), HasSubstr("need no second parts"));
}

TEST_F(GroupBoardTest, TakesEachFileOnceAndFromItsOwner) {
  post_group(record(false));
  post("anna", part("commitment", 0));
  EXPECT_EQ(post("anna", part("commitment", 0)).name, "commitment.0") << "the same bytes again change nothing";
  EXPECT_THAT(told([&] { post("anna", part("commitment", 0, ',')); }, 409), HasSubstr("is here already"));
  EXPECT_THAT(told([&] { post("anna", part("commitment", 1)); }, 403), HasSubstr("this file is of 'ben'"));
  EXPECT_THAT(told([&] { post("anna", part("commitment", 7)); }, 403), HasSubstr("the group does not have"));
  EXPECT_THAT(told([&] { post("rita", part("commitment", 1)); }, 403), HasSubstr("you are 'rita'"));
  EXPECT_THAT(told([&] { post("ben", part("commitment", 1, '.', {9})); }, 400), HasSubstr("of another group"));
  EXPECT_THAT(told([&] { post("ben", results(record(true).binding).first); }, 400),
              HasSubstr("is not a file that a proposed group takes; send commitments and parts of keys"));
}

TEST_F(GroupBoardTest, ShowsNothingToOthers) {
  post_group(record(false));
  const std::string id(64, 'a');
  const auto refused = [&](const std::string& group) { return told([&] { board_.find("mallory", group); }, 404); };
  EXPECT_EQ(refused(id), refused(std::string(64, 'f'))) << "a group of others is as one that does not exist";
  EXPECT_THAT(told([&] { post("mallory", part("commitment", 0)); }, 404), HasSubstr("no such group"));
  EXPECT_THAT(board_.list("mallory"), IsEmpty());
  EXPECT_THAT(board_.list("rita"), SizeIs(1));
  EXPECT_THAT(told([&] { post_group(record(false, 'b'), "rita"); }, 403),
              HasSubstr("the owners of this group are anna, ben, cleo"));
  EXPECT_THAT(told([&] { board_.path(board_.find("ben", id), "record"); }, 404), HasSubstr("has no such file"));
  EXPECT_TRUE(std::filesystem::exists(board_.path(board_.find("ben", id), "group")));
}

TEST_F(GroupBoardTest, CollectsSharesOfResults) {
  const GroupRecord group = post_group(record(true));
  const auto [file, root] = results(group.binding);
  EXPECT_THAT(told([&] { post("ben", share(1, root, 0x44)); }, 409),
              HasSubstr("the results of this share are not here"));
  EXPECT_EQ(post("rita", file).sender, "rita");
  EXPECT_THAT(missing(0, group), SizeIs(3)) << "nobody has shared";
  post("ben", share(1, root, 0x44));
  ASSERT_THAT(board_.rounds(group), SizeIs(1));
  EXPECT_EQ(board_.rounds(group)[0].receiver, "rita");
  EXPECT_THAT(missing(0, group), ElementsAre("anna", "cleo"));
  EXPECT_FALSE(board_.rounds(group)[0].enough);
  post("cleo", share(2, root, 0x44));
  EXPECT_TRUE(board_.rounds(group)[0].enough) << "two of three decrypt";
  EXPECT_THAT(board_.files(group), SizeIs(3));
  EXPECT_THAT(told([&] { post("anna", share(0, root, 0x55)); }, 400), HasSubstr("for a receiver outside of the group"));
  EXPECT_THAT(told([&] { post("anna", share(1, root, 0x44)); }, 403), HasSubstr("this file is of 'ben'"));
  EXPECT_THAT(told([&] { post("anna", results({.model = {2}, .parameters = {}, .key_set = {8}}).first); }, 400),
              HasSubstr("send files of this group"));
}

TEST_F(GroupBoardTest, RelaysReceiptsOfResults) {
  const GroupRecord group = post_group(record(true));
  const auto [file, root] = results(group.binding);
  const std::filesystem::path path = folder_.path() / "receipt";
  runtime::Receipt receipt{.version = "1", .parameters = {}, .model_id = {2}, .output = root};
  runtime::save(receipt, path);
  EXPECT_THAT(told([&] { post("ben", path); }, 409), HasSubstr("the results of this receipt are not here"));
  post("anna", file);
  const GroupFile first = post("ben", path);
  EXPECT_THAT(first.name, testing::StartsWith("receipt." + base::hexadecimal(root) + "."));
  EXPECT_EQ(post("cleo", path).name, first.name) << "the same receipt again changes nothing";
  EXPECT_EQ(board_.files(group)[0].sender, "ben");
  receipt.version = "2";
  runtime::save(receipt, path);
  EXPECT_NE(post("cleo", path).name, first.name) << "each signer has a receipt";
  receipt.model_id = {7};
  runtime::save(receipt, path);
  EXPECT_THAT(told([&] { post("anna", path); }, 400), HasSubstr("the receipt is of another model"));
  std::ofstream(path) << "{}";
  EXPECT_THAT(told([&] { post("anna", path); }, 400), HasSubstr("the file"));
}

TEST_F(GroupBoardTest, TakesNoDamagedFile) {
  post_group(record(false));
  const std::filesystem::path path = part("commitment", 0);
  std::fstream bytes(path, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(128 + 200);
  bytes.put('!');
  bytes.close();
  EXPECT_THAT(told([&] { post("anna", path); }, 400), HasSubstr("the file"));
  EXPECT_EQ(post("anna", part("commitment", 0)).name, "commitment.0") << "the whole file may follow";
}

TEST_F(GroupBoardTest, EndsAtTheDeadlineAndNamesWhoIsMissing) {
  const GroupRecord group = post_group(record(false));
  post("ben", part("commitment", 1));
  now_ = 1101;
  EXPECT_THAT(
      told([&] { post("anna", part("commitment", 0)); }, 409),
      HasSubstr("the deadline of this group was 1970-01-01 00:18 UTC, and the commitment of anna, cleo is missing"));
  EXPECT_EQ(post_group(record(false), "ben", 100).deadline, 1201) << "posted again, the group goes on";
  EXPECT_EQ(post("anna", part("commitment", 0)).name, "commitment.0");
  EXPECT_THAT(missing(0, board_.find("anna", group.id)), ElementsAre("cleo"));
  now_ = 1251;
  board_.tidy();
  EXPECT_THAT(board_.list("anna"), SizeIs(1)) << "kept for 50 seconds more";
  now_ = 1252;
  board_.tidy();
  EXPECT_THAT(board_.list("anna"), IsEmpty());
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "groups" / group.id));
  EXPECT_THAT(told([&] { post_group(record(false), "anna", 1001); }, 400), HasSubstr("the deadline of a group"));
}

TEST_F(GroupBoardTest, BoundsGroupsAndBytes) {
  post_group(record(false, 'a'));
  post_group(record(false, 'b'));
  EXPECT_EQ(post_group(record(false, 'b')).posted, 1000) << "the same group again";
  EXPECT_THAT(told([&] { post_group(record(false, 'c')); }, 429), HasSubstr("you have posted 2 groups"));
  post_group(record(false, 'c'), "ben");
  EXPECT_THAT(told([&] { board_.reserve("anna", 4001); }, 413), HasSubstr("than one file of a group may have"));
  {
    const auto arriving = board_.reserve("anna", 2500);
    EXPECT_THAT(told([&] { board_.reserve("anna", 2500); }, 429), HasSubstr("that one client may have"));
    EXPECT_NO_THROW(board_.reserve("ben", 2500)) << "half of what others leave";
  }
  EXPECT_NO_THROW(board_.reserve("anna", 2500)) << "what did not come takes no room";
  EXPECT_THAT(told([&] { board_.remove("anna", std::string(64, 'c')); }, 403), HasSubstr("'ben' posted this group"));
  board_.remove("anna", std::string(64, 'a'));
  EXPECT_NO_THROW(post_group(record(false, 'd')));
}

TEST_F(GroupBoardTest, IsThereAfterAStart) {
  const GroupRecord group = post_group(record(false));
  post("ben", part("commitment", 1));
  const GroupBoard again(folder_.path(), {});
  EXPECT_THAT(again.rounds(again.find("cleo", group.id))[0].missing, ElementsAre("anna", "cleo"));
}

}  // namespace
}  // namespace tacit::app::service
