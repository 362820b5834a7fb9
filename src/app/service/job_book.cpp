#include "app/service/job_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <set>
#include <tuple>
#include <utility>

#include "app/service/refusal.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/random.h"
#include "base/sha256.h"

namespace tacit::app::service {
namespace {

constexpr std::chrono::milliseconds kLookAtOthers{500};  // for what other processes accepted or left
constexpr std::uint64_t kJournalWorthShortening = 1 << 20;
constexpr std::chrono::minutes kLeftAfter{1};
/// Processes that may begin a job and not end it.
constexpr std::uint64_t kMostTimes = 2;
/// Jobs that fail without a run before others may look into the book.
constexpr std::size_t kFailAtOnce = 100;
constexpr const char* kFilesGone = "the files of the job are gone";

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

/// Also where another thread removes a file of it meanwhile.
void remove_folder(const std::filesystem::path& folder) {
  constexpr int kTries = 5;
  std::error_code error;
  for (int i = 0; i < kTries && (i == 0 || error); ++i) std::filesystem::remove_all(folder, error);
}

}  // namespace

JobBook::JobBook(const std::filesystem::path& state, const JobBounds& bounds)
    : jobs_folder_(state / "jobs"),
      bounds_(bounds),
      journal_([&] {
        std::filesystem::create_directories(jobs_folder_);
        std::filesystem::permissions(jobs_folder_, std::filesystem::perms::owner_all);
        return state / "journal";
      }()),
      shares_(bounds) {
  {
    const std::lock_guard lock(mutex_);
    refresh();
  }
  fail_lost_jobs();
}

JobBook::Place::Place(JobBook& book, std::string client) : book_(book) {
  const base::Seed seed = base::public_seed();
  job_.id = base::hexadecimal(std::span(seed).first<16>());
  job_.client = std::move(client);
  folder_ = book_.folder(job_.id);
}

JobBook::Place::~Place() {
  if (!accepted_) remove_folder(folder_);
  const std::lock_guard lock(book_.mutex_);
  book_.shares_.remove(job_.client, share_);
}

void JobBook::Place::arrive(std::uint64_t bytes) {
  const std::lock_guard lock(book_.mutex_);
  const ClientShares::Share more{.bytes = bytes};
  try {
    book_.shares_.require(job_.client, more);
  } catch (const Refusal&) {
    ++book_.counts_.refused;
    throw;
  }
  book_.shares_.add(job_.client, more);
  share_ += more;
  job_.bytes += bytes;
}

std::unique_ptr<JobBook::Place> JobBook::reserve(const std::string& client, std::uint64_t bytes) {
  auto place = std::make_unique<Place>(*this, client);
  {
    const std::lock_guard lock(mutex_);
    const ClientShares::Share own{.kept = 1, .jobs = 1};
    try {
      shares_.require(client, {.kept = own.kept, .jobs = own.jobs, .bytes = bytes});
    } catch (const Refusal&) {
      ++counts_.refused;
      throw;
    }
    shares_.add(client, own);
    place->share_ = own;
  }
  std::filesystem::create_directory(place->folder_);
  place->lock_ = FileLock::lock(place->folder_ / "claim");
  return place;
}

Job JobBook::accept(Place& place, const std::string& model, const JobWork& work) {
  if (work.runs > bounds_.runs)
    throw Refusal(413, fmt::format("{} runs of the model are more than the {} that one job may have; send fewer inputs",
                                   work.runs, bounds_.runs));
  if (work.result_bytes > bounds_.result_bytes)
    throw Refusal(413, fmt::format("{} of results are more than the {} that one job may have; send fewer inputs",
                                   base::byte_size_text(static_cast<double>(work.result_bytes)),
                                   base::byte_size_text(static_cast<double>(bounds_.result_bytes))));
  {
    const std::lock_guard lock(mutex_);
    const ClientShares::Share more{.results = work.result_bytes};
    shares_.require(place.job_.client, more);
    shares_.add(place.job_.client, more);
    place.share_ += more;
  }
  Job job = place.job_;
  job.model = model;
  job.results = work.result_bytes;
  job.accepted = now();
  make_durable(place.input());
  make_durable(place.folder_);
  make_durable(jobs_folder_);
  journal_.add(record::accepted(job));
  place.accepted_ = true;
  { const FileLock released = std::move(place.lock_); }  // whoever runs the job takes it
  const std::lock_guard lock(mutex_);
  apply(record::accepted(job));
  ++counts_.accepted;
  return job;
}

void JobBook::apply(const nlohmann::json& record) {
  Job said = record::job_in(record);
  const auto time = record.value("time", std::int64_t{0});
  if (record.contains("accepted")) {
    said.accepted = time;
    said.times = 0;
    const auto [place, added] = jobs_.emplace(said.id, said);
    if (!added) return;
    shares_.add(said.client, {.kept = 1, .jobs = 1, .results = said.results});
    return enqueue(place->second);
  }
  const auto found = jobs_.find(said.id);
  if (found == jobs_.end()) return;
  if (record.contains("removed")) return forget(said.id);
  Job& job = found->second;
  if (!is_unfinished(job)) return;
  if (record.contains("begun")) {
    job.times = said.times;
    return;
  }
  job.finished = time;
  job.inputs = said.inputs;
  job.seconds = said.seconds;
  job.error = said.error;
  change_state(job, record.contains("done") ? JobState::done : JobState::failed);
}

void JobBook::enqueue(Job& job) {
  job.state = JobState::queued;
  const Queue::key_type place{job.accepted, ++enqueued_};
  queued_[job.client].emplace(place, job.id);
  places_[job.id] = place;
  ++counts_.queued;
  counts_.queued_bytes += job.bytes;
  shares_.add(job.client, {.bytes = job.bytes});
  work_.notify_one();
}

void JobBook::change_state(Job& job, JobState state) {
  if (job.state == JobState::queued) {
    const auto queue = queued_.find(job.client);
    queue->second.erase(places_.at(job.id));
    if (queue->second.empty()) queued_.erase(queue);
    places_.erase(job.id);
    --counts_.queued;
    counts_.queued_bytes -= job.bytes;
    shares_.remove(job.client, {.bytes = job.bytes});
  }
  running_.erase(job.id);
  suspects_.erase(job.id);
  job.state = state;
  if (is_unfinished(job)) return;
  shares_.remove(job.client, {.jobs = 1});
  if (state == JobState::failed) shares_.remove(job.client, {.results = std::exchange(job.results, 0)});
  finished_.notify_all();
}

void JobBook::forget(const std::string& id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  Job& job = found->second;
  if (const auto running = running_.find(id); running != running_.end()) running->second->cancel();
  if (const auto suspended = suspended_.find(job.client); suspended != suspended_.end()) {
    std::erase_if(suspended->second, [&](const Claim& claim) { return claim.job.id == id; });
    if (suspended->second.empty()) suspended_.erase(suspended);
  }
  if (is_unfinished(job)) change_state(job, JobState::failed);  // out of every queue, for whoever waits
  shares_.remove(job.client, {.kept = 1, .results = job.results});
  jobs_.erase(found);
}

void JobBook::refresh() {
  journal_.read([&](const nlohmann::json& record) {
    if (record::is_sound(record)) apply(record);
  });
}

/// After a start: jobs whose files somebody removed by hand. All at once, so that none of them keeps a request waiting,
/// and without a record: the next start finds the same.
void JobBook::fail_lost_jobs() {
  std::set<std::string> there;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(jobs_folder_, error))
    there.insert(entry.path().filename().string());
  const std::lock_guard lock(mutex_);
  for (auto& [id, job] : jobs_)
    if (job.state == JobState::queued && !there.contains(id)) fail_queued(job, kFilesGone);
  counts_.failed = 0;  // none of them by this process
  unrecorded_.clear();
}

Job& JobBook::find_own(const std::string& client, const std::string& id) {
  auto found = jobs_.find(id);
  if (found == jobs_.end() || (is_unfinished(found->second) && !running_.contains(id))) {
    refresh();  // another process may have accepted, finished or removed it
    found = jobs_.find(id);
  }
  if (found == jobs_.end() || found->second.client != client) throw Refusal(404, "you have no such job");
  return found->second;
}

Job JobBook::find(const std::string& client, const std::string& id) {
  const std::lock_guard lock(mutex_);
  return find_own(client, id);
}

std::vector<Job> JobBook::list(const std::string& client, std::size_t most) {
  const std::lock_guard lock(mutex_);
  refresh();
  std::vector<const Job*> own;
  for (const auto& [id, job] : jobs_)
    if (job.client == client) own.push_back(&job);
  const auto middle = own.begin() + static_cast<std::ptrdiff_t>(std::min(most, own.size()));
  std::ranges::partial_sort(own, middle, std::ranges::greater{},
                            [](const Job* job) { return std::tie(job->accepted, job->id); });
  std::vector<Job> newest;
  std::transform(own.begin(), middle, std::back_inserter(newest), [](const Job* job) { return *job; });
  return newest;
}

std::size_t JobBook::position(const Job& job) const {
  const std::lock_guard lock(mutex_);
  const auto place = places_.find(job.id);
  if (place == places_.end()) return 0;
  const Queue& queue = queued_.at(job.client);
  return static_cast<std::size_t>(std::distance(queue.begin(), queue.find(place->second)));
}

base::StagedProgress::Stage JobBook::progress(const Job& job) const {
  const std::lock_guard lock(mutex_);
  const auto running = running_.find(job.id);
  if (running == running_.end()) return {};
  const std::vector<base::StagedProgress::Stage> stages = running->second->stages();
  return stages.empty() ? base::StagedProgress::Stage{} : stages.front();
}

Job JobBook::wait(const std::string& client, const std::string& id, std::chrono::milliseconds at_most) {
  const auto until = std::chrono::steady_clock::now() + at_most;
  std::unique_lock lock(mutex_);
  for (;;) {
    const Job& job = find_own(client, id);
    const auto left = until - std::chrono::steady_clock::now();
    if (!is_unfinished(job) || left <= std::chrono::milliseconds(0) || stopping_) return job;
    finished_.wait_for(lock, std::min<std::chrono::steady_clock::duration>(left, kLookAtOthers));
  }
}

void JobBook::remove(const std::string& client, const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    find_own(client, id);
  }
  erase({id});
}

void JobBook::erase(const std::vector<std::string>& ids) {
  std::vector<nlohmann::json> records;
  for (const std::string& id : ids) records.push_back(record::removed(id));
  journal_.add_all(records);
  for (const std::string& id : ids) {
    {
      const std::lock_guard lock(mutex_);
      forget(id);
    }
    remove_folder(folder(id));
  }
}

std::set<std::pair<std::string, std::string>> JobBook::unfinished() {
  const std::lock_guard lock(mutex_);
  refresh();
  std::set<std::pair<std::string, std::string>> found;
  for (const auto& [id, job] : jobs_)
    if (is_unfinished(job)) found.emplace(job.client, job.model);
  return found;
}

std::optional<JobBook::Claim> JobBook::next() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    std::optional<Claim> claim = take();
    const std::vector<nlohmann::json> failed = std::exchange(unrecorded_, {});
    if (!failed.empty() || (claim && !claim->evaluation)) {
      // Others may look into the book meanwhile.
      lock.unlock();
      record_failed(failed);
      if (claim && !claim->evaluation) note_begun({{claim->job.id, claim->job.times}});
      lock.lock();
    }
    if (claim) return claim;
    if (!failed.empty()) continue;
    work_.wait_for(lock, kLookAtOthers);
    if (!stopping_) refresh();
  }
  return {};
}

/// Of the client that was served longest ago.
std::optional<JobBook::Claim> JobBook::take() {
  std::set<std::string> waiting;
  for (const auto& [client, claims] : suspended_) waiting.insert(client);
  for (const auto& [client, queue] : queued_) waiting.insert(client);
  std::vector<std::string> clients(waiting.begin(), waiting.end());
  std::ranges::stable_sort(clients, {}, [&](const std::string& client) { return served_[client]; });
  for (const std::string& client : clients) {
    std::optional<Claim> claim = take_of(client);
    if (claim) served_[client] = ++turn_;
    if (claim || unrecorded_.size() >= kFailAtOnce) return claim;
  }
  return {};
}

/// What it has begun goes on; then its oldest job.
std::optional<JobBook::Claim> JobBook::take_of(const std::string& client) {
  if (const auto suspended = suspended_.find(client); suspended != suspended_.end()) {
    Claim claim = std::move(suspended->second.front());
    suspended->second.pop_front();
    if (suspended->second.empty()) suspended_.erase(suspended);
    return claim;
  }
  Queue::key_type last{std::numeric_limits<std::int64_t>::min(), 0};
  while (unrecorded_.size() < kFailAtOnce) {
    const auto queue = queued_.find(client);
    if (queue == queued_.end()) return {};
    const auto place = queue->second.upper_bound(last);
    if (place == queue->second.end()) return {};
    last = place->first;
    const std::string id = place->second;
    std::optional<FileLock> claimed;
    try {
      claimed = FileLock::try_lock(folder(id) / "claim");
    } catch (const base::InputError&) {  // its folder is gone: another process removed it, or somebody by hand
    }
    if (claimed && !claimed->held()) continue;
    refresh();  // it may have been finished by the one who held the claim before
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || found->second.state != JobState::queued) continue;
    Job& job = found->second;
    if (!claimed) {
      fail_queued(job, kFilesGone);
      continue;
    }
    if (job.times >= kMostTimes) {
      fail_queued(job, "the server ended twice while it evaluated this job, which is not tried again");
      continue;
    }
    // Of those that may have ended a process one runs at a time: only one is at fault if it happens again.
    if (job.times > 0 && !suspects_.empty()) continue;
    change_state(job, JobState::running);
    if (job.times > 0) suspects_.insert(id);
    ++job.times;
    const auto progress = std::make_shared<base::StagedProgress>();
    running_[id] = progress;
    return Claim{job, std::move(*claimed), progress};
  }
  return {};
}

void JobBook::fail_queued(Job& job, const std::string& error) {
  job.error = error;
  job.finished = now();
  change_state(job, JobState::failed);
  ++counts_.failed;
  unrecorded_.push_back(record::finished(job));
}

/// An end of the process leaves these on disk; a loss of power need not.
void JobBook::note_begun(const std::vector<std::pair<std::string, std::uint64_t>>& times) noexcept {
  try {
    std::vector<nlohmann::json> records;
    for (const auto& [id, count] : times) records.push_back(record::begun(id, count));
    journal_.note(records);
  } catch (const std::exception&) {  // a full disk, or no memory, is no reason to run nothing
  }
}

/// Where this fails, or power is lost, they fail again after the next start.
void JobBook::record_failed(const std::vector<nlohmann::json>& records) noexcept {
  try {
    journal_.note(records);
  } catch (const std::exception&) {
  }
}

bool JobBook::others_wait(const std::string& client) const {
  const std::lock_guard lock(mutex_);
  const auto is_another = [&](const auto& waiting) { return waiting.first != client; };
  return !stopping_ && (std::ranges::any_of(queued_, is_another) || std::ranges::any_of(suspended_, is_another));
}

void JobBook::suspend(Claim&& claim) {
  const std::lock_guard lock(mutex_);
  const auto job = jobs_.find(claim.job.id);
  if (job == jobs_.end() || job->second.state != JobState::running) return;  // removed
  suspended_[claim.job.client].push_back(std::move(claim));
  work_.notify_one();
}

void JobBook::finish(Claim& claim, std::uint64_t inputs, double seconds) {
  claim.job.inputs = inputs;
  claim.job.seconds = seconds;
  end(claim.job, JobState::done);
}

void JobBook::fail(Claim& claim, const std::string& error) {
  claim.job.error = error;
  end(claim.job, JobState::failed);
}

void JobBook::end(Job& job, JobState state) {
  job.state = state;
  job.finished = now();
  // The record of its end waits for the disk. A process that ends meanwhile does not end because of this job.
  note_begun({{job.id, job.times - 1}});
  const std::lock_guard lock(mutex_);
  if (!jobs_.contains(job.id)) return;  // removed while it ran
  apply(record::finished(job));
  ++(state == JobState::done ? counts_.done : counts_.failed);
  counts_.seconds += job.seconds * static_cast<double>(job.inputs);
}

void JobBook::record(const std::vector<Claim>& claims) {
  std::vector<nlohmann::json> records;
  for (const Claim& claim : claims) records.push_back(record::finished(claim.job));
  journal_.add_all(records);
}

void JobBook::put_back(const Claim& claim) {
  std::uint64_t times = 0;
  {
    const std::lock_guard lock(mutex_);
    running_.erase(claim.job.id);
    suspects_.erase(claim.job.id);
    const auto job = jobs_.find(claim.job.id);
    if (job == jobs_.end() || job->second.state != JobState::running) return;
    times = job->second.times = claim.job.times - 1;
    enqueue(job->second);
  }
  note_begun({{claim.job.id, times}});
}

void JobBook::stop(bool cancel) {
  std::vector<std::pair<std::string, std::uint64_t>> times;
  {
    const std::lock_guard lock(mutex_);
    const bool first = !std::exchange(stopping_, true);
    for (const auto& [id, progress] : running_)
      if (cancel) progress->cancel();
    try {
      for (const auto& [id, progress] : running_)
        if (first) times.emplace_back(id, jobs_.at(id).times - 1);
    } catch (const std::bad_alloc&) {  // an end may not fail
    }
    work_.notify_all();
    finished_.notify_all();
  }
  note_begun(times);
}

void JobBook::tidy() {
  std::vector<std::string> old;
  {
    const std::lock_guard lock(mutex_);
    refresh();
    for (const auto& [id, job] : jobs_)
      if (!is_unfinished(job) && job.finished + bounds_.keep_seconds < now()) old.push_back(id);
  }
  if (!old.empty()) erase(old);
  remove_left_folders();
  if (journal_.bytes() < kJournalWorthShortening) return;
  std::set<std::string> removed;
  journal_.rewrite(
      [&](const nlohmann::json& record) {
        if (record::is_sound(record) && record.contains("removed")) removed.insert(record::id_in(record));
      },
      [&](const nlohmann::json& record) {
        return record::is_sound(record) && !removed.contains(record::id_in(record));
      });
}

void JobBook::remove_left_folders() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(jobs_folder_, error)) {
    const std::string id = entry.path().filename().string();
    const auto known = [&] {
      const std::lock_guard lock(mutex_);
      refresh();
      return jobs_.contains(id);
    };
    // A folder that was just made is not locked yet.
    const auto changed = std::filesystem::last_write_time(entry.path(), error);
    if (error || changed + kLeftAfter > std::filesystem::file_time_type::clock::now() || known()) continue;
    try {
      // What is being received is locked, and what was accepted before the lock came free is in the journal.
      if (FileLock::try_lock(entry.path() / "claim").held() && !known()) remove_folder(entry.path());
    } catch (const base::InputError&) {  // it is gone
    }
  }
}

JobBook::Counts JobBook::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.running = running_.size();
  counts.kept = jobs_.size() - counts.queued - counts.running;
  return counts;
}

}  // namespace tacit::app::service
