#include "app/service/job_book.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "app/service/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

/// 0 where nothing is refused.
int status_of(const std::function<void()>& body) {
  const std::optional<Refusal> found = refused(body);
  return found ? found->status() : 0;
}

class JobBookTest : public testing::Test {
 protected:
  Job accept(JobBook& book, const std::string& client) {
    const auto place = book.reserve(client, 3);
    place->arrive(3);
    std::ofstream(place->input()) << "abc";
    return book.accept(*place, "model");
  }
  void finish(JobBook& book, std::uint64_t inputs, double seconds) {
    std::vector<JobBook::Claim> claims;
    claims.push_back(std::move(*book.next()));
    book.finish(claims[0], inputs, seconds);
    book.record(claims);
  }
  base::TemporaryFolder folder_;
};

TEST_F(JobBookTest, ServesClientsInTurns) {
  JobBook book(folder_.path(), {});
  const Job a1 = accept(book, "anna"), a2 = accept(book, "anna"), b1 = accept(book, "ben");
  EXPECT_EQ(book.next()->job.id, a1.id);
  EXPECT_EQ(book.next()->job.id, b1.id);
  EXPECT_EQ(book.position(a2), 0U);
  EXPECT_EQ(book.next()->job.id, a2.id);
  EXPECT_EQ(book.counts().running, 3U);
}

TEST_F(JobBookTest, LosesNoAcceptedJobWithAProcess) {
  std::string finished, claimed, waiting;
  {
    JobBook book(folder_.path(), {});
    finished = accept(book, "anna").id;
    finish(book, 7, 0.5);
    claimed = accept(book, "anna").id;
    waiting = accept(book, "anna").id;
    ASSERT_EQ(book.next()->job.id, claimed);  // the claim ends here, as with the process
  }
  JobBook book(folder_.path(), {});
  EXPECT_EQ(book.counts().queued, 2U);
  EXPECT_EQ(book.find("anna", finished).state, JobState::done);
  EXPECT_EQ(book.find("anna", finished).inputs, 7U);
  const auto first = book.next(), second = book.next();
  EXPECT_EQ(first->job.id, claimed);
  EXPECT_EQ(second->job.id, waiting);
  EXPECT_TRUE(std::filesystem::exists(book.input(second->job)));
}

TEST_F(JobBookTest, LeavesOutRecordsThatNoBookWrites) {
  { JobBook first(folder_.path(), {}); }
  const std::string id(32, 'a');
  std::filesystem::create_directory(folder_.path() / "jobs" / id);
  {
    JobJournal journal(folder_.path() / "journal");
    journal.add({{"accepted", 5}});
    journal.add({{"accepted", "../../outside"}, {"client", "anna"}});
    journal.add({{"accepted", id}, {"client", "anna"}, {"bytes", "many"}});
    journal.add({{"removed", nlohmann::json::array()}});
    journal.add({{"accepted", id}, {"client", "anna"}, {"model", "m"}, {"bytes", 3U}, {"time", 1}});
  }
  JobBook book(folder_.path(), {});
  EXPECT_EQ(book.counts().queued, 1U);
  EXPECT_EQ(book.find("anna", id).bytes, 3U);
}

TEST_F(JobBookTest, TwoProcessesRunAJobOnceAndSeeEachOthers) {
  JobBook one(folder_.path(), {}), other(folder_.path(), {});
  const Job job = accept(one, "anna"), second = accept(one, "anna");
  auto claim = other.next();
  EXPECT_EQ(claim->job.id, job.id);
  EXPECT_EQ(one.next()->job.id, second.id);
  other.fail(*claim, "why");
  EXPECT_EQ(one.find("anna", job.id).state, JobState::queued);
  std::vector<JobBook::Claim> ended;
  ended.push_back(std::move(*claim));
  other.record(ended);
  EXPECT_EQ(one.find("anna", job.id).error, "why");
}

TEST_F(JobBookTest, AnotherClientFindsNothing) {
  JobBook book(folder_.path(), {});
  const Job job = accept(book, "anna");
  EXPECT_EQ(status_of([&] { book.find("ben", job.id); }), 404);
  EXPECT_EQ(status_of([&] { book.remove("ben", job.id); }), 404);
  EXPECT_TRUE(book.list("ben", 10).empty());
  EXPECT_EQ(book.list("anna", 10).size(), 1U);
}

TEST_F(JobBookTest, BoundsWhatWaits) {
  JobBook book(folder_.path(), {.queued = 6, .queued_bytes = 20, .of_client = 2});
  accept(book, "anna");
  const auto place = book.reserve("anna", 3);
  EXPECT_EQ(status_of([&] { book.reserve("anna", 1); }), 429) << "its third job";
  EXPECT_EQ(status_of([&] { book.reserve("ben", 11); }), 413) << "more than half of the queue's bytes";
  const auto second = book.reserve("ben", 8);
  second->arrive(8);
  EXPECT_EQ(status_of([&] { book.reserve("carl", 10); }), 503) << "21 bytes";
  std::vector<std::unique_ptr<JobBook::Place>> others;
  for (const char* client : {"carl", "dora", "emil"}) others.push_back(book.reserve(client, 0));
  EXPECT_EQ(status_of([&] { book.reserve("fred", 0); }), 503) << "7 jobs";
  EXPECT_EQ(book.counts().refused, 4U);
}

// Whoever sends as much as it can leaves room for another, whoever that is.
TEST_F(JobBookTest, AClientHasHalfOfWhatOthersLeave) {
  JobBook book(folder_.path(), {.queued = 20, .queued_bytes = 200});
  std::vector<std::unique_ptr<JobBook::Place>> places;
  const auto jobs_of = [&](const char* client, std::uint64_t bytes) {
    int jobs = 0;
    for (; status_of([&] { places.push_back(book.reserve(client, bytes)); }) == 0; ++jobs) places.back()->arrive(bytes);
    return jobs;
  };
  EXPECT_EQ(jobs_of("anna", 1), 10);
  EXPECT_EQ(refused([&] { book.reserve("anna", 1); })->status(), 429);
  EXPECT_STREQ(refused([&] { book.reserve("anna", 1); })->what(),
               "10 of your jobs wait, which is your share of the queue; come back later");
  EXPECT_EQ(jobs_of("ben", 1), 5);
  EXPECT_EQ(jobs_of("carl", 1), 2);
  places.clear();
  EXPECT_EQ(jobs_of("anna", 30), 3) << "of 200 bytes";
  EXPECT_THAT(refused([&] { book.reserve("anna", 30); })->what(),
              testing::HasSubstr("90 B of your inputs wait, which is your share of the queue"));
  EXPECT_EQ(jobs_of("ben", 30), 1) << "of 110 bytes";
}

// 16 connections that declare much and send little keep nobody out.
TEST_F(JobBookTest, InputsTakeRoomAsTheyArrive) {
  JobBook book(folder_.path(), {.queued = 100, .queued_bytes = 1000});
  std::vector<std::unique_ptr<JobBook::Place>> slow;
  for (int i = 0; i < 16; ++i) {
    slow.push_back(book.reserve("anna", 400));
    slow.back()->arrive(1);
  }
  const auto place = book.reserve("ben", 400);
  place->arrive(400);
  EXPECT_EQ(status_of([&] { slow[0]->arrive(284); }), 0) << "300 bytes, half of what is left";
  EXPECT_EQ(status_of([&] { slow[1]->arrive(1); }), 429);
  slow.erase(slow.begin());
  EXPECT_EQ(status_of([&] { slow[0]->arrive(100); }), 0);
}

TEST_F(JobBookTest, TheWorkOfAJobIsBoundedBeforeItRuns) {
  JobBook book(folder_.path(), {.runs = 5, .result_bytes = 100, .all_result_bytes = 300});
  const auto accepted = [&](const char* client, const JobWork& work) {
    const auto place = book.reserve(client, 3);
    std::ofstream(place->input()) << "abc";
    std::string id;
    const auto found = refused([&] { id = book.accept(*place, "model", work).id; });
    return found ? std::to_string(found->status()) : id;
  };
  EXPECT_EQ(accepted("anna", {6, 1}), "413");
  EXPECT_EQ(accepted("anna", {5, 101}), "413");
  const std::string first = accepted("anna", {5, 100});
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(accepted("anna", {1, 60}), "429") << "160 of 300";
  EXPECT_EQ(accepted("ben", {1, 100}).size(), 32U);
  EXPECT_EQ(accepted("carl", {1, 60}), "429");
  EXPECT_EQ(accepted("carl", {1, 50}).size(), 32U);
  EXPECT_EQ(accepted("dora", {1, 60}), "503");
  EXPECT_EQ(JobBook(folder_.path(), {}).find("anna", first).results, 100U);
  // Results that were deleted, and those that a job that failed will never have, leave room.
  book.remove("anna", first);
  EXPECT_EQ(accepted("anna", {1, 70}).size(), 32U);
  for (int i = 0; i < 3; ++i) {
    auto claim = book.next();
    book.fail(*claim, "why");
  }
  EXPECT_EQ(accepted("emil", {1, 100}).size(), 32U);
}

// Whatever it is that ends the process: others are not to suffer from it again and again.
TEST_F(JobBookTest, AJobThatEndedTwoProcessesIsNotRunAgain) {
  std::string bad, other;
  {
    JobBook book(folder_.path(), {});
    bad = accept(book, "anna").id;
  }
  for (int process = 0; process < 2; ++process) {
    JobBook book(folder_.path(), {});
    EXPECT_EQ(book.next()->job.id, bad) << process;
  }
  JobBook book(folder_.path(), {});
  other = accept(book, "ben").id;
  EXPECT_EQ(book.next()->job.id, other);
  const Job failed = book.find("anna", bad);
  EXPECT_EQ(failed.state, JobState::failed);
  EXPECT_EQ(failed.error, "the server ended twice while it evaluated this job, which is not tried again");
  EXPECT_EQ(JobBook(folder_.path(), {}).find("anna", bad).state, JobState::failed) << "this is recorded";
}

TEST_F(JobBookTest, AnEndThatTheOperatorAskedForIsNoFaultOfAJob) {
  {
    JobBook book(folder_.path(), {});
    accept(book, "anna");
  }
  for (int process = 0; process < 9; ++process) {
    JobBook book(folder_.path(), {});
    auto claim = book.next();
    ASSERT_TRUE(claim);
    if (process % 3 == 2) {
      book.finish(*claim, 1, 1);  // and it ends before this is recorded
      continue;
    }
    book.stop(process % 3 == 1);
    if (process % 3 == 1) book.put_back(*claim);
  }
  JobBook book(folder_.path(), {});
  EXPECT_EQ(book.next()->job.times, 1U);
}

// If the process ends again, one of them alone is to blame.
TEST_F(JobBookTest, OfJobsThatRanWhenAProcessEndedOneRunsAtATime) {
  std::string first, second;
  {
    JobBook book(folder_.path(), {});
    first = accept(book, "anna").id;
    second = accept(book, "ben").id;
    const auto one = book.next(), two = book.next();
  }
  JobBook book(folder_.path(), {});
  const std::string fresh = accept(book, "carl").id;
  auto claim = book.next();
  EXPECT_EQ(claim->job.id, first);
  EXPECT_EQ(book.next()->job.id, fresh);
  book.finish(*claim, 1, 1);
  EXPECT_EQ(book.next()->job.id, second);
}

TEST_F(JobBookTest, ASuspendedJobGoesOnWhenItIsItsClientsTurn) {
  JobBook book(folder_.path(), {});
  const Job first = accept(book, "anna"), second = accept(book, "anna");
  auto claim = book.next();
  EXPECT_FALSE(book.others_wait("anna"));
  EXPECT_TRUE(book.others_wait("ben"));
  const Job other = accept(book, "ben");
  EXPECT_TRUE(book.others_wait("anna"));
  book.suspend(std::move(*claim));
  EXPECT_EQ(book.find("anna", first.id).state, JobState::running);
  auto of_ben = book.next();
  EXPECT_EQ(of_ben->job.id, other.id);
  EXPECT_TRUE(book.others_wait("ben"));
  auto again = book.next();
  EXPECT_EQ(again->job.id, first.id) << "before the same client's next job";
  book.suspend(std::move(*again));
  book.remove("anna", first.id);
  EXPECT_EQ(book.next()->job.id, second.id);
  EXPECT_FALSE(std::filesystem::exists(book.input(first).parent_path()));
  book.remove("ben", other.id);
  book.suspend(std::move(*of_ben));
  EXPECT_FALSE(book.others_wait("anna")) << "what was removed does not go on";
}

// Half of them are found at the start, the others by the one who looks for work.
TEST_F(JobBookTest, ManyJobsWithoutFilesFailAndKeepNobodyOut) {
  { JobBook first(folder_.path(), {}); }
  const auto add = [&](int from, int to) {
    std::vector<nlohmann::json> records;
    for (int i = from; i < to; ++i)
      records.push_back({{"accepted", fmt::format("{:032x}", i)},
                         {"client", "anna"},
                         {"model", "m"},
                         {"bytes", 3U},
                         {"time", 1000000 - i}});
    JobJournal(folder_.path() / "journal").add_all(records);
  };
  add(0, 5000);
  JobBook book(folder_.path(), {.queued = 20000});
  EXPECT_EQ(book.counts().queued, 0U);
  add(5000, 10000);
  const Job job = accept(book, "ben");
  EXPECT_EQ(book.next()->job.id, job.id) << "the others are not known yet";
  EXPECT_EQ(book.find("anna", fmt::format("{:032x}", 9999)).state, JobState::queued);
  const Job second = accept(book, "ben");
  EXPECT_EQ(book.next()->job.id, second.id);
  EXPECT_EQ(book.find("anna", fmt::format("{:032x}", 9999)).error, "the files of the job are gone");
  JobBook restarted(folder_.path(), {});
  EXPECT_EQ(restarted.find("anna", fmt::format("{:032x}", 0)).state, JobState::failed);
  EXPECT_EQ(restarted.counts().failed, 0U) << "by this process";
}

TEST_F(JobBookTest, APlaceThatWasNotUsedLeavesNothing) {
  JobBook book(folder_.path(), {.queued = 1});
  { const auto place = book.reserve("anna", 3); }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path() / "jobs"));
  EXPECT_EQ(book.reserve("anna", 3)->input().filename(), "input");
}

TEST_F(JobBookTest, SweepsWhatAnEndedProcessLeftOfAnUpload) {
  JobBook book(folder_.path(), {}), other(folder_.path(), {});
  const auto place = book.reserve("anna", 3);
  const Job accepted = accept(book, "anna");
  const std::filesystem::path left = folder_.path() / "jobs" / std::string(32, '0');
  std::filesystem::create_directory(left);
  std::ofstream(left / "input") << "ab";
  for (const auto& folder : std::filesystem::directory_iterator(folder_.path() / "jobs"))
    std::filesystem::last_write_time(folder, std::filesystem::file_time_type::clock::now() - std::chrono::minutes(2));
  other.tidy();
  EXPECT_FALSE(std::filesystem::exists(left));
  EXPECT_TRUE(std::filesystem::exists(place->input().parent_path()));
  EXPECT_TRUE(std::filesystem::exists(book.input(accepted)));
}

TEST_F(JobBookTest, ADeletedJobIsStoppedAndGone) {
  JobBook book(folder_.path(), {});
  const Job job = accept(book, "anna");
  auto claim = book.next();
  book.remove("anna", job.id);
  EXPECT_TRUE(claim->progress->cancelled());
  EXPECT_FALSE(std::filesystem::exists(book.input(job)));
  book.finish(*claim, 1, 1);
  EXPECT_EQ(status_of([&] { book.find("anna", job.id); }), 404);
  EXPECT_TRUE(JobBook(folder_.path(), {}).list("anna", 10).empty());
}

TEST_F(JobBookTest, KeepsFinishedJobsForAWhile) {
  JobBook book(folder_.path(), {.keep_seconds = -1});
  const Job job = accept(book, "anna");
  finish(book, 1, 1);
  const Job waiting = accept(book, "anna");
  book.tidy();
  EXPECT_EQ(book.list("anna", 10).size(), 1U);
  EXPECT_EQ(book.list("anna", 10)[0].id, waiting.id);
}

// Whoever was served longest ago comes first, however many jobs it has.
TEST_F(JobBookTest, GoesOnInTheOrderInWhichClientsWereServed) {
  JobBook book(folder_.path(), {});
  for (int i = 0; i < 3; ++i)
    for (const char* client : {"carl", "anna", "ben"}) accept(book, client);
  std::vector<JobBook::Claim> claims;
  std::string order;
  for (int i = 0; i < 9; ++i) {
    claims.push_back(std::move(*book.next()));
    order += claims.back().job.client + " ";
  }
  EXPECT_EQ(order, "anna ben carl anna ben carl anna ben carl ");
}

TEST_F(JobBookTest, StopsHandingOutWork) {
  JobBook book(folder_.path(), {});
  accept(book, "anna");
  const auto claim = book.next();
  accept(book, "anna");
  book.stop(true);
  EXPECT_TRUE(claim->progress->cancelled());
  EXPECT_FALSE(book.next().has_value());
  book.put_back(*claim);
  EXPECT_EQ(book.counts().queued, 2U);
}

TEST_F(JobBookTest, CountsWhatItHoldsAndWhatItDid) {
  JobBook book(folder_.path(), {.queued = 4});
  accept(book, "anna");
  finish(book, 7, 0.5);
  accept(book, "anna");
  finish(book, 2, 0.25);
  accept(book, "ben");
  auto failing = book.next();
  book.fail(*failing, "why");
  accept(book, "carl");
  const auto running = book.next();
  accept(book, "dora");
  const auto place = book.reserve("emil", 100), other = book.reserve("fred", 100);
  EXPECT_EQ(status_of([&] { book.reserve("gina", 3); }), 503);
  const JobBook::Counts counts = book.counts();
  EXPECT_EQ(counts.queued, 1U);
  EXPECT_EQ(counts.queued_bytes, 3U);
  EXPECT_EQ(counts.running, 1U);
  EXPECT_EQ(counts.kept, 3U);
  EXPECT_EQ(counts.accepted, 5U);
  EXPECT_EQ(counts.done, 2U);
  EXPECT_EQ(counts.failed, 1U);
  EXPECT_EQ(counts.refused, 1U);
  EXPECT_EQ(counts.seconds, 7 * 0.5 + 2 * 0.25);
  // Another process counts what lies there, and nothing as its own.
  const JobBook::Counts of_other = JobBook(folder_.path(), {}).counts();
  EXPECT_EQ(of_other.queued, 3U) << "how the third one ended was not recorded yet";
  EXPECT_EQ(of_other.running, 0U);
  EXPECT_EQ(of_other.kept, 2U);
  EXPECT_EQ(of_other.accepted + of_other.done + of_other.failed + of_other.refused, 0U);
  EXPECT_EQ(of_other.seconds, 0);
}

TEST_F(JobBookTest, ARunningJobTellsItsOutermostStage) {
  JobBook book(folder_.path(), {});
  const Job job = accept(book, "anna");
  EXPECT_EQ(book.progress(job).name, "") << "it waits";
  auto claim = book.next();
  EXPECT_EQ(book.progress(job).name, "") << "nothing has begun";
  claim->progress->begin("layers", 4);
  claim->progress->advance(3);
  claim->progress->begin("rotations", 9);
  const base::StagedProgress::Stage stage = book.progress(job);
  EXPECT_EQ(stage.name, "layers");
  EXPECT_EQ(stage.done, 3U);
  EXPECT_EQ(stage.total, 4U);
  book.fail(*claim, "why");
  EXPECT_EQ(book.progress(job).name, "") << "it has ended";
}

TEST_F(JobBookTest, SaysHowManyJobsOfAClientComeBefore) {
  JobBook book(folder_.path(), {});
  accept(book, "ben");
  const Job first = accept(book, "anna"), second = accept(book, "anna"), third = accept(book, "anna");
  EXPECT_EQ(book.position(first), 0U);
  EXPECT_EQ(book.position(second), 1U);
  EXPECT_EQ(book.position(third), 2U);
  book.remove("anna", second.id);
  EXPECT_EQ(book.position(third), 1U);
  EXPECT_EQ(book.list("anna", 1).size(), 1U);
  EXPECT_EQ(book.list("anna", 2).size(), 2U);
}

// Where waiting helps, a refusal says how long.
TEST_F(JobBookTest, AFullQueueSaysWhenToComeBack) {
  JobBook book(folder_.path(), {.queued = 2, .of_client = 1});
  accept(book, "anna");
  const auto place = book.reserve("ben", 3);
  const auto reserving = [&](const char* client) { return refused([&] { book.reserve(client, 3); }).value(); };
  EXPECT_STREQ(reserving("anna").what(), "you have 1 jobs here, which is the most: fetch and delete finished ones");
  EXPECT_STREQ(reserving("carl").what(), "the queue is full: 2 jobs wait; come back later");
  for (const char* client : {"anna", "carl"}) EXPECT_EQ(reserving(client).retry_after(), 5) << client;
}

TEST_F(JobBookTest, AWaitEndsWithTheJobTheTimeOrTheService) {
  JobBook book(folder_.path(), {});
  const Job job = accept(book, "anna");
  EXPECT_EQ(book.wait("anna", job.id, std::chrono::milliseconds(0)).state, JobState::queued);
  EXPECT_EQ(book.wait("anna", job.id, std::chrono::milliseconds(2)).state, JobState::queued);
  EXPECT_EQ(status_of([&] { book.wait("ben", job.id, std::chrono::hours(1)); }), 404);
  finish(book, 7, 0.5);
  const Job done = book.wait("anna", job.id, std::chrono::hours(1));
  EXPECT_EQ(done.state, JobState::done);
  EXPECT_GE(done.finished, done.accepted);
  const Job other = accept(book, "anna");
  book.stop(false);
  EXPECT_EQ(book.wait("anna", other.id, std::chrono::hours(1)).state, JobState::queued);
}

TEST_F(JobBookTest, ALongJournalIsShortenedToTheJobsThatAreThere) {
  const std::filesystem::path file = folder_.path() / "journal";
  JobBook book(folder_.path(), {});
  const Job waiting = accept(book, "anna");
  finish(book, 7, 0.5);
  const Job second = accept(book, "anna");
  {
    std::vector<nlohmann::json> records;
    records.push_back({{"accepted", 5}});  // no book writes this, nor the others
    records.push_back({{"removed", nlohmann::json::array()}});
    records.push_back({{"removed", second.id}, {"client", 5}});
    for (int i = 0; i < 7000; ++i) {
      const std::string id = fmt::format("{:032x}", i);
      records.push_back({{"accepted", id}, {"client", "ben"}, {"model", "m"}, {"bytes", 3U}, {"time", 1}});
      records.push_back({{"removed", id}});
    }
    JobJournal(file).add_all(records);
  }
  ASSERT_GT(std::filesystem::file_size(file), 1U << 20);
  book.tidy();
  EXPECT_LT(std::filesystem::file_size(file), 1000U);
  std::size_t records = 0;
  JobJournal(file).read([&](const nlohmann::json&) { ++records; });
  EXPECT_EQ(records, 5U) << "accepted, begun twice and done, and accepted";
  JobBook restarted(folder_.path(), {});
  EXPECT_EQ(restarted.find("anna", waiting.id).state, JobState::done);
  EXPECT_EQ(restarted.find("anna", waiting.id).inputs, 7U);
  EXPECT_EQ(restarted.find("anna", second.id).state, JobState::queued);
  EXPECT_TRUE(restarted.list("ben", 10).empty());
  // A short one is left as it is.
  const auto bytes = std::filesystem::file_size(file);
  book.remove("anna", waiting.id);
  book.tidy();
  EXPECT_GT(std::filesystem::file_size(file), bytes);
}

// Who finds a claim free looks into the journal first: the one who held it may have finished the job.
TEST_F(JobBookTest, AJobThatAnotherProcessFinishedIsNotRunAgain) {
  JobBook one(folder_.path(), {}), other(folder_.path(), {});
  const Job first = accept(one, "anna"), second = accept(one, "anna");
  finish(other, 7, 0.5);
  const auto claim = one.next();
  EXPECT_EQ(claim->job.id, second.id);
  EXPECT_EQ(one.find("anna", first.id).state, JobState::done);
  // Nor one that it removed.
  const Job third = accept(one, "anna"), fourth = accept(one, "anna");
  other.remove("anna", third.id);
  EXPECT_EQ(one.next()->job.id, fourth.id);
  EXPECT_EQ(status_of([&] { one.find("anna", third.id); }), 404);
}

// Files that somebody removed by hand end a job, and no process waits for it.
TEST_F(JobBookTest, AJobWithoutFilesFails) {
  JobBook book(folder_.path(), {});
  const Job lost = accept(book, "anna"), kept = accept(book, "anna");
  std::filesystem::remove_all(book.input(lost).parent_path());
  EXPECT_EQ(book.next()->job.id, kept.id);
  const Job found = book.find("anna", lost.id);
  EXPECT_EQ(found.state, JobState::failed);
  EXPECT_EQ(found.error, "the files of the job are gone");
  EXPECT_GE(found.finished, found.accepted);
  EXPECT_EQ(book.counts().failed, 1U);
  EXPECT_EQ(book.counts().queued, 0U);
}

TEST_F(JobBookTest, RecordsWithAFieldThatNoBookWritesAreLeftOut) {
  JobBook book(folder_.path(), {});
  JobJournal journal(folder_.path() / "journal");
  const std::string id(32, 'e');
  const auto status_with = [&](const std::string& accepted, const nlohmann::json& more) {
    nlohmann::json record{{"accepted", accepted}, {"client", "anna"}, {"model", "m"}, {"bytes", 3U}, {"time", 1}};
    record.update(more);
    journal.add(record);
    return status_of([&] { book.find("anna", accepted); });
  };
  for (const nlohmann::json& bad : std::vector<nlohmann::json>{{{"model", 5}},
                                                               {{"error", 5}},
                                                               {{"bytes", -1}},
                                                               {{"inputs", -1}},
                                                               {{"inputs", "3"}},
                                                               {{"time", "now"}},
                                                               {{"time", 1.5}},
                                                               {{"seconds", "1"}},
                                                               {{"other", 1}},
                                                               {{"done", "x"}}})
    EXPECT_EQ(status_with(id, bad), 404) << bad;
  for (const std::string& name : {std::string(31, 'e'), std::string(33, 'e'), std::string(32, 'E'),
                                  std::string(31, 'e') + 'g', std::string(31, 'e') + '/'})
    EXPECT_EQ(status_with(name, nlohmann::json::object()), 404) << name;
  EXPECT_EQ(status_with(id, {{"error", "why"}, {"inputs", 3U}, {"time", -5}, {"seconds", 0.5}}), 0);
}

TEST_F(JobBookTest, JobsWaitInTheOrderOfTheirTimesAndAreListedTheOtherWay) {
  JobBook book(folder_.path(), {});
  const std::string a(32, 'a'), b(32, 'b'), c(32, 'c'), d(32, 'd');
  {
    JobJournal journal(folder_.path() / "journal");
    for (const auto& [id, time] : {std::pair(a, 30), std::pair(b, 10), std::pair(c, 20), std::pair(d, 10)})
      journal.add({{"accepted", id}, {"client", "anna"}, {"model", "m"}, {"bytes", 3U}, {"time", time}});
  }
  std::string listed;
  for (const Job& job : book.list("anna", 4)) listed += job.id[0];
  EXPECT_EQ(listed, "acdb");
  EXPECT_EQ(book.list("anna", 1).at(0).id, a);
  EXPECT_EQ(book.position(book.find("anna", b)), 0U);
  EXPECT_EQ(book.position(book.find("anna", d)), 1U) << "of one second, as they came";
  EXPECT_EQ(book.position(book.find("anna", c)), 2U);
  EXPECT_EQ(book.position(book.find("anna", a)), 3U);
  EXPECT_EQ(book.find("anna", c).accepted, 20);
  EXPECT_EQ(book.find("anna", c).model, "m");
  EXPECT_EQ(book.counts().queued_bytes, 12U);
}

TEST_F(JobBookTest, FinishedJobsAreKeptForADayUnlessToldOtherwise) {
  JobBook book(folder_.path(), {});
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::string older(32, 'a'), younger(32, 'b');
  {
    JobJournal journal(folder_.path() / "journal");
    for (const auto& [id, age] : {std::pair(older, 24 * 3600 + 30), std::pair(younger, 24 * 3600 - 60)}) {
      journal.add({{"accepted", id}, {"client", "anna"}, {"model", "m"}, {"bytes", 3U}, {"time", 1}});
      journal.add({{"done", id}, {"time", now - age}, {"inputs", 2U}, {"seconds", 0.5}});
    }
  }
  book.tidy();
  EXPECT_EQ(status_of([&] { book.find("anna", older); }), 404);
  const Job kept = book.find("anna", younger);
  EXPECT_EQ(kept.state, JobState::done);
  EXPECT_EQ(kept.finished, now - (24 * 3600 - 60));
  EXPECT_EQ(kept.inputs, 2U);
  EXPECT_EQ(kept.seconds, 0.5);
}

TEST_F(JobBookTest, AFolderOfNoJobIsLeftAfterAMinute) {
  JobBook book(folder_.path(), {});
  const std::filesystem::path jobs = folder_.path() / "jobs", young = jobs / std::string(32, '1'),
                              old = jobs / std::string(32, '2');
  for (const auto& [folder, age] : {std::pair(young, 20), std::pair(old, 70)}) {
    std::filesystem::create_directory(folder);
    std::filesystem::last_write_time(folder, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(age));
  }
  book.tidy();
  EXPECT_TRUE(std::filesystem::exists(young));
  EXPECT_FALSE(std::filesystem::exists(old));
}

TEST_F(JobBookTest, WhatHasEndedOrIsGoneIsNotPutBack) {
  JobBook book(folder_.path(), {});
  const Job done = accept(book, "anna"), removed = accept(book, "anna");
  auto first = book.next(), second = book.next();
  book.finish(*first, 1, 1);
  book.remove("anna", removed.id);
  book.put_back(*first);
  book.put_back(*second);
  EXPECT_EQ(book.find("anna", done.id).state, JobState::done);
  EXPECT_EQ(book.counts().queued, 0U);
  EXPECT_EQ(book.counts().queued_bytes, 0U);
}

TEST_F(JobBookTest, WhatRunsMayEndUnlessItIsToBeCancelled) {
  JobBook book(folder_.path(), {});
  accept(book, "anna");
  const auto claim = book.next();
  book.stop(false);
  EXPECT_FALSE(claim->progress->cancelled());
  EXPECT_FALSE(book.next().has_value());
}

TEST_F(JobBookTest, TheUsualBoundsAreAThousandJobsAndFourGibibytes) {
  JobBook book(folder_.path(), {});
  EXPECT_EQ(status_of([&] { book.reserve("anna", 2147483649U); }), 413) << "half of it";
  EXPECT_EQ(status_of([&] { book.reserve("anna", 2147483648U); }), 0);
  const JobBounds usual;
  EXPECT_EQ(usual.queued, 1000U);
  EXPECT_EQ(usual.of_client, 1000U);
  EXPECT_EQ(usual.runs, 10000U);
  EXPECT_EQ(usual.result_bytes, 4294967296U);
  EXPECT_EQ(usual.all_result_bytes, 274877906944U);
}

TEST(JobState, HasAName) {
  EXPECT_EQ(name_of(JobState::queued), "queued");
  EXPECT_EQ(name_of(JobState::running), "running");
  EXPECT_EQ(name_of(JobState::done), "done");
  EXPECT_EQ(name_of(JobState::failed), "failed");
}

}  // namespace
}  // namespace tacit::app::service
