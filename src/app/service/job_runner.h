#pragma once

#include <tbb/concurrent_queue.h>

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
  /// Starts `threads` of them. `signer` signs receipts; none: nobody does.
  JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer,
            int threads);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  /// After JobBook::stop: waits for what runs.
  void join();

 private:
  void work();
  void record();
  /// False: the job stays queued.
  bool run(JobBook::Claim& claim);
  JobBook& book_;
  KeyShelf& keys_;
  const ModelShelf& models_;
  std::optional<base::SigningKey> signer_;
  tbb::concurrent_bounded_queue<std::optional<JobBook::Claim>> ended_;  ///< to be recorded; behind the last, none
  std::vector<std::jthread> threads_;
  // The disk is waited for by a thread of its own, which the next evaluation does not wait for.
  std::thread recorder_;
};

}  // namespace tacit::app::service
