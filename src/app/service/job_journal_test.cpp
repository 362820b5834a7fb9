#include "app/service/job_journal.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

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
    ASSERT_EQ(journal.unread().size(), 2U);
    EXPECT_TRUE(journal.unread().empty());
    journal.add({{"accepted", "b"}});
    EXPECT_EQ(journal.unread().at(0).at("accepted"), "b");
  }
  EXPECT_EQ(JobJournal(file_).unread().size(), 3U);
}

TEST_F(JobJournalTest, SkipsALineThatWasCutOffOrChanged) {
  { JobJournal(file_).add({{"accepted", "a"}}); }
  const auto whole = std::filesystem::file_size(file_);
  { JobJournal(file_).add({{"accepted", "b"}}); }
  std::filesystem::resize_file(file_, whole + 10);
  JobJournal journal(file_);
  journal.add({{"accepted", "c"}});
  const std::vector<nlohmann::json> records = journal.unread();
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].at("accepted"), "c");
  std::ofstream(file_, std::ios::app) << "0123456789abcdef {\"accepted\":\"d\"}\nnonsense\n";
  EXPECT_TRUE(journal.unread().empty());
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
  const std::vector<nlohmann::json> records = JobJournal(file_).unread();
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
  EXPECT_EQ(one.unread().size(), 80U);
  EXPECT_EQ(other.unread().size(), 80U);
}

TEST_F(JobJournalTest, ARewrittenJournalIsFollowedByWhoeverHasItOpen) {
  JobJournal one(file_), other(file_);
  for (const char* id : {"a", "b", "c"}) one.add({{"accepted", id}});
  ASSERT_EQ(other.unread().size(), 3U);
  one.rewrite([](const std::vector<nlohmann::json>& records) { return std::vector{records.back()}; });
  other.add({{"accepted", "d"}});
  const std::vector<nlohmann::json> records = one.unread();
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
  ASSERT_EQ(journal.unread().size(), 1U);
  std::ofstream(file_, std::ios::app) << "73a4da82122ddcea_{\"accepted\":\"a\"}\n"   // no blank
                                      << "73a4da82122ddcea\n"                        // no record
                                      << "6735f9ab2b1f5000 [\"accepted\"]\n"         // of no fields
                                      << "73a4da82122ddceb {\"accepted\":\"a\"}\n";  // another digest
  EXPECT_TRUE(journal.unread().empty());
  std::ofstream(file_, std::ios::app) << text;
  EXPECT_EQ(journal.unread().size(), 1U);
}

}  // namespace
}  // namespace tacit::app::service
