#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/service/durable_file.h"
#include "app/service/job_journal.h"
#include "base/staged_progress.h"

namespace tacit::app::service {

enum class JobState { queued, running, done, failed };
/// "queued", …
std::string_view name_of(JobState state);

/// An evaluation that somebody asked for.
struct Job {
  std::string id;  ///< 128 random bits: nobody guesses another client's
  std::string client, model;
  std::uint64_t bytes = 0;                  ///< of the inputs' file
  std::int64_t accepted = 0, finished = 0;  ///< seconds since 1970
  JobState state = JobState::queued;
  std::uint64_t inputs = 0;  ///< once done
  double seconds = 0;        ///< of computing, once done
  std::string error;         ///< once failed
};

/// Bounds of what waits and of what is kept.
struct JobBounds {
  std::size_t queued = 1000;                ///< jobs that are not finished, of all clients
  std::uint64_t queued_bytes = 4ull << 30;  ///< of their inputs
  std::size_t of_client = 1000;             ///< jobs of one client, finished ones that it has not deleted included
  std::int64_t keep_seconds = 24 * 3600;    ///< finished jobs are deleted after this
};

/// All jobs: what the journal says of them, and a folder each with `input`, `output`, `receipt`. Several processes may
/// share it; a job is run by the one that holds its claim. What one client has is not to be found by another. Thread
/// safe.
class JobBook {
 public:
  /// Reads the journal in `state`, which it makes if it is not there: every job that was accepted and is not finished
  /// is queued again.
  JobBook(const std::filesystem::path& state, const JobBounds& bounds);

  /// Room in the queue for a job whose inputs are being received. Gives it back unless it was accepted.
  class Place {
   public:
    Place(JobBook& book, std::string client, std::uint64_t bytes);
    ~Place();
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    std::filesystem::path input() const { return folder_ / "input"; }

   private:
    friend class JobBook;
    JobBook& book_;
    Job job_;
    std::filesystem::path folder_;
    FileLock lock_;  ///< the claim's: while it is held, `tidy` of no process takes the folder for a left one
    bool accepted_ = false;
  };
  /// Throws Refusal: 429 where the client has too much, 503 where the queue is full.
  std::unique_ptr<Place> reserve(const std::string& client, std::uint64_t bytes);
  /// Queues what lies in the place. When this returns, no end of this process loses the job.
  Job accept(Place& place, const std::string& model);

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
  };
  /// Waits for one, in turns between clients; none once `stop` was called.
  std::optional<Claim> next();
  /// How a job ended, for everybody to see at once. `record` follows, with the claim still held.
  void finish(Claim& claim, std::uint64_t inputs, double seconds);
  void fail(Claim& claim, const std::string& error);
  /// Writes down how jobs ended: until then they would be run again after the end of this process. Their results are on
  /// disk already.
  void record(const std::vector<Claim>& claims);
  /// Of a job that was stopped because the process ends: it stays queued.
  void put_back(const Claim& claim);
  /// `next` gives no more. With `cancel`, what runs is stopped too.
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
  void refresh();                                                   // with the mutex held
  void apply(const nlohmann::json& record);                         // with the mutex held
  Job& find_own(const std::string& client, const std::string& id);  // with the mutex held
  void forget(const std::string& id);                               // with the mutex held
  void enqueue(Job& job);                                           // with the mutex held
  void change_state(Job& job, JobState state);  // with the mutex held; out of the queue, if it is there
  void end(Job& job, JobState state);
  void erase(const std::string& id);
  void remove_left_folders();

  const std::filesystem::path jobs_folder_;
  const JobBounds bounds_;
  JobJournal journal_;
  mutable std::mutex mutex_;
  std::condition_variable work_, finished_;
  std::map<std::string, Job> jobs_;
  std::map<std::string, std::vector<std::string>> queued_;  // by client, oldest first
  std::map<std::string, std::uint64_t> served_;             // by client: the turn in which it was served last
  std::map<std::string, std::shared_ptr<base::StagedProgress>> running_;
  std::map<std::string, std::size_t> of_client_;  // jobs and places
  std::uint64_t turn_ = 0;
  std::size_t reserved_ = 0;
  std::uint64_t reserved_bytes_ = 0;
  Counts counts_;
  bool stopping_ = false;
};

}  // namespace tacit::app::service
