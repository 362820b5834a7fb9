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

/// The threads that evaluate: each takes a job of the book, the client's keys and the model, and writes results and
/// receipt.
class JobRunner {
 public:
  /// A client's job goes on for so long while others wait, and at least until the end of a sample.
  static constexpr std::chrono::milliseconds kTurn{1000};

  /// Starts `threads` of them. `signer` signs receipts; none: nobody does.
  JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer,
            int threads, std::chrono::milliseconds turn = kTurn);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// After JobBook::stop: waits for what runs.
  void join();

 private:
  /// How a turn of a job ended.
  enum class Turn { ended, goes_on, stays_queued };
  void work();
  void work_once(JobBook::Claim&& claim);
  void record();
  void record_all(std::vector<JobBook::Claim>& claims);
  Turn run(JobBook::Claim& claim);
  /// True where the job has ended, false where it goes on in another turn.
  bool evaluate(JobBook::Claim& claim);
  JobBook& book_;
  KeyShelf& keys_;
  const ModelShelf& models_;
  std::optional<base::SigningKey> signer_;
  const std::chrono::milliseconds turn_;
  tbb::concurrent_bounded_queue<std::optional<JobBook::Claim>> ended_;  ///< to be recorded; behind the last, none
  std::vector<std::jthread> threads_;
  // The disk is waited for by a thread of its own, which the next evaluation does not wait for.
  std::thread recorder_;
};

}  // namespace tacit::app::service
