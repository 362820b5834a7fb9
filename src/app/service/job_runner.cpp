#include "app/service/job_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "app/service/path_names.h"
#include "app/service/refusal.h"
#include "base/error.h"
#include "base/process_memory.h"
#include "base/progress.h"

namespace tacit::app::service {
namespace {
constexpr std::ptrdiff_t kMostUnrecorded = 256;
/// Keys are read again at a turn that others used memory between: a turn takes so many times as long as that did.
constexpr int kTurnPerLoad = 4;
/// After what no job is to blame for: no memory, or no disk.
constexpr std::chrono::milliseconds kPauseAfterTrouble{200};
}  // namespace

JobRunner::JobRunner(JobBook& book, KeyShelf& keys, const ModelShelf& models, std::optional<base::SigningKey> signer,
                     int threads, std::chrono::milliseconds turn)
    : book_(book), keys_(keys), models_(models), signer_(std::move(signer)), turn_(turn) {
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

/// Nothing leaves this thread but its end: an exception would end the process, and with it the jobs of all.
void JobRunner::work() {
  for (;;) {
    try {
      std::optional<JobBook::Claim> claim = book_.next();
      if (!claim) return;
      work_once(std::move(*claim));
    } catch (const std::exception& error) {
      fmt::print(stderr, "tacit: {}\n", error.what());
      std::this_thread::sleep_for(kPauseAfterTrouble);
    }
  }
}

void JobRunner::work_once(JobBook::Claim&& claim) {
  Turn turn = Turn::stays_queued;
  try {
    turn = run(claim);
  } catch (const std::exception&) {  // there is no memory to say why: another try may find some
    claim.evaluation.reset();
    book_.put_back(claim);
    throw;
  }
  if (turn == Turn::goes_on) book_.suspend(std::move(claim));
  if (turn == Turn::ended) ended_.push(std::move(claim));
}

void JobRunner::record() {
  std::optional<JobBook::Claim> ended;
  do {
    try {
      // All that have ended by now, with one write.
      std::vector<JobBook::Claim> claims;
      for (ended_.pop(ended); ended;) {
        claims.push_back(std::move(*ended));
        if (!ended_.try_pop(ended)) break;
      }
      record_all(claims);
    } catch (const std::exception& error) {  // the jobs run again after a restart
      fmt::print(stderr, "tacit: {}\n", error.what());
    }
  } while (ended);
}

void JobRunner::record_all(std::vector<JobBook::Claim>& claims) {
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
}

bool JobRunner::evaluate(JobBook::Claim& claim) {
  using Clock = std::chrono::steady_clock;
  const Job& job = claim.job;
  const Clock::time_point begun = Clock::now();
  OfferedModel* const model = models_.find(job.model);
  if (model == nullptr) throw Refusal(404, "the server no longer offers this model");
  const std::shared_ptr<const session::LoadedKeys> keys = keys_.load(job.client, *model);
  const Clock::duration turn = std::max<Clock::duration>(turn_, kTurnPerLoad * (Clock::now() - begun));
  if (!claim.evaluation) claim.evaluation = model->half->start(*keys, book_.input(job), book_.output(job));
  std::optional<session::EvaluatedInputs> done = claim.evaluation->go_on(
      *keys, *claim.progress, [&] { return Clock::now() - begun >= turn && book_.others_wait(job.client); });
  if (!done) return false;
  if (signer_) runtime::sign(done->receipt, *signer_);
  runtime::save(done->receipt, book_.receipt(job));
  book_.finish(claim, done->inputs, done->seconds);
  return true;
}

JobRunner::Turn JobRunner::run(JobBook::Claim& claim) {
  const Job& job = claim.job;
  try {
    if (!evaluate(claim)) return Turn::goes_on;
  } catch (const tacit::Cancelled&) {
    claim.evaluation.reset();
    book_.put_back(claim);
    return Turn::stays_queued;
  } catch (const Refusal& refusal) {
    book_.fail(claim, refusal.what());
  } catch (const base::InternalError& error) {
    fmt::print(stderr, "tacit: internal error in job {}: {}\n", job.id, error.what());
    book_.fail(claim, "internal error; the server's operator finds it in the log");
  } catch (const base::Error& error) {
    book_.fail(claim,
               PathNames{{book_.input(job), "the inputs"}, {book_.output(job), "the results"}}.named(error.what()));
  } catch (const std::exception& error) {
    if (base::is_want_of_memory(error)) {
      book_.fail(claim, "the server has too little memory for this evaluation");
    } else {
      fmt::print(stderr, "tacit: job {}: {}\n", job.id, error.what());
      book_.fail(claim, "internal error; the server's operator finds it in the log");
    }
  }
  claim.evaluation.reset();
  return Turn::ended;
}

}  // namespace tacit::app::service
