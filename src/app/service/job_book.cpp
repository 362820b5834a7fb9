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

/// The job that a sound record is about; empty where it is about none.
std::string id_in(const nlohmann::json& record) {
  for (const char* kind : kRecordKinds)
    if (record.contains(kind)) return record[kind];
  return {};
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

/// What a record may say of a job beside its id, its state and a time.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Job, client, model, bytes, inputs, seconds, error)

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
  const std::size_t waiting = counts_.queued + running_.size() + reserved_;
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

void JobBook::apply(const nlohmann::json& record) {
  Job said = record.get<Job>();
  said.id = id_in(record);
  const auto time = record.value("time", std::int64_t{0});
  if (record.contains("accepted")) {
    said.accepted = time;
    const auto [place, added] = jobs_.emplace(said.id, said);
    if (!added) return;
    ++of_client_[said.client];
    return enqueue(place->second);
  }
  const auto found = jobs_.find(said.id);
  if (found == jobs_.end()) return;
  if (record.contains("removed")) return forget(said.id);
  Job& job = found->second;
  if (!is_unfinished(job)) return;
  job.finished = time;
  job.inputs = said.inputs;
  job.seconds = said.seconds;
  job.error = said.error;
  change_state(job, record.contains("done") ? JobState::done : JobState::failed);
}

void JobBook::enqueue(Job& job) {
  job.state = JobState::queued;
  std::vector<std::string>& queue = queued_[job.client];
  const auto accepted = [&](const std::string& id) { return jobs_.at(id).accepted; };
  queue.insert(std::ranges::upper_bound(queue, job.accepted, {}, accepted), job.id);
  ++counts_.queued;
  counts_.queued_bytes += job.bytes;
  work_.notify_one();
}

void JobBook::change_state(Job& job, JobState state) {
  if (job.state == JobState::queued) {
    std::erase(queued_[job.client], job.id);
    --counts_.queued;
    counts_.queued_bytes -= job.bytes;
  }
  running_.erase(job.id);
  job.state = state;
  if (!is_unfinished(job)) finished_.notify_all();
}

void JobBook::forget(const std::string& id) {
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  if (const auto running = running_.find(id); running != running_.end()) running->second->cancel();
  change_state(found->second, JobState::failed);  // out of every queue, for whoever waits
  --of_client_[found->second.client];
  jobs_.erase(found);
}

void JobBook::refresh() {
  for (const nlohmann::json& record : journal_.unread())
    if (is_sound(record)) apply(record);
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
    forget(id);
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
          job.error = "the files of the job are gone";
          job.finished = now();
          change_state(job, JobState::failed);
          ++counts_.failed;
          continue;
        }
        served_[client] = ++turn_;
        change_state(job, JobState::running);
        const auto progress = std::make_shared<base::StagedProgress>();
        running_[id] = progress;
        return Claim{job, std::move(*claimed), progress};
      }
    }
    work_.wait_for(lock, kLookAtOthers);
    if (!stopping_) refresh();
  }
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
  const std::lock_guard lock(mutex_);
  if (!jobs_.contains(job.id)) return;  // removed while it ran
  apply(finished_record(job));
  ++(state == JobState::done ? counts_.done : counts_.failed);
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
  if (job != jobs_.end() && job->second.state == JobState::running) enqueue(job->second);
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
      if (is_sound(record) && record.contains("removed")) removed.insert(id_in(record));
    std::vector<nlohmann::json> kept;
    for (const nlohmann::json& record : records)
      if (is_sound(record) && !removed.contains(id_in(record))) kept.push_back(record);
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
  Counts counts = counts_;
  counts.running = running_.size();
  counts.kept = jobs_.size() - counts.queued - counts.running;
  return counts;
}

}  // namespace tacit::app::service
