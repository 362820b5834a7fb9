#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tacit::app::service {

enum class JobState { queued, running, done, failed };
/// "queued", …
std::string_view name_of(JobState state);

/// A requested evaluation.
struct Job {
  std::string id;  ///< 128 random bits, so that nobody guesses the id of another client's job
  std::string client, model;
  std::uint64_t bytes = 0;                  ///< size of the file of inputs
  std::uint64_t results = 0;                ///< most bytes of the results' file
  std::int64_t accepted = 0, finished = 0;  ///< seconds since 1970
  JobState state = JobState::queued;
  std::uint64_t times = 0;   ///< times that a process began it and did not end it
  std::uint64_t inputs = 0;  ///< number of inputs, once done
  double seconds = 0;        ///< of computation, once done
  std::string error;         ///< once failed
};

inline bool is_unfinished(const Job& job) { return job.state == JobState::queued || job.state == JobState::running; }

/// Records of the journal about jobs. A record names a job by the record's kind, as in {"removed": id}.
namespace record {

nlohmann::json accepted(const Job& job);
/// Written before the job runs: {"begun": id, "times": 1}.
nlohmann::json begun(const std::string& id, std::uint64_t times);
/// The record of a job that is done or failed.
nlohmann::json finished(const Job& job);
nlohmann::json removed(const std::string& id);

/// True if `record` has the form that a book writes. Other versions, or people, may have written another form, and ids
/// become names of folders.
bool is_sound(const nlohmann::json& record);
/// Returns the id of the job of a sound record. Empty if the record is about no job.
std::string id_in(const nlohmann::json& record);
/// Returns the job of a sound record, without its state and times.
Job job_in(const nlohmann::json& record);

}  // namespace record

}  // namespace tacit::app::service
