#include "app/service/job_runner.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "app/service/refusal.h"
#include "base/error.h"
#include "base/progress.h"

namespace tacit::app::service {
namespace {

/// A sentence for the client, without the names of the server's files.
std::string without_paths(std::string sentence, const JobBook& book, const Job& job) {
  for (const auto& [path, name] :
       {std::pair(book.input(job), "the inputs"), std::pair(book.output(job), "the results")})
    for (std::size_t at = sentence.find(path.string()); at != std::string::npos; at = sentence.find(path.string()))
      sentence.replace(at, path.string().size(), name);
  return sentence;
}

}  // namespace

JobRunner::JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer)
    : book_(book), keys_(keys), models_(models), signer_(std::move(signer)) {}

JobRunner::~JobRunner() { join(); }

void JobRunner::start(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
}

void JobRunner::join() {
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void JobRunner::work() {
  while (const std::optional<JobBook::Claim> claim = book_.next()) {
    try {
      run(*claim);
    } catch (const std::exception& error) {  // the journal cannot be written: the job runs again after a restart
      fmt::print(stderr, "tacit: {}\n", error.what());
    }
  }
}

void JobRunner::run(const JobBook::Claim& claim) {
  const Job& job = claim.job;
  try {
    OfferedModel* const model = models_.find(job.model);
    if (model == nullptr) return book_.fail(claim, "the server no longer offers this model");
    const std::shared_ptr<const session::LoadedKeys> keys = keys_.load(job.client, *model);
    session::EvaluatedInputs done =
        model->half->evaluate(*keys, {book_.input(job), book_.output(job)}, *claim.progress);
    if (signer_) runtime::sign(done.receipt, *signer_);
    runtime::save(done.receipt, book_.receipt(job));
    make_durable(book_.output(job));
    make_durable(book_.receipt(job));
    book_.finish(claim, done.inputs, done.seconds);
    std::error_code ignored;
    std::filesystem::remove(book_.input(job), ignored);
  } catch (const tacit::Cancelled&) {
    book_.put_back(claim);
  } catch (const Refusal& refusal) {
    book_.fail(claim, refusal.what());
  } catch (const base::InternalError& error) {
    fmt::print(stderr, "tacit: internal error in job {}: {}\n", job.id, error.what());
    book_.fail(claim, "internal error; the server's operator finds it in the log");
  } catch (const base::Error& error) {
    book_.fail(claim, without_paths(error.what(), book_, job));
  } catch (const std::bad_alloc&) {
    book_.fail(claim, "the server has too little memory for this evaluation");
  } catch (const std::exception& error) {
    fmt::print(stderr, "tacit: job {}: {}\n", job.id, error.what());
    book_.fail(claim, "internal error; the server's operator finds it in the log");
  }
}

}  // namespace tacit::app::service
