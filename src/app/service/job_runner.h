#pragma once

#include <tbb/concurrent_queue.h>

#include <chrono>
#include <optional>
#include <thread>
#include <vector>

#include "app/service/job_book.h"
#include "app/service/key_shelf.h"
#include "app/service/model_shelf.h"
#include "base/ed25519.h"

namespace tacit::app::service {

/// The threads that evaluate. Each takes a job of the book, the client's keys and the model, and writes results and
/// receipt.
class JobRunner {
 public:
  /// The length of a turn: a client's job runs for this time while others wait, and at least until the end of a sample.
  static constexpr std::chrono::milliseconds kTurn{1000};

  /// Starts `threads` threads. `signer` signs the receipts; none: they are not signed.
  JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer,
            int threads, std::chrono::milliseconds turn = kTurn);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// Waits for the running jobs. Call it after JobBook::stop.
  void join();

 private:
  /// The end of a turn of a job.
  enum class Turn { ended, goes_on, stays_queued };
  void work();
  void work_once(JobBook::Claim&& claim);
  void record();
  void record_all(std::vector<JobBook::Claim>& claims);
  Turn run(JobBook::Claim& claim);
  /// Returns true if the job has ended, and false if it continues in another turn.
  bool evaluate(JobBook::Claim& claim);
  JobBook& book_;
  KeyShelf& keys_;
  const ModelShelf& models_;
  std::optional<base::SigningKey> signer_;
  const std::chrono::milliseconds turn_;
  /// Claims to be recorded. A final none ends the recorder.
  tbb::concurrent_bounded_queue<std::optional<JobBook::Claim>> ended_;
  std::vector<std::jthread> threads_;
  // A separate thread waits for the disk, so that the next evaluation does not.
  std::thread recorder_;
};

}  // namespace tacit::app::service
