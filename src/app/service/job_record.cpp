#include "app/service/job_record.h"

#include <algorithm>
#include <iterator>

namespace tacit::app::service {
namespace {

/// Fields whose value is the job's id.
constexpr const char* kKinds[]{"accepted", "begun", "done", "failed", "removed"};

}  // namespace

/// What a record may say of a job beside its id, its state and a time.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Job, client, model, bytes, results, times, inputs, seconds, error)

std::string_view name_of(JobState state) {
  constexpr std::string_view kNames[]{"queued", "running", "done", "failed"};
  return kNames[static_cast<std::size_t>(state)];
}

namespace record {

nlohmann::json accepted(const Job& job) {
  return {{"accepted", job.id}, {"client", job.client},   {"model", job.model},
          {"bytes", job.bytes}, {"results", job.results}, {"time", job.accepted}};
}

nlohmann::json begun(const std::string& id, std::uint64_t times) { return {{"begun", id}, {"times", times}}; }

nlohmann::json finished(const Job& job) {
  if (job.state == JobState::failed) return {{"failed", job.id}, {"time", job.finished}, {"error", job.error}};
  return {{"done", job.id}, {"time", job.finished}, {"inputs", job.inputs}, {"seconds", job.seconds}};
}

nlohmann::json removed(const std::string& id) { return {{"removed", id}}; }

bool is_sound(const nlohmann::json& record) {
  constexpr std::size_t kIdDigits = 32;
  const auto is_id = [](const nlohmann::json& id) {
    return id.is_string() && id.get_ref<const std::string&>().size() == kIdDigits &&
           id.get_ref<const std::string&>().find_first_not_of("0123456789abcdef") == std::string::npos;
  };
  const auto is_sound_field = [&](const std::string& key, const nlohmann::json& value) {
    if (std::ranges::find(kKinds, key) != std::end(kKinds)) return is_id(value);
    if (key == "client" || key == "model" || key == "error") return value.is_string();
    if (key == "bytes" || key == "results" || key == "times" || key == "inputs") return value.is_number_unsigned();
    return key == "time" ? value.is_number_integer() : key == "seconds" && value.is_number();
  };
  for (const auto& [key, value] : record.items())
    if (!is_sound_field(key, value)) return false;
  return record.is_object();
}

std::string id_in(const nlohmann::json& record) {
  for (const char* kind : kKinds)
    if (record.contains(kind)) return record[kind];
  return {};
}

Job job_in(const nlohmann::json& record) {
  Job job = record.get<Job>();
  job.id = id_in(record);
  return job;
}

}  // namespace record

}  // namespace tacit::app::service
