#include "app/service/job_journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/process_memory.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

std::vector<nlohmann::json> records_of(JobJournal& journal) {
  std::vector<nlohmann::json> records;
  journal.read([&](const nlohmann::json& record) { records.push_back(record); });
  return records;
}

class JobJournalTest : public testing::Test {
 protected:
  base::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "journal";
};

TEST_F(JobJournalTest, GivesEveryRecordOnceAndAllAgainAfterARestart) {
  {
    JobJournal journal(file_);
    journal.add({{"accepted", "a"}});
    journal.add({{"done", "a"}});
    ASSERT_EQ(records_of(journal).size(), 2U);
    EXPECT_TRUE(records_of(journal).empty());
    journal.add({{"accepted", "b"}});
    EXPECT_EQ(records_of(journal).at(0).at("accepted"), "b");
  }
  JobJournal again(file_);
  EXPECT_EQ(records_of(again).size(), 3U);
}

TEST_F(JobJournalTest, SkipsALineThatWasCutOffOrChanged) {
  { JobJournal(file_).add({{"accepted", "a"}}); }
  const auto whole = std::filesystem::file_size(file_);
  { JobJournal(file_).add({{"accepted", "b"}}); }
  std::filesystem::resize_file(file_, whole + 10);
  JobJournal journal(file_);
  journal.add({{"accepted", "c"}});
  const std::vector<nlohmann::json> records = records_of(journal);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].at("accepted"), "c");
  std::ofstream(file_, std::ios::app) << "0123456789abcdef {\"accepted\":\"d\"}\nnonsense\n";
  EXPECT_TRUE(records_of(journal).empty());
}

// A full disk takes the first bytes of a record and refuses the others.
TEST_F(JobJournalTest, ARecordThatTheDiskCutOffDoesNotSwallowTheNext) {
  JobJournal journal(file_), other(file_);
  journal.add({{"accepted", "a"}});
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit full{std::filesystem::file_size(file_) + 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  EXPECT_THROW(journal.add({{"accepted", "b"}}), base::InputError);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, ignored);
  other.add({{"accepted", "c"}});
  journal.add({{"accepted", "d"}});
  JobJournal again(file_);
  const std::vector<nlohmann::json> records = records_of(again);
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[1].at("accepted"), "c");
  EXPECT_EQ(records[2].at("accepted"), "d");
}

TEST_F(JobJournalTest, KeepsTheRecordsOfManyThreadsAndProcesses) {
  JobJournal one(file_), other(file_);  // as two processes would
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10; ++i) (t % 2 == 0 ? one : other).add({{"accepted", std::to_string(10 * t + i)}});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(records_of(one).size(), 80U);
  EXPECT_EQ(records_of(other).size(), 80U);
}

TEST_F(JobJournalTest, ARewrittenJournalIsFollowedByWhoeverHasItOpen) {
  JobJournal one(file_), other(file_);
  for (const char* id : {"a", "b", "c"}) one.add({{"accepted", id}});
  ASSERT_EQ(records_of(other).size(), 3U);
  std::string last;
  one.rewrite([&](const nlohmann::json& record) { last = record.at("accepted"); },
              [&](const nlohmann::json& record) { return record.at("accepted") == last; });
  other.add({{"accepted", "d"}});
  const std::vector<nlohmann::json> records = records_of(one);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].at("accepted"), "c");
  EXPECT_EQ(records[1].at("accepted"), "d");
}

// Sixteen digits of the record's SHA-256, a blank and the record: what earlier versions wrote is read on.
TEST_F(JobJournalTest, ALineIsARecordBehindTheBeginningOfItsDigest) {
  JobJournal journal(file_);
  journal.add({{"accepted", "a"}});
  std::ifstream written(file_);
  const std::string text{std::istreambuf_iterator<char>(written), {}};
  EXPECT_EQ(text, "73a4da82122ddcea {\"accepted\":\"a\"}\n");
  EXPECT_EQ(journal.bytes(), text.size());
  ASSERT_EQ(records_of(journal).size(), 1U);
  std::ofstream(file_, std::ios::app) << "73a4da82122ddcea_{\"accepted\":\"a\"}\n"   // no blank
                                      << "73a4da82122ddcea\n"                        // no record
                                      << "6735f9ab2b1f5000 [\"accepted\"]\n"         // of no fields
                                      << "73a4da82122ddceb {\"accepted\":\"a\"}\n";  // another digest
  EXPECT_TRUE(records_of(journal).empty());
  std::ofstream(file_, std::ios::app) << text;
  EXPECT_EQ(records_of(journal).size(), 1U);
}

TEST_F(JobJournalTest, LinesOfAnyLengthAreFollowedByTheNext) {
  JobJournal journal(file_);
  journal.add({{"accepted", "a"}});
  for (const std::size_t bytes : {65535, 65536, 65537, 200000}) {
    std::ofstream(file_, std::ios::app) << std::string(bytes, 'x') << '\n';
    journal.add({{"accepted", std::to_string(bytes)}, {"error", std::string(60000, 'y')}});
  }
  std::ofstream(file_, std::ios::app) << std::string(150000, 'x');  // and no end yet
  EXPECT_EQ(records_of(journal).size(), 5U);
  journal.add({{"accepted", "b"}});
  const std::vector<nlohmann::json> records = records_of(journal);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].at("accepted"), "b");
}

// A visit that fails loses the record that it was shown, and no other.
TEST_F(JobJournalTest, GoesOnBehindTheRecordWhoseVisitFailed) {
  JobJournal journal(file_);
  for (const char* id : {"a", "b", "c"}) journal.add({{"accepted", id}});
  EXPECT_THROW(journal.read([](const nlohmann::json& record) {
    if (record.at("accepted") == "b") throw base::InputError("b");
  }),
               base::InputError);
  const std::vector<nlohmann::json> records = records_of(journal);
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records[0].at("accepted"), "c");
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// All records of a long journal at once would be many times as many bytes as these.
TEST_F(JobJournalTest, ReadingAndShorteningHoldOneRecordInMemory) {
  constexpr std::size_t kRecords = 30000, kAtOnce = 200;
  constexpr std::uint64_t kMostBytes = 2 << 20;
  JobJournal journal(file_);
  for (std::size_t i = 0; i < kRecords; i += kAtOnce) {
    std::vector<nlohmann::json> records;
    for (std::size_t k = 0; k < kAtOnce; ++k)
      records.push_back({{"accepted", std::to_string(i + k)},
                         {"client", "anna"},
                         {"model", std::string(64, 'm')},
                         {"bytes", 3U},
                         {"results", 7U},
                         {"time", 1}});
    journal.note(records);
  }
  ASSERT_GT(journal.bytes(), 2 * kMostBytes);
  base::release_kept_memory();
  base::restart_peak_resident_bytes();
  const std::uint64_t before = base::peak_resident_bytes();
  std::size_t seen = 0;
  journal.read([&](const nlohmann::json&) { ++seen; });
  journal.rewrite([&](const nlohmann::json&) { ++seen; }, [](const nlohmann::json&) { return true; });
  EXPECT_EQ(seen, 2 * kRecords);
  EXPECT_LE(base::peak_resident_bytes() - before, kMostBytes);
}
#endif

}  // namespace
}  // namespace tacit::app::service
