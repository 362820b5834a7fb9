#include "app/service/job_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <new>
#include <stdexcept>
#include <thread>

#include "app/service/refusal.h"
#include "app/service/server_half_for_test.h"
#include "base/error.h"
#include "base/progress.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

using session::EvaluatedFiles;
using session::EvaluatedInputs;

class JobRunnerTest : public testing::Test {
 protected:
  JobRunnerTest() {
    auto half = std::make_unique<AnyKeys>();
    half_ = half.get();
    half_->evaluation = [](const EvaluatedFiles& files, base::Progress&) {
      std::ofstream(files.output) << "results";
      return EvaluatedInputs{.receipt = {.version = "1.2.3"}, .inputs = 7, .seconds = 0.5};
    };
    models_.add(std::make_unique<OfferedModel>(
        OfferedModel{.id = "m", .half = std::move(half), .client_half = {}, .most_key_bytes = 1 << 20, .facts = {}}));
    upload("anna");
  }
  void upload(const std::string& client) {
    const std::filesystem::path path = folder_.path() / "upload";
    runtime::ArtefactWriter writer(path, runtime::ArtefactKind::evaluation_keys);
    writer.add_section("keys", runtime::SectionType::text, "any");
    writer.finish();
    const std::vector<char> bytes = base::read_file(path);
    keys_.upload(client, *models_.find("m"), {0, bytes.size(), bytes.size()},
                 [&](const auto& receive) { return receive(bytes); }, {});
  }
  Job accept(const std::string& client = "anna", const std::string& model = "m") {
    const auto place = book_.reserve(client, 3);
    std::ofstream(place->input()) << "abc";
    return book_.accept(*place, model);
  }
  void start(std::optional<base::SigningKey> signer = {}) {
    runner_.emplace(book_, keys_, models_, std::move(signer), 1);
  }
  /// The job once it has ended.
  Job ended(const Job& job) { return book_.wait(job.client, job.id, std::chrono::minutes(1)); }
  /// Of evaluations that throw what `thrown` makes: what their client is told.
  template <class Thrown>
  std::string told(const Thrown& thrown) {
    half_->evaluation = [&](const EvaluatedFiles& files, base::Progress&) -> EvaluatedInputs { throw thrown(files); };
    const Job job = ended(accept());
    EXPECT_EQ(job.state, JobState::failed);
    return job.error;
  }
  void stop(bool cancel) {
    book_.stop(cancel);
    if (runner_) runner_->join();
  }
  void TearDown() override { stop(true); }

  base::TemporaryFolder folder_;
  JobBook book_{folder_.path(), {}};
  KeyShelf keys_{folder_.path(), {.in_memory = 1 << 20}};
  ModelShelf models_;
  AnyKeys* half_ = nullptr;
  std::optional<JobRunner> runner_;
};

TEST_F(JobRunnerTest, WritesResultsAReceiptAndHowTheJobEnded) {
  start();
  const Job job = ended(accept());
  EXPECT_EQ(job.state, JobState::done);
  EXPECT_EQ(job.inputs, 7U);
  EXPECT_EQ(job.seconds, 0.5);
  EXPECT_EQ(runtime::load_receipt(book_.receipt(job)).version, "1.2.3");
  EXPECT_FALSE(runtime::load_receipt(book_.receipt(job)).signed_by);
  stop(false);
  EXPECT_EQ(std::filesystem::file_size(book_.output(job)), 7U);
  EXPECT_FALSE(std::filesystem::exists(book_.input(job))) << "it is needed no more";
  JobBook restarted(folder_.path(), {});
  EXPECT_EQ(restarted.find("anna", job.id).state, JobState::done);
  EXPECT_EQ(restarted.counts().queued, 0U);
}

TEST_F(JobRunnerTest, SignsReceipts) {
  const std::filesystem::path pem = folder_.path() / "signer.pem";
  std::ofstream(pem) << "-----BEGIN PRIVATE KEY-----\n"
                        "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"
                        "-----END PRIVATE KEY-----\n";
  const base::SigningKey key = base::SigningKey::from_pem(pem);
  start(key);
  const Job job = ended(accept());
  EXPECT_EQ(runtime::load_receipt(book_.receipt(job)).signed_by.value().signer, key.signer());
}

TEST_F(JobRunnerTest, TellsAClientWhatItCanMend) {
  start();
  EXPECT_EQ(told([](const EvaluatedFiles& files) {
              return base::InputError(files.input.string() + " does not fit " + files.output.string());
            }),
            "the inputs does not fit the results");
  EXPECT_EQ(told([](const EvaluatedFiles&) { return Refusal(409, "come back with keys"); }), "come back with keys");
  EXPECT_EQ(told([](const EvaluatedFiles&) { return std::bad_alloc(); }),
            "the server has too little memory for this evaluation");
  EXPECT_EQ(ended(accept("ben")).error, "there are no keys of yours for this model; upload them first");
  EXPECT_EQ(ended(accept("anna", "n")).error, "the server no longer offers this model");
}

TEST_F(JobRunnerTest, TellsTheOperatorAloneWhatIsBroken) {
  start();
  testing::internal::CaptureStderr();
  const std::string broken = told([](const EvaluatedFiles&) { return base::InternalError("a level is negative"); });
  const std::string other = told([](const EvaluatedFiles&) { return std::runtime_error("no such device"); });
  stop(false);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(broken, "internal error; the server's operator finds it in the log");
  EXPECT_EQ(other, broken);
  EXPECT_THAT(log, testing::ContainsRegex("tacit: internal error in job [0-9a-f]+: .*a level is negative\n"));
  EXPECT_THAT(log, testing::ContainsRegex("tacit: job [0-9a-f]+: no such device\n"));
}

// A process that is told to end at once stops what runs: another one, or itself when it is back, runs it again.
TEST_F(JobRunnerTest, AStoppedJobStaysQueued) {
  half_->evaluation = [](const EvaluatedFiles&, base::Progress& progress) -> EvaluatedInputs {
    for (;;) {
      progress.advance(1);  // throws, once it was cancelled
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  start();
  const Job job = accept();
  while (book_.find("anna", job.id).state != JobState::running) std::this_thread::yield();
  stop(true);
  EXPECT_EQ(book_.find("anna", job.id).state, JobState::queued);
  EXPECT_TRUE(std::filesystem::exists(book_.input(job)));
  EXPECT_EQ(JobBook(folder_.path(), {}).counts().queued, 1U);
}

// A job of many samples lets the jobs of others go on between them.
TEST_F(JobRunnerTest, ClientsTakeTurnsBetweenSamples) {
  upload("ben");
  for (const char* client : {"anna", "ben"}) keys_.load(client, *models_.find("m"));  // a turn is longer where this is
  half_->runs = 3;
  std::map<std::string, std::string> names;
  std::string order;
  std::optional<Job> of_ben;
  half_->after_run = [&](const EvaluatedFiles& files) {
    if (!of_ben) {
      of_ben = accept("ben");
      names[of_ben->id] = "ben";
    }
    order += names[files.input.parent_path().filename()] + " ";
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
  };
  const Job of_anna = accept();
  names[of_anna.id] = "anna";
  runner_.emplace(book_, keys_, models_, std::nullopt, 1, std::chrono::milliseconds(0));
  EXPECT_EQ(ended(of_anna).state, JobState::done);
  EXPECT_EQ(ended(*of_ben).state, JobState::done);
  stop(false);
  EXPECT_EQ(order, "anna ben anna ben ");
}

TEST_F(JobRunnerTest, ATurnIsLongerThanASampleAndGoesOnWhereNobodyWaits) {
  upload("ben");
  half_->runs = 4;
  std::vector<std::string> order;
  std::optional<Job> of_ben;
  half_->after_run = [&](const EvaluatedFiles& files) {
    if (!of_ben) of_ben = accept("ben");
    order.push_back(files.input.parent_path().filename());
  };
  const Job of_anna = accept();
  runner_.emplace(book_, keys_, models_, std::nullopt, 1, std::chrono::hours(1));
  EXPECT_EQ(ended(of_anna).state, JobState::done);
  EXPECT_EQ(ended(*of_ben).state, JobState::done);
  stop(false);
  EXPECT_EQ(order, (std::vector<std::string>{of_anna.id, of_anna.id, of_anna.id, of_ben->id, of_ben->id, of_ben->id}));
}

// An exception that leaves a thread ends the process.
TEST_F(JobRunnerTest, AStateFolderThatIsGoneForAWhileEndsNoThread) {
  testing::internal::CaptureStderr();
  start();
  const std::filesystem::path away = folder_.path().string() + "-away";
  std::filesystem::rename(folder_.path(), away);
  std::this_thread::sleep_for(std::chrono::milliseconds(900));  // it looks for work twice a second
  std::filesystem::rename(away, folder_.path());
  EXPECT_EQ(ended(accept()).state, JobState::done);
  stop(false);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("cannot open the journal"));
}

// What a client deleted while it was computed leaves nothing.
TEST_F(JobRunnerTest, ADeletedJobLeavesNothing) {
  half_->evaluation = [&](const EvaluatedFiles& files, base::Progress&) {
    book_.remove("anna", files.input.parent_path().filename());
    return EvaluatedInputs{.receipt = {.version = "1"}, .inputs = 1, .seconds = 1};
  };
  start();
  const Job job = accept();
  while (book_.counts().kept + book_.counts().queued + book_.counts().running > 0) std::this_thread::yield();
  stop(false);
  EXPECT_FALSE(std::filesystem::exists(book_.output(job)));
  JobBook restarted(folder_.path(), {});
  EXPECT_TRUE(restarted.list("anna", 10).empty());
}

}  // namespace
}  // namespace tacit::app::service
