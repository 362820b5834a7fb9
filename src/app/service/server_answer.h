#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tacit::app::service {

/// A server's JSON as its client reads it. A server may be broken or hostile: every value is held to its type, and what
/// does not hold is refused with a sentence that names the server. `where` begins the sentence: "https://host: keys".

/// Bytes of an answer in JSON, of more of which a client reads none.
constexpr std::size_t kMostServerAnswer = 256 << 10;

/// The keys that a server has of this client for a model.
struct KeyAnswer {
  std::string root;                       ///< hexadecimal; empty: none are ready
  std::uint64_t received = 0, total = 0;  ///< of an upload; total 0: there is none
};
/// Throws InputError for what is no such answer.
KeyAnswer read_key_answer(std::string_view body, std::string_view where);

/// A job at the server.
struct JobAnswer {
  enum class State { waiting, done, failed };
  std::string id;
  State state = State::waiting;
  std::string error;  ///< of a job that failed
  std::uint64_t inputs = 0;
  double seconds = 0;  ///< an input
};
/// Throws InputError for what is no such answer.
JobAnswer read_job_answer(std::string_view body, std::string_view where);

/// The sentence of a refusal: at most 1,000 bytes of it, or the status where there is none.
std::string read_refusal(std::string_view body, int status);

}  // namespace tacit::app::service
