#include "app/service/job_book.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "app/service/refusal.h"
#include "base/error.h"
#include "base/random.h"
#include "base/sha256.h"

namespace tacit::app::service {
namespace {

constexpr std::chrono::milliseconds kLookAtOthers{500};  // for what other processes accepted or left
constexpr std::uint64_t kJournalWorthShortening = 1 << 20;
constexpr int kRetrySeconds = 5;
constexpr std::chrono::minutes kLeftAfter{1};
constexpr const char* kRecordKinds[]{"accepted", "done", "failed", "removed"};  // fields whose value is the job's id

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::seconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

bool is_unfinished(const Job& job) { return job.state == JobState::queued || job.state == JobState::running; }

/// Also where another thread removes a file of it meanwhile.
void remove_folder(const std::filesystem::path& folder) {
  constexpr int kTries = 5;
  std::error_code error;
  for (int i = 0; i < kTries && (i == 0 || error); ++i) std::filesystem::remove_all(folder, error);
}

/// Whether a record is one that a book writes. Another version, or a hand, may have written it otherwise, and ids are
/// names of folders.
bool is_sound(const nlohmann::json& record) {
  constexpr std::size_t kIdDigits = 32;
  const auto is_id = [](const nlohmann::json& id) {
    return id.is_string() && id.get_ref<const std::string&>().size() == kIdDigits &&
           id.get_ref<const std::string&>().find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  const auto is_sound_field = [&](const std::string& key, const nlohmann::json& value) {
    if (std::ranges::find(kRecordKinds, key) != std::end(kRecordKinds)) return is_id(value);
    if (key == "client" || key == "model" || key == "error") return value.is_string();
    if (key == "bytes" || key == "inputs") return value.is_number_unsigned();
    return key == "time" ? value.is_number_integer() : key == "seconds" && value.is_number();
  };
  for (const auto& [key, value] : record.items())
    if (!is_sound_field(key, value)) return false;
  return true;
}

nlohmann::json accepted_record(const Job& job) {
  return {
      {"accepted", job.id}, {"client", job.client}, {"model", job.model}, {"bytes", job.bytes}, {"time", job.accepted}};
}

nlohmann::json finished_record(const Job& job) {
  if (job.state == JobState::failed) return {{"failed", job.id}, {"time", job.finished}, {"error", job.error}};
  return {{"done", job.id}, {"time", job.finished}, {"inputs", job.inputs}, {"seconds", job.seconds}};
}

}  // namespace

std::string_view name_of(JobState state) {
  constexpr std::string_view kNames[]{"queued", "running", "done", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

JobBook::JobBook(const std::filesystem::path& state, const JobBounds& bounds)
    : jobs_folder_(state / "jobs"), bounds_(bounds), journal_([&] {
        std::filesystem::create_directories(jobs_folder_);
        std::filesystem::permissions(jobs_folder_, std::filesystem::perms::owner_all);
        return state / "journal";
      }()) {
  const std::lock_guard lock(mutex_);
  refresh();
}

JobBook::Place::Place(JobBook& book, std::string client, std::uint64_t bytes) : book_(book) {
  const base::Seed seed = base::public_seed();
  job_.id = base::hexadecimal(std::span(seed).first<16>());
  job_.client = std::move(client);
  job_.bytes = bytes;
  folder_ = book_.folder(job_.id);
  input_ = folder_ / "input";
}

JobBook::Place::~Place() {
  if (!accepted_) remove_folder(folder_);
  const std::lock_guard lock(book_.mutex_);
  --book_.reserved_;
  book_.reserved_bytes_ -= job_.bytes;
  --book_.of_client_[job_.client];
}

std::unique_ptr<JobBook::Place> JobBook::reserve(const std::string& client, std::uint64_t bytes) {
  std::unique_lock lock(mutex_);
  if (of_client_[client] >= bounds_.of_client) {
    ++counts_.refused;
    throw Refusal(
        429,
        fmt::format("you have {} jobs here, which is the most: fetch and delete finished ones", of_client_[client]),
        kRetrySeconds);
  }
  const std::size_t waiting = counts_.queued + counts_.running + reserved_;
  if (waiting >= bounds_.queued || counts_.queued_bytes + reserved_bytes_ + bytes > bounds_.queued_bytes) {
    ++counts_.refused;
    throw Refusal(503, fmt::format("the queue is full: {} jobs wait; come back later", waiting), kRetrySeconds);
  }
  ++reserved_;
  reserved_bytes_ += bytes;
  ++of_client_[client];
  lock.unlock();
  auto place = std::make_unique<Place>(*this, client, bytes);
  std::filesystem::create_directory(place->folder_);
  place->lock_ = FileLock::lock(place->folder_ / "claim");
  return place;
}

Job JobBook::accept(Place& place, const std::string& model) {
  Job job = place.job_;
  job.model = model;
  job.accepted = now();
  make_durable(place.input());
  make_durable(place.folder_);
  make_durable(jobs_folder_);
  journal_.add(accepted_record(job));
  place.accepted_ = true;
  { const FileLock released = std::move(place.lock_); }  // whoever runs the job takes it
  const std::lock_guard lock(mutex_);
  apply(accepted_record(job));
  ++counts_.accepted;
  return job;
}

void JobBook::change_state(Job& job, JobState state) {
  const auto count = [&](JobState of, int by) {
    if (of == JobState::queued) counts_.queued += by;
    if (of == JobState::running) counts_.running += by;
    if (of == JobState::queued) counts_.queued_bytes += by * static_cast<std::int64_t>(job.bytes);
    if (of == JobState::done || of == JobState::failed) counts_.kept += by;
  };
  std::vector<std::string>& queue = queued_[job.client];
  if (job.state == JobState::queued) std::erase(queue, job.id);
  count(job.state, -1);
  job.state = state;
  count(state, 1);
  if (state == JobState::queued) {
    queue.insert(
        std::ranges::lower_bound(queue, job.accepted, {}, [&](const std::string& id) { return jobs_.at(id).accepted; }),
        job.id);
    work_.notify_one();
  }
  if (state == JobState::done || state == JobState::failed) finished_.notify_all();
}

void JobBook::apply(const nlohmann::json& record) {
  const auto named = [&](const char* what) -> Job* {
    const auto found = jobs_.find(record.value(what, std::string()));
    return found == jobs_.end() ? nullptr : &found->second;
  };
  if (record.contains("accepted")) {
    Job job;
    job.id = record.value("accepted", std::string());
    job.client = record.value("client", std::string());
    job.model = record.value("model", std::string());
    job.bytes = record.value("bytes", std::uint64_t{0});
    job.accepted = record.value("time", std::int64_t{0});
    const auto [place, added] = jobs_.emplace(job.id, job);
    if (!added) return;
    ++of_client_[job.client];
    ++counts_.queued;
    counts_.queued_bytes += job.bytes;
    queued_[job.client].push_back(job.id);
    work_.notify_one();
  } else if (record.contains("done") || record.contains("failed")) {
    const bool done = record.contains("done");
    Job* const job = named(done ? "done" : "failed");
    if (job == nullptr || !is_unfinished(*job)) return;
    job->finished = record.value("time", std::int64_t{0});
    job->inputs = record.value("inputs", std::uint64_t{0});
    job->seconds = record.value("seconds", 0.0);
    job->error = record.value("error", std::string());
    change_state(*job, done ? JobState::done : JobState::failed);
  } else if (record.contains("removed")) {
    if (const Job* job = named("removed")) forget(std::string(job->id));
  }
}

void JobBook::forget(const std::string& id) {
  const auto found = jobs_.find(id);
  Job& job = found->second;
  if (const auto running = running_.find(id); running != running_.end()) running->second->cancel();
  change_state(job, JobState::failed);  // out of every queue and count, for whoever waits
  --counts_.kept;
  --of_client_[job.client];
  jobs_.erase(found);
}

void JobBook::refresh() {
  for (const nlohmann::json& record : journal_.unread())
    if (is_sound(record)) apply(record);
}

Job& JobBook::find_own(const std::string& client, const std::string& id) {
  auto found = jobs_.find(id);
  if (found == jobs_.end()) {
    refresh();
    found = jobs_.find(id);
  }
  if (found == jobs_.end() || found->second.client != client) throw Refusal(404, "you have no such job");
  if (is_unfinished(found->second) && !running_.contains(id)) refresh();  // another process may have finished it
  found = jobs_.find(id);
  if (found == jobs_.end()) throw Refusal(404, "you have no such job");
  return found->second;
}

Job JobBook::find(const std::string& client, const std::string& id) {
  const std::lock_guard lock(mutex_);
  return find_own(client, id);
}

std::vector<Job> JobBook::list(const std::string& client, std::size_t most) {
  const std::lock_guard lock(mutex_);
  refresh();
  std::vector<Job> own;
  for (const auto& [id, job] : jobs_)
    if (job.client == client) own.push_back(job);
  std::ranges::sort(own, std::ranges::greater{}, [](const Job& job) { return std::pair(job.accepted, job.id); });
  if (own.size() > most) own.resize(most);
  return own;
}

std::size_t JobBook::position(const Job& job) const {
  const std::lock_guard lock(mutex_);
  const auto queue = queued_.find(job.client);
  if (queue == queued_.end()) return 0;
  return static_cast<std::size_t>(std::ranges::find(queue->second, job.id) - queue->second.begin());
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
  erase(id);
}

void JobBook::erase(const std::string& id) {
  journal_.add({{"removed", id}});
  {
    const std::lock_guard lock(mutex_);
    if (jobs_.contains(id)) forget(id);
  }
  remove_folder(folder(id));
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
  for (;;) {
    if (stopping_) return {};
    // The client that was served longest ago, its oldest job first.
    std::vector<std::string> clients;
    for (const auto& [client, queue] : queued_)
      if (!queue.empty()) clients.push_back(client);
    std::ranges::sort(clients, {}, [&](const std::string& client) { return served_[client]; });
    for (const std::string& client : clients) {
      const std::vector<std::string> queue = queued_[client];
      for (const std::string& id : queue) {
        FileLock claimed;
        try {
          claimed = FileLock::try_lock(folder(id) / "claim");
        } catch (const base::InputError&) {  // its folder is gone: another process removed it, or somebody by hand
          refresh();
          if (!jobs_.contains(id) || jobs_.at(id).state != JobState::queued) continue;
          Job& job = jobs_.at(id);
          job.error = "the files of the job are gone";
          job.finished = now();
          change_state(job, JobState::failed);
          ++counts_.failed;
          continue;
        }
        if (!claimed.held()) continue;
        refresh();  // it may have been finished by the one who held the claim before
        const auto job = jobs_.find(id);
        if (job == jobs_.end() || job->second.state != JobState::queued) continue;
        served_[client] = ++turn_;
        change_state(job->second, JobState::running);
        const auto progress = std::make_shared<base::StagedProgress>();
        running_[id] = progress;
        return Claim{job->second, std::move(claimed), progress};
      }
    }
    work_.wait_for(lock, kLookAtOthers);
    refresh();
  }
}

void JobBook::finish(Claim& claim, std::uint64_t inputs, double seconds) {
  claim.job.state = JobState::done;
  claim.job.finished = now();
  claim.job.inputs = inputs;
  claim.job.seconds = seconds;
  show_finished(claim.job);
}

void JobBook::fail(Claim& claim, const std::string& error) {
  claim.job.state = JobState::failed;
  claim.job.finished = now();
  claim.job.error = error;
  show_finished(claim.job);
}

void JobBook::show_finished(const Job& job) {
  const std::lock_guard lock(mutex_);
  running_.erase(job.id);
  if (!jobs_.contains(job.id)) return;  // removed while it ran
  apply(finished_record(job));
  ++(job.state == JobState::done ? counts_.done : counts_.failed);
  counts_.seconds += job.seconds * static_cast<double>(job.inputs);
}

void JobBook::record(const std::vector<Claim>& claims) {
  std::vector<nlohmann::json> records;
  for (const Claim& claim : claims) records.push_back(finished_record(claim.job));
  journal_.add_all(records);
}

void JobBook::put_back(const Claim& claim) {
  const std::lock_guard lock(mutex_);
  running_.erase(claim.job.id);
  const auto job = jobs_.find(claim.job.id);
  if (job != jobs_.end() && job->second.state == JobState::running) change_state(job->second, JobState::queued);
}

void JobBook::stop(bool cancel) {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  if (cancel)
    for (const auto& [id, progress] : running_) progress->cancel();
  work_.notify_all();
  finished_.notify_all();
}

void JobBook::tidy() {
  std::vector<std::string> old;
  {
    const std::lock_guard lock(mutex_);
    refresh();
    for (const auto& [id, job] : jobs_)
      if (!is_unfinished(job) && job.finished + bounds_.keep_seconds < now()) old.push_back(id);
  }
  for (const std::string& id : old) erase(id);
  remove_left_folders();
  if (journal_.bytes() < kJournalWorthShortening) return;
  journal_.rewrite([](const std::vector<nlohmann::json>& records) {
    std::set<std::string> removed;
    for (const nlohmann::json& record : records)
      if (is_sound(record) && record.contains("removed")) removed.insert(record.value("removed", std::string()));
    std::vector<nlohmann::json> kept;
    for (const nlohmann::json& record : records) {
      const auto is_of_removed = [&](const char* field) {
        return removed.contains(record.value(field, std::string()));
      };
      if (is_sound(record) && std::ranges::none_of(kRecordKinds, is_of_removed)) kept.push_back(record);
    }
    return kept;
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
  return counts_;
}

}  // namespace tacit::app::service
