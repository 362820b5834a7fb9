#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/service/client_shares.h"
#include "app/service/durable_file.h"
#include "app/service/job_journal.h"
#include "app/service/job_record.h"
#include "base/staged_progress.h"

namespace tacit::session {
class StartedEvaluation;
}

namespace tacit::app::service {

/// The size of a job, known before it runs.
struct JobWork {
  std::size_t runs = 0;            ///< of the model
  std::uint64_t result_bytes = 0;  ///< most bytes of its results
};

/// All jobs: the journal's records of them, and a folder per job with `input`, `output` and `receipt`. Several
/// processes may share the book. The process that holds the claim of a job runs it. A client cannot find the jobs of
/// another client. Thread safe.
class JobBook {
 public:
  /// Reads the journal in `state`, and makes it if it is missing. Every accepted and unfinished job is queued again.
  JobBook(const std::filesystem::path& state, const JobBounds& bounds);

  /// Room in the queue for a job whose inputs are arriving. The room grows with the received bytes, so a client that
  /// declares many bytes and sends few takes little. It is given back unless the job was accepted.
  class Place {
   public:
    Place(JobBook& book, std::string client);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::filesystem::path input() const { return folder_ / "input"; }
    /// Counts `bytes` more of the inputs, before they are stored. Throws Refusal: 429 if the client has its share, and
    /// 503 if the queue is full.
    void arrive(std::uint64_t bytes);

   private:
    friend class JobBook;
    JobBook& book_;
    Job job_;
    ClientShares::Share share_;
    std::filesystem::path folder_;
    FileLock lock_;  ///< the claim's lock: while it is held, no process removes the folder in `tidy`
    bool accepted_ = false;
  };
  /// Reserves a place for inputs of `bytes` bytes. Throws Refusal:
  /// - 413 for more than any client may have;
  /// - 429 if the client has its share;
  /// - 503 if the queue is full.
  std::unique_ptr<Place> reserve(const std::string& client, std::uint64_t bytes);
  /// Queues the job in the place. After the return no end of this process loses the job. Throws Refusal:
  /// - 413 for more work than a job may have;
  /// - 429 and 503 if there is no room for its results.
  Job accept(Place& place, const std::string& model, const JobWork& work = {});
  const JobBounds& bounds() const { return bounds_; }

  /// Returns a job of a client. Throws Refusal 404 for an unknown job and for a job of another client.
  Job find(const std::string& client, const std::string& id);
  /// Returns the client's jobs, newest first.
  std::vector<Job> list(const std::string& client, std::size_t most);
  /// The number of jobs of the same client that are queued before this one. 0 also for a job that is not queued.
  std::size_t position(const Job& job) const;
  /// The outermost stage of a job that runs in this process. Its name is empty before the first stage.
  base::StagedProgress::Stage progress(const Job& job) const;
  /// Waits until the job is finished, for at most `at_most`. Returns the job in its state then.
  Job wait(const std::string& client, const std::string& id, std::chrono::milliseconds at_most);
  /// Removes a job and its files. A running job is stopped first. Throws Refusal 404.
  void remove(const std::string& client, const std::string& id);
  /// Returns clients and models with unfinished jobs, which need their keys.
  std::set<std::pair<std::string, std::string>> unfinished();

  /// A job to run, claimed by this process.
  struct Claim {
    Job job;
    FileLock lock;
    std::shared_ptr<base::StagedProgress> progress;
    std::shared_ptr<session::StartedEvaluation> evaluation{};  ///< null until it has begun
  };
  /// Waits for a job, in turns between clients. Returns none after a call of `stop`. If two processes began a job and
  /// did not end it, the job is not run a third time, and fails.
  std::optional<Claim> next();
  /// True if a job of another client waits for a turn.
  bool others_wait(const std::string& client) const;
  /// Suspends a job until the next turn of its client.
  void suspend(Claim&& claim);
  /// State the end of a job, visible to everybody at once. `record` must follow while the claim is still held.
  void finish(Claim& claim, std::uint64_t inputs, double seconds);
  void fail(Claim& claim, const std::string& error);
  /// Records the ends of jobs in the journal. Without a record a job runs again after the end of this process. The
  /// results are on disk already.
  void record(const std::vector<Claim>& claims);
  /// Returns a job to the queue that was stopped because the process ends.
  void put_back(const Claim& claim);
  /// Makes `next` return none. With `cancel`, running jobs are stopped too. An end of the process after this call does
  /// not count against the running jobs.
  void stop(bool cancel);

  std::filesystem::path input(const Job& job) const { return folder(job.id) / "input"; }
  std::filesystem::path output(const Job& job) const { return folder(job.id) / "output"; }
  std::filesystem::path receipt(const Job& job) const { return folder(job.id) / "receipt"; }

  /// Tidies; call it once a minute.
  /// - It reads the records of other processes.
  /// - It deletes jobs whose time is over, and uploads that ended processes left.
  /// - It shortens the journal.
  void tidy();

  struct Counts {
    std::size_t queued = 0, running = 0, kept = 0;
    std::uint64_t queued_bytes = 0;
    std::uint64_t accepted = 0, done = 0, failed = 0, refused = 0;  ///< by this process
    double seconds = 0;                                             ///< of computation
  };
  Counts counts() const;

 private:
  std::filesystem::path folder(const std::string& id) const { return jobs_folder_ / id; }
  /// Jobs in the order in which they were accepted: by seconds, and a number within a second.
  using Queue = std::map<std::pair<std::int64_t, std::uint64_t>, std::string>;
  // With the mutex held:
  void refresh();
  void apply(const nlohmann::json& record);
  Job& find_own(const std::string& client, const std::string& id);
  void forget(const std::string& id);
  void enqueue(Job& job);
  void change_state(Job& job, JobState state);  // out of the queue, if it is there
  void fail_queued(Job& job, const std::string& error);
  std::optional<Claim> take();
  std::optional<Claim> take_of(const std::string& client);
  // Without it:
  void end(Job& job, JobState state);
  void erase(const std::vector<std::string>& ids);
  void fail_lost_jobs();
  void note_begun(const std::vector<std::pair<std::string, std::uint64_t>>& times) noexcept;
  void record_failed(const std::vector<nlohmann::json>& records) noexcept;
  void remove_left_folders();

  const std::filesystem::path jobs_folder_;
  const JobBounds bounds_;
  JobJournal journal_;
  mutable std::mutex mutex_;
  std::condition_variable work_, finished_;
  std::map<std::string, Job> jobs_;
  std::map<std::string, Queue> queued_;                 // by client; none is empty
  std::map<std::string, Queue::key_type> places_;       // in the queue, of those that are in one
  std::map<std::string, std::deque<Claim>> suspended_;  // by client; none is empty
  std::map<std::string, std::uint64_t> served_;         // by client: the turn in which it was served last
  std::map<std::string, std::shared_ptr<base::StagedProgress>> running_;
  std::set<std::string> suspects_;          // that run, and that a process began and did not end
  std::vector<nlohmann::json> unrecorded_;  // of jobs that failed while they were queued
  ClientShares shares_;
  std::uint64_t turn_ = 0, enqueued_ = 0;
  Counts counts_;
  bool stopping_ = false;
};

}  // namespace tacit::app::service
