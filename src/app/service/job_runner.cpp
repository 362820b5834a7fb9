#include "app/service/job_runner.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "app/service/named_sentence.h"
#include "app/service/refusal.h"
#include "base/error.h"
#include "base/process_memory.h"
#include "base/progress.h"

namespace tacit::app::service {
namespace {
constexpr std::ptrdiff_t kMostUnrecorded = 256;
}  // namespace

JobRunner::JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer,
                     int threads)
    : book_(book), keys_(keys), models_(models), signer_(std::move(signer)) {
  ended_.set_capacity(kMostUnrecorded);
  recorder_ = std::thread([this] { record(); });
  try {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {  // no room for another stack
    book_.stop(true);
    join();
    throw;
  }
}

JobRunner::~JobRunner() { join(); }

void JobRunner::join() {
  threads_.clear();
  if (!recorder_.joinable()) return;
  ended_.push(std::nullopt);
  recorder_.join();
}

void JobRunner::work() {
  while (std::optional<JobBook::Claim> claim = book_.next())
    if (run(*claim)) ended_.push(std::move(claim));
}

void JobRunner::record() {
  std::optional<JobBook::Claim> ended;
  do {
    // All that have ended by now, with one write.
    std::vector<JobBook::Claim> claims;
    for (ended_.pop(ended); ended;) {
      claims.push_back(std::move(*ended));
      if (!ended_.try_pop(ended)) break;
    }
    try {
      std::erase_if(claims, [this](const JobBook::Claim& claim) {
        if (claim.job.state != JobState::done) return false;
        try {
          make_durable(book_.output(claim.job));
          make_durable(book_.receipt(claim.job));
          return false;
        } catch (const base::InputError&) {  // its client has fetched and deleted it
          return true;
        }
      });
      book_.record(claims);
      std::error_code ignored;
      for (const JobBook::Claim& claim : claims) std::filesystem::remove(book_.input(claim.job), ignored);
    } catch (const std::exception& error) {  // the jobs run again after a restart
      fmt::print(stderr, "tacit: {}\n", error.what());
    }
  } while (ended);
}

bool JobRunner::run(JobBook::Claim& claim) {
  const Job& job = claim.job;
  try {
    OfferedModel* const model = models_.find(job.model);
    if (model == nullptr) throw Refusal(404, "the server no longer offers this model");
    const std::shared_ptr<const session::LoadedKeys> keys = keys_.load(job.client, *model);
    session::EvaluatedInputs done =
        model->half->evaluate(*keys, {book_.input(job), book_.output(job)}, *claim.progress);
    if (signer_) runtime::sign(done.receipt, *signer_);
    runtime::save(done.receipt, book_.receipt(job));
    book_.finish(claim, done.inputs, done.seconds);
  } catch (const tacit::Cancelled&) {
    book_.put_back(claim);
    return false;
  } catch (const Refusal& refusal) {
    book_.fail(claim, refusal.what());
  } catch (const base::InternalError& error) {
    fmt::print(stderr, "tacit: internal error in job {}: {}\n", job.id, error.what());
    book_.fail(claim, "internal error; the server's operator finds it in the log");
  } catch (const base::Error& error) {
    book_.fail(claim, named_sentence(named_sentence(error.what(), book_.input(job), "the inputs"), book_.output(job),
                                     "the results"));
  } catch (const std::exception& error) {
    if (base::is_want_of_memory(error)) {
      book_.fail(claim, "the server has too little memory for this evaluation");
      return true;
    }
    fmt::print(stderr, "tacit: job {}: {}\n", job.id, error.what());
    book_.fail(claim, "internal error; the server's operator finds it in the log");
  }
  return true;
}

}  // namespace tacit::app::service
