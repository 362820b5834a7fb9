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

/// What is known of a job before it runs.
struct JobWork {
  std::size_t runs = 0;            ///< of the model
  std::uint64_t result_bytes = 0;  ///< at most
};

/// All jobs: what the journal says of them, and a folder each with `input`, `output`, `receipt`. Several processes may
/// share it; a job is run by the one that holds its claim. What one client has is not to be found by another. Thread
/// safe.
class JobBook {
 public:
  /// Reads the journal in `state`, which it makes if it is not there: every job that was accepted and is not finished
  /// is queued again.
  JobBook(const std::filesystem::path& state, const JobBounds& bounds);

  /// Room in the queue for a job whose inputs are being received. It grows with them: whoever declares many bytes and
  /// sends them slowly takes no more than came. Gives it back unless it was accepted.
  class Place {
   public:
    Place(JobBook& book, std::string client);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::filesystem::path input() const { return folder_ / "input"; }
    /// So many bytes more of the inputs, before they are stored. Throws Refusal: 429 where the client has its share,
    /// 503 where the queue is full.
    void arrive(std::uint64_t bytes);

   private:
    friend class JobBook;
    JobBook& book_;
    Job job_;
    ClientShares::Share share_;
    std::filesystem::path folder_;
    FileLock lock_;  ///< the claim's: while it is held, `tidy` of no process takes the folder for a left one
    bool accepted_ = false;
  };
  /// For inputs of so many bytes. Throws Refusal: 413 for more than any client may have, 429 where the client has its
  /// share, 503 where the queue is full.
  std::unique_ptr<Place> reserve(const std::string& client, std::uint64_t bytes);
  /// Queues what lies in the place. When this returns, no end of this process loses the job. Throws Refusal: 413 for
  /// more work than a job may have, 429 and 503 where there is no room for its results.
  Job accept(Place& place, const std::string& model, const JobWork& work = {});
  const JobBounds& bounds() const { return bounds_; }

  /// A job of a client. Throws Refusal 404 for one that is not, or is not this client's.
  Job find(const std::string& client, const std::string& id);
  /// The newest first.
  std::vector<Job> list(const std::string& client, std::size_t most);
  /// How many unfinished jobs were accepted before it.
  std::size_t position(const Job& job) const;
  /// The outermost stage of one that runs in this process, at the moment; its name is empty before the first.
  base::StagedProgress::Stage progress(const Job& job) const;
  /// Waits until the job is finished, at most so long. Returns it as it is then.
  Job wait(const std::string& client, const std::string& id, std::chrono::milliseconds at_most);
  /// Forgets a job and its files; one that runs is stopped first. Throws Refusal 404.
  void remove(const std::string& client, const std::string& id);
  /// Clients and models with jobs that are not finished: their keys are needed.
  std::set<std::pair<std::string, std::string>> unfinished();

  /// A job to run, claimed by this process.
  struct Claim {
    Job job;
    FileLock lock;
    std::shared_ptr<base::StagedProgress> progress;
    std::shared_ptr<session::StartedEvaluation> evaluation{};  ///< once it was begun
  };
  /// Waits for one, in turns between clients; none once `stop` was called. A job that two processes began and did not
  /// end is not run a third time: it fails.
  std::optional<Claim> next();
  /// Whether a job of another client waits for a turn.
  bool others_wait(const std::string& client) const;
  /// A job goes on when it is its client's turn again.
  void suspend(Claim&& claim);
  /// How a job ended, for everybody to see at once. `record` follows, with the claim still held.
  void finish(Claim& claim, std::uint64_t inputs, double seconds);
  void fail(Claim& claim, const std::string& error);
  /// Writes down how jobs ended: until then they would be run again after the end of this process. Their results are on
  /// disk already.
  void record(const std::vector<Claim>& claims);
  /// Of a job that was stopped because the process ends: it stays queued.
  void put_back(const Claim& claim);
  /// `next` gives no more. With `cancel`, what runs is stopped too. An end of the process after this is no fault of
  /// what runs.
  void stop(bool cancel);

  std::filesystem::path input(const Job& job) const { return folder(job.id) / "input"; }
  std::filesystem::path output(const Job& job) const { return folder(job.id) / "output"; }
  std::filesystem::path receipt(const Job& job) const { return folder(job.id) / "receipt"; }

  /// Once a minute: reads what other processes wrote, deletes what was kept for long enough and what ended processes
  /// left of uploads, shortens the journal.
  void tidy();

  struct Counts {
    std::size_t queued = 0, running = 0, kept = 0;
    std::uint64_t queued_bytes = 0;
    std::uint64_t accepted = 0, done = 0, failed = 0, refused = 0;  ///< by this process
    double seconds = 0;                                             ///< of computing
  };
  Counts counts() const;

 private:
  std::filesystem::path folder(const std::string& id) const { return jobs_folder_ / id; }
  /// In the order in which jobs were accepted: seconds, and a number within them.
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
