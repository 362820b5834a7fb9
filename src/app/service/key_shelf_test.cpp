#include "app/service/key_shelf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <functional>
#include <map>

#include "app/service/refusal_for_test.h"
#include "app/service/server_half_for_test.h"
#include "base/error.h"
#include "base/sha256.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/artefact.h"

namespace tacit::app::service {
namespace {

using runtime::ArtefactKind;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class KeyShelfTest : public testing::Test {
 protected:
  KeyShelfTest() { std::filesystem::create_directories(folder_.path() / "state"); }

  /// A file of keys whose content begins with this text.
  std::string file_of(const std::string& content, ArtefactKind kind = ArtefactKind::evaluation_keys) {
    const std::filesystem::path path = folder_.path() / "file";
    runtime::ArtefactWriter writer(path, kind);
    writer.add_section("keys", runtime::SectionType::text, content + std::string(1000, '.'));
    roots_[content] = base::hexadecimal(writer.finish());
    const std::vector<char> bytes = base::read_file(path);
    return {bytes.begin(), bytes.end()};
  }
  OfferedModel model(const std::string& id, std::uint64_t most_key_bytes) {
    auto half = std::make_unique<AnyKeys>();
    half_ = half.get();
    return {.id = id, .half = std::move(half), .client_half = {}, .most_key_bytes = most_key_bytes, .facts = {}};
  }
  /// Sends file[offset, offset + bytes) in pieces.
  static KeyState send(KeyShelf& shelf, const std::string& client, const OfferedModel& model, const std::string& file,
                       std::uint64_t offset, std::uint64_t bytes, const KeyOwners& needed = {},
                       std::size_t piece = 100) {
    const auto body = [&](const std::function<bool(std::span<const char>)>& receive) {
      for (std::uint64_t at = 0; at < bytes; at += piece)
        if (!receive(std::span(file).subspan(offset + at, std::min<std::uint64_t>(piece, bytes - at)))) return false;
      return true;
    };
    return shelf.upload(client, model, {offset, bytes, file.size()}, body, [&needed] { return needed; });
  }
  static KeyState send(KeyShelf& shelf, const std::string& client, const OfferedModel& model, const std::string& file) {
    return send(shelf, client, model, file, 0, file.size());
  }
  std::filesystem::path state() const { return folder_.path() / "state"; }
  /// The only file of this name in the state folder.
  std::filesystem::path stored(const std::string& name) const {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(state()))
      if (entry.path().filename() == name) return entry.path();
    return {};
  }
  std::uint64_t stored_bytes() const {
    std::uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(state()))
      if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
  }

  base::TemporaryFolder folder_;
  std::map<std::string, std::string> roots_;
  AnyKeys* half_ = nullptr;  // of the model that was made last
};

TEST_F(KeyShelfTest, AWholeUploadIsReadyAndStaysInMemory) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {.in_memory = file.size()});
  const KeyState done = send(shelf, "anna", offered, file);
  ASSERT_TRUE(done.ready);
  EXPECT_EQ(done.total, 0U);
  EXPECT_EQ(done.received, 0U);
  EXPECT_EQ(done.ready->root, roots_["a"]);
  EXPECT_EQ(done.ready->bytes, file.size());
  EXPECT_EQ(done.ready->key_set[0], 7);
  EXPECT_EQ(done.ready->file.filename(), "keys-" + roots_["a"].substr(0, 16));
  EXPECT_EQ(base::read_file(done.ready->file), std::vector<char>(file.begin(), file.end()));
  EXPECT_EQ(base::hexadecimal(shelf.load("anna", offered)->provenance().root), roots_["a"]);
  KeyShelf::Counts counts = shelf.counts();
  EXPECT_EQ(counts.uploads, 1U);
  EXPECT_EQ(counts.received, file.size());
  EXPECT_EQ(counts.in_memory, file.size());
  EXPECT_EQ(counts.loads, 0U);

  EXPECT_FALSE(shelf.state("ben", "m").ready);
  EXPECT_FALSE(shelf.state("anna", "n").ready);
  EXPECT_THAT(refusal([&] { shelf.load("ben", offered); }), StartsWith("409 there are no keys of yours"));

  KeyShelf restarted(state(), {.in_memory = file.size()});
  EXPECT_EQ(restarted.state("anna", "m").ready->root, roots_["a"]);
  restarted.load("anna", offered);
  restarted.load("anna", offered);
  EXPECT_EQ(restarted.counts().loads, 1U);
  EXPECT_EQ(restarted.counts().uploads, 0U);
}

TEST_F(KeyShelfTest, AnUploadGoesOnWhereItBrokeOff) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  {
    KeyShelf shelf(state(), {});
    KeyState part = send(shelf, "anna", offered, file, 0, 10);
    EXPECT_EQ(part.received, 10U);
    EXPECT_EQ(part.total, file.size());
    EXPECT_FALSE(part.ready);
    part = send(shelf, "anna", offered, file, 10, 290);
    EXPECT_EQ(part.received, 300U);
  }
  KeyShelf shelf(state(), {});
  for (const std::uint64_t offset : {std::uint64_t{299}, std::uint64_t{301}})
    EXPECT_EQ(refusal([&] { send(shelf, "anna", offered, file, offset, 5); }),
              "409 300 of " + std::to_string(file.size()) + " bytes are here; go on from there");
  const std::string other(file.size() - 1, 'x');
  EXPECT_THAT(refusal([&] { send(shelf, "anna", offered, other, 300, 5); }), StartsWith("409 300 of"));
  const KeyState done = send(shelf, "anna", offered, file, 300, file.size() - 300);
  ASSERT_TRUE(done.ready);
  EXPECT_EQ(done.ready->root, roots_["a"]);
  EXPECT_EQ(shelf.counts().received, file.size() - 300);
}

TEST_F(KeyShelfTest, BytesThatStopOrAreTooManyAreTold) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  const auto sent = [&](std::uint64_t announced, std::uint64_t bytes, bool whole) {
    return refusal([&] {
      shelf.upload("anna", offered, {0, announced, file.size()},
                   [&](const std::function<bool(std::span<const char>)>& receive) {
                     return receive(std::span(file).first(bytes)) && whole;
                   },
                   {});
    });
  };
  EXPECT_EQ(sent(400, 200, false),
            "400 the body ended early: 200 of " + std::to_string(file.size()) + " bytes are here");
  EXPECT_EQ(shelf.state("anna", "m").received, 200U);
  EXPECT_THAT(sent(200, 201, true), StartsWith("400 the body ended early: 0 of"));
}

TEST_F(KeyShelfTest, ASecretKeyIsNotStored) {
  const std::string file = file_of("s", ArtefactKind::secret_key);
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  EXPECT_THAT(refusal([&] { send(shelf, "anna", offered, file); }), StartsWith("400 this is a secret key"));
  EXPECT_EQ(shelf.state("anna", "m").received, 0U);
  send(shelf, "anna", offered, file, 0, 15);
  EXPECT_THAT(refusal([&] { send(shelf, "anna", offered, file, 15, 20); }), StartsWith("400 this is a secret key"));
  EXPECT_EQ(shelf.state("anna", "m").total, 0U) << "what is no keys takes no room";
  EXPECT_EQ(shelf.counts().received, 15U);
}

TEST_F(KeyShelfTest, StretchesLieWithinAFileThatTheModelMayHave) {
  const std::string file = file_of("a");
  const OfferedModel small = model("m", file.size() - 1), offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  EXPECT_THAT(refusal([&] { send(shelf, "anna", small, file); }),
              AllOf(StartsWith("413 "), HasSubstr("more than evaluation keys of this model have")));
  const auto refused = [&](std::uint64_t offset, std::uint64_t bytes) {
    return refusal([&] {
      shelf.upload("anna", offered, {offset, bytes, file.size()}, [](const auto&) { return true; }, {});
    });
  };
  for (const auto& [offset, bytes] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0, 0}, {file.size(), 1}, {0, file.size() + 1}, {1, file.size()}})
    EXPECT_EQ(refused(offset, bytes), "400 the bytes that were announced do not lie within the file")
        << offset << " " << bytes;
}

TEST_F(KeyShelfTest, OneUploadRunsAtATimeAndNoneWhileJobsWait) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  std::string second, removal;
  shelf.upload("anna", offered, {0, file.size(), file.size()},
               [&](const std::function<bool(std::span<const char>)>& receive) {
                 second = refusal([&] { send(shelf, "anna", offered, file); });
                 removal = refusal([&] { shelf.remove("anna", "m"); });
                 return receive(file);
               },
               {});
  EXPECT_EQ(second, "409 another upload of these keys is under way");
  EXPECT_EQ(removal, "409 an upload of these keys is under way");
  EXPECT_TRUE(shelf.state("anna", "m").ready);
  EXPECT_THAT(refusal([&] {
                send(shelf, "anna", offered, file, 0, file.size(), {{"anna", "m"}});
              }),
              StartsWith("409 jobs wait for the keys that are here"));
  EXPECT_EQ(refusal([&] {
              send(shelf, "anna", offered, file, 0, file.size(), {{"anna", "n"}, {"ben", "m"}});
            }),
            base::kNotRefused);
}

TEST_F(KeyShelfTest, WhatAreNoKeysOfTheModelIsForgotten) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  std::string damaged = file;
  damaged[file.size() / 2] ^= 1;
  EXPECT_THAT(refusal([&] { send(shelf, "anna", offered, damaged); }),
              AllOf(StartsWith("400 "), HasSubstr("the upload"), Not(HasSubstr(state().string()))));
  half_->refused = true;
  EXPECT_EQ(refusal([&] { send(shelf, "anna", offered, file); }), "400 the upload holds keys of another model");
  half_->internal = true;
  EXPECT_THAT(refusal([&] { send(shelf, "anna", offered, file); }), StartsWith("500 "));
  const KeyState after = shelf.state("anna", "m");
  EXPECT_FALSE(after.ready);
  EXPECT_EQ(after.total, 0U);
  EXPECT_EQ(after.received, 0U);
  EXPECT_EQ(shelf.counts().uploads, 0U);
  EXPECT_EQ(shelf.counts().in_memory, 0U);
}

TEST_F(KeyShelfTest, NewKeysTakeThePlaceOfThoseBeforeOnceTheyAreWhole) {
  const std::string first = file_of("a"), second = file_of("b");
  const OfferedModel offered = model("m", first.size());
  KeyShelf shelf(state(), {.in_memory = first.size()});
  const std::filesystem::path before = send(shelf, "anna", offered, first).ready->file;
  EXPECT_EQ(send(shelf, "anna", offered, second, 0, 200).ready->root, roots_["a"]);
  const KeyState after = send(shelf, "anna", offered, second, 200, second.size() - 200);
  EXPECT_EQ(after.ready->root, roots_["b"]);
  EXPECT_FALSE(std::filesystem::exists(before));
  EXPECT_TRUE(std::filesystem::exists(after.ready->file));
  EXPECT_EQ(base::hexadecimal(shelf.load("anna", offered)->provenance().root), roots_["b"]);
  // The same once more: its file stays.
  EXPECT_TRUE(std::filesystem::exists(send(shelf, "anna", offered, second).ready->file));

  shelf.remove("anna", "m");
  EXPECT_FALSE(shelf.state("anna", "m").ready);
  EXPECT_EQ(shelf.counts().in_memory, 0U) << "the keys before had no room in memory beside these";
  EXPECT_THAT(refusal([&] { shelf.load("anna", offered); }), StartsWith("409 "));
  shelf.remove("anna", "m");  // once too often is harmless
}

TEST_F(KeyShelfTest, KeysThatWereUsedLongestAgoLeaveTheMemory) {
  const std::string a = file_of("a"), b = file_of("b"), c = file_of("c");
  const OfferedModel offered = model("m", a.size());
  KeyShelf shelf(state(), {.in_memory = 2 * a.size()});
  send(shelf, "anna", offered, a);
  send(shelf, "ben", offered, b);
  EXPECT_EQ(shelf.counts().in_memory, 2 * a.size());
  shelf.load("anna", offered);
  send(shelf, "carl", offered, c);
  EXPECT_EQ(shelf.counts().in_memory, 2 * a.size());
  shelf.load("anna", offered);
  EXPECT_EQ(shelf.counts().loads, 0U);
  shelf.load("ben", offered);
  EXPECT_EQ(shelf.counts().loads, 1U);

  KeyShelf tiny(state(), {.in_memory = 1});
  tiny.load("anna", offered);
  EXPECT_EQ(tiny.counts().in_memory, a.size()) << "the keys that are needed now stay, however large";
}

TEST_F(KeyShelfTest, AClientsKeysOfAllModelsHaveABound) {
  const std::string file = file_of("a");
  const OfferedModel one = model("m", file.size()), other = model("n", file.size());
  {
    KeyShelf shelf(state(), {});
    send(shelf, "anna", one, file);
  }
  const std::uint64_t both = stored_bytes() + file.size();
  KeyShelf short_of(state(), {.of_client = both - 1});
  EXPECT_THAT(refusal([&] { send(short_of, "anna", other, file); }),
              AllOf(StartsWith("413 your keys would take"), HasSubstr("delete those of another model first")));
  KeyShelf enough(state(), {.of_client = both});
  EXPECT_EQ(refusal([&] { send(enough, "anna", other, file); }), base::kNotRefused);
}

TEST_F(KeyShelfTest, KeysThatWereUsedLongestAgoGiveWayOnDisk) {
  const std::string a = file_of("a"), b = file_of("b"), c = file_of("c");
  const OfferedModel offered = model("m", a.size());
  {
    KeyShelf shelf(state(), {});
    send(shelf, "anna", offered, a);
    const auto used = [&](int hours) {
      std::filesystem::last_write_time(stored("ready"),
                                       std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    };
    used(1);
    send(shelf, "ben", offered, b);
  }
  const std::uint64_t two = stored_bytes();
  const std::uint64_t one_more = two + c.size();
  KeyShelf enough(state(), {.on_disk = one_more});
  send(enough, "carl", offered, c);
  EXPECT_TRUE(enough.state("anna", "m").ready);
  enough.remove("carl", "m");
  // Where anna's keys are needed, ben's give way, although they were used later.
  KeyShelf full(state(), {.on_disk = one_more - 1});
  send(full, "carl", offered, c, 0, c.size(), {{"anna", "m"}});
  EXPECT_TRUE(full.state("anna", "m").ready);
  EXPECT_FALSE(full.state("ben", "m").ready);
  // Now nothing is needed: anna's were used before carl's.
  KeyShelf again(state(), {.on_disk = stored_bytes() + b.size() - 1});
  send(again, "ben", offered, b);
  EXPECT_FALSE(again.state("anna", "m").ready);
  EXPECT_TRUE(again.state("carl", "m").ready);
  // All are needed.
  KeyShelf none(state(), {.on_disk = a.size()});
  EXPECT_THAT(refusal([&] {
                send(none, "anna", offered, a, 0, a.size(), {{"ben", "m"}, {"carl", "m"}});
              }),
              StartsWith("503 the server has no room"));
}

TEST_F(KeyShelfTest, DamageInTheStateFolderIsToldToTheClient) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  {
    KeyShelf shelf(state(), {});
    send(shelf, "anna", offered, file);
  }
  KeyShelf shelf(state(), {});
  half_->refused = true;
  EXPECT_EQ(refusal([&] { shelf.load("anna", offered); }),
            "409 the file of your keys at this server holds keys of another model");
  EXPECT_EQ(shelf.counts().loads, 0U);
  std::filesystem::resize_file(shelf.state("anna", "m").ready->file, file.size() - 1);
  EXPECT_FALSE(shelf.state("anna", "m").ready);
  EXPECT_THAT(refusal([&] { shelf.load("anna", offered); }), StartsWith("409 there are no keys of yours"));
}

TEST_F(KeyShelfTest, UploadsThatNobodyGoesOnWithAreForgottenAfterADay) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  send(shelf, "anna", offered, file, 0, 200);
  const auto tidied_after = [&](int hours) {
    std::filesystem::last_write_time(stored("upload"),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(hours));
    shelf.tidy();
    return shelf.state("anna", "m").total;
  };
  EXPECT_EQ(tidied_after(23), file.size());
  EXPECT_EQ(tidied_after(25), 0U);
  EXPECT_TRUE(stored("upload").empty());
}

/// Lets no file of this process grow beyond so many bytes, as a disk does that is full.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit{.rlim_cur = bytes, .rlim_max = before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    ::signal(SIGXFSZ, handler_);
  }

 private:
  void (*handler_)(int);
  rlimit before_{};
};

TEST_F(KeyShelfTest, AFullDiskKeepsWhatItHolds) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {});
  std::string told;
  {
    const FullDisk full(500);
    told = refusal([&] { send(shelf, "anna", offered, file); });
  }
  EXPECT_EQ(told, "503 the server's disk is full at the moment");
  EXPECT_EQ(shelf.state("anna", "m").received, 500U);
  EXPECT_EQ(shelf.counts().received, 500U);
  EXPECT_EQ(send(shelf, "anna", offered, file, 500, file.size() - 500).ready->root, roots_["a"]);
}

// Where waiting helps, a refusal says how long; where the client has to do something, it does not.
TEST_F(KeyShelfTest, RefusalsSayInHowManySecondsToComeBack) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size()), small = model("n", 10);
  const auto seconds = [](const auto& body) { return refused(body).value().retry_after(); };
  KeyShelf shelf(state(), {}), tiny(state(), {.on_disk = 10}), own(state(), {.of_client = 10});
  shelf.upload("anna", offered, {0, file.size(), file.size()},
               [&](const std::function<bool(std::span<const char>)>& receive) {
                 EXPECT_EQ(seconds([&] { send(shelf, "anna", offered, file); }), 2);
                 EXPECT_EQ(seconds([&] { shelf.remove("anna", "m"); }), 2);
                 return receive(file);
               },
               {});
  EXPECT_EQ(seconds([&] { send(shelf, "anna", offered, file, 0, file.size(), {{"anna", "m"}}); }), 30);
  EXPECT_EQ(seconds([&] { send(tiny, "ben", offered, file, 0, file.size(), {{"anna", "m"}}); }), 30);
  EXPECT_EQ(seconds([&] { send(own, "ben", offered, file); }), 0);
  EXPECT_EQ(seconds([&] { send(shelf, "ben", small, file); }), 0);
  EXPECT_EQ(seconds([&] { shelf.load("ben", offered); }), 0);
}

TEST_F(KeyShelfTest, TheUsualBoundsAre64GibibytesOfAClientAnd512OfAll) {
  constexpr std::uint64_t kGibibyte = 1 << 30;
  const OfferedModel offered = model("m", 1024 * kGibibyte);
  const auto announced = [&](KeyShelf& shelf, std::uint64_t total) {
    return refusal([&] { shelf.upload("anna", offered, {0, 1, total}, [](const auto&) { return false; }, {}); });
  };
  KeyShelf usual(state(), {}), no_bound_of_client(folder_.path() / "other", {.of_client = 1024 * kGibibyte});
  EXPECT_EQ(announced(usual, 64 * kGibibyte + 1),
            "413 your keys would take 64.0 GiB here and may take 64.0 GiB; delete those of another model first");
  EXPECT_EQ(announced(usual, 64 * kGibibyte), "400 the body ended early: 0 of 68719476736 bytes are here");
  EXPECT_EQ(announced(no_bound_of_client, 512 * kGibibyte + 1),
            "503 the server has no room for more keys at the moment");
  EXPECT_EQ(announced(no_bound_of_client, 512 * kGibibyte),
            "400 the body ended early: 0 of 549755813888 bytes are here");
}

TEST_F(KeyShelfTest, AnUploadOfMoreThanADayAgoIsForgotten) {
  const std::string file = file_of("a");
  KeyShelf shelf(state(), {});
  send(shelf, "anna", model("m", file.size()), file, 0, 200);
  std::filesystem::last_write_time(stored("upload"), std::filesystem::file_time_type::clock::now() -
                                                         std::chrono::hours(24) - std::chrono::minutes(10));
  shelf.tidy();
  EXPECT_EQ(shelf.state("anna", "m").total, 0U);
}

class KeyRoomTest : public KeyShelfTest {
 protected:
  /// Announces a file, with its first byte.
  static void announce(KeyShelf& shelf, const std::string& client, const OfferedModel& model, const std::string& file) {
    send(shelf, client, model, file, 0, 1);
  }
};

TEST_F(KeyRoomTest, WhatUploadsOfAClientAnnounceCountsAsUsed) {
  const std::string file = file_of("a");
  std::vector<OfferedModel> models;
  for (const char* id : {"m", "n", "o"}) models.push_back(model(id, file.size()));
  KeyShelf shelf(state(), {.of_client = 2 * file.size() + 300});
  announce(shelf, "anna", models[0], file);
  announce(shelf, "anna", models[1], file);
  EXPECT_THAT(refusal([&] { announce(shelf, "anna", models[2], file); }), StartsWith("413 your keys would take"));
  announce(shelf, "anna", models[1], file);  // the same once more takes no more room
  for (const std::size_t each : {0, 1}) {
    send(shelf, "anna", models[each], file, 1, file.size() - 1);
    EXPECT_THAT(refusal([&] { announce(shelf, "anna", models[2], file); }), StartsWith("413 your keys would take"));
  }
  EXPECT_LE(stored_bytes(), 2 * file.size() + 300 * 2);
  shelf.remove("anna", "m");
  EXPECT_TRUE(send(shelf, "anna", models[2], file).ready);
}

TEST_F(KeyRoomTest, WhatUploadsOfAllClientsAnnounceCountsAsUsed) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {.on_disk = 2 * file.size()});
  announce(shelf, "anna", offered, file);
  announce(shelf, "ben", offered, file);
  EXPECT_THAT(refusal([&] { announce(shelf, "carl", offered, file); }), StartsWith("503 the server has no room"));
  send(shelf, "anna", offered, file, 1, file.size() - 1);
  // Anna's keys may give way to carl's; while a job needs them there is no room.
  const KeyOwners needed{{"anna", "m"}};
  EXPECT_THAT(refusal([&] { send(shelf, "carl", offered, file, 0, 1, needed); }), StartsWith("503 "));
  EXPECT_EQ(refusal([&] { announce(shelf, "carl", offered, file); }), base::kNotRefused);
}

TEST_F(KeyRoomTest, KeysOfOthersStayUntilTheNewOnesAreWholeAndGood) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {.on_disk = file.size() + 300});
  send(shelf, "anna", offered, file);
  const auto anna_has_keys = [&] { return shelf.state("anna", "m").ready.has_value(); };
  announce(shelf, "ben", offered, file);
  EXPECT_TRUE(anna_has_keys()) << "after an announcement";
  send(shelf, "ben", offered, file, 1, file.size() - 2);
  EXPECT_TRUE(anna_has_keys()) << "before the last byte";
  half_->refused = true;
  EXPECT_THAT(refusal([&] { send(shelf, "ben", offered, file, file.size() - 1, 1); }), StartsWith("400 "));
  EXPECT_TRUE(anna_has_keys()) << "after keys that are none";
  half_->refused = false;
  EXPECT_TRUE(send(shelf, "ben", offered, file).ready);
  EXPECT_FALSE(anna_has_keys());
  EXPECT_LE(stored_bytes(), file.size() + 300);
}

TEST_F(KeyRoomTest, KeysThatJobsBeganToNeedStayAndTheUploadIsForgotten) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {.on_disk = file.size() + 300});
  send(shelf, "anna", offered, file);
  KeyOwners needed;
  const auto send_while = [&](const std::string& client, const KeyOwners& later) {
    needed.clear();
    const auto body = [&](const std::function<bool(std::span<const char>)>& receive) {
      needed = later;
      return receive(file);
    };
    return refusal([&] { shelf.upload(client, offered, {0, file.size(), file.size()}, body, [&] { return needed; }); });
  };
  EXPECT_THAT(send_while("ben", {{"anna", "m"}}), StartsWith("503 the server has no room"));
  EXPECT_THAT(send_while("anna", {{"anna", "m"}}), StartsWith("409 jobs wait for the keys that are here"));
  EXPECT_TRUE(shelf.state("anna", "m").ready);
  for (const char* client : {"anna", "ben"}) EXPECT_EQ(shelf.state(client, "m").total, 0U) << client;
  EXPECT_THAT(refusal([&] { shelf.remove("anna", "m", [&] { return needed; }); }),
              StartsWith("409 jobs wait for these keys"));
  EXPECT_EQ(shelf.steady("anna", "m").keys.root, roots_["a"]);
  EXPECT_THAT(refusal([&] { shelf.steady("ben", "m"); }), StartsWith("409 there are no keys of yours"));
}

TEST_F(KeyRoomTest, AnUploadThatPausesGivesWayToAnotherWhereThereIsNoRoom) {
  const std::string file = file_of("a");
  const OfferedModel offered = model("m", file.size());
  KeyShelf shelf(state(), {.on_disk = file.size()});
  const auto ben_after = [&](int minutes) {
    std::filesystem::last_write_time(stored("upload"),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::minutes(minutes));
    return refusal([&] { announce(shelf, "ben", offered, file); });
  };
  announce(shelf, "anna", offered, file);
  EXPECT_THAT(ben_after(9), StartsWith("503 "));
  EXPECT_EQ(shelf.state("anna", "m").total, file.size());
  EXPECT_EQ(ben_after(11), base::kNotRefused);
  EXPECT_EQ(shelf.state("anna", "m").total, 0U);
}

}  // namespace
}  // namespace tacit::app::service