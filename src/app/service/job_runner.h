#pragma once

#include <filesystem>
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
  /// `signer` signs receipts; none: nobody does.
  JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer);
  ~JobRunner();
  JobRunner(const JobRunner&) = delete;
  JobRunner& operator=(const JobRunner&) = delete;

  void start(int threads);
  /// After JobBook::stop: waits for what runs.
  void join();

 private:
  void work();
  void run(const JobBook::Claim& claim);
  JobBook& book_;
  KeyShelf& keys_;
  const ModelShelf& models_;
  std::optional<base::SigningKey> signer_;
  std::vector<std::thread> threads_;
};

}  // namespace tacit::app::service
