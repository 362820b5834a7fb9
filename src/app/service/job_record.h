#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace tacit::app::service {

enum class JobState { queued, running, done, failed };
/// "queued", …
std::string_view name_of(JobState state);

/// An evaluation that somebody asked for.
struct Job {
  std::string id;  ///< 128 random bits: nobody guesses another client's
  std::string client, model;
  std::uint64_t bytes = 0;                  ///< of the inputs' file
  std::uint64_t results = 0;                ///< most bytes of the results' file
  std::int64_t accepted = 0, finished = 0;  ///< seconds since 1970
  JobState state = JobState::queued;
  std::uint64_t times = 0;   ///< that it was begun by a process that did not end it
  std::uint64_t inputs = 0;  ///< once done
  double seconds = 0;        ///< of computing, once done
  std::string error;         ///< once failed
};

inline bool is_unfinished(const Job& job) { return job.state == JobState::queued || job.state == JobState::running; }

/// What the journal says of jobs: a record names a job by its kind, as in {"removed": id}.
namespace record {

nlohmann::json accepted(const Job& job);
/// Written before it runs: {"begun": id, "times": 1}.
nlohmann::json begun(const std::string& id, std::uint64_t times);
/// Of one that is done or failed.
nlohmann::json finished(const Job& job);
nlohmann::json removed(const std::string& id);

/// Whether it is one that a book writes. Another version, or a hand, may have written it otherwise, and ids are names
/// of folders.
bool is_sound(const nlohmann::json& record);
/// The job that a sound record is about; empty where it is about none.
std::string id_in(const nlohmann::json& record);
/// What a sound record says of a job beside its state and times.
Job job_in(const nlohmann::json& record);

}  // namespace record

}  // namespace tacit::app::service
