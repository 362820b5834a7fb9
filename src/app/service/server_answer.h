#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tacit::app::service {

/// A server's JSON, as its client reads it. A server may be broken or hostile, so every value is checked against its
/// type. A wrong value is refused with a sentence that names the server. `where` begins the sentence: "https://host:
/// keys".

/// The most bytes of an answer in JSON that a client reads.
constexpr std::size_t kMostServerAnswer = 256 << 10;

/// The state of this client's keys for a model at the server.
struct KeyAnswer {
  std::string root;                       ///< hexadecimal; empty: none are ready
  std::uint64_t received = 0, total = 0;  ///< bytes of an upload; total 0: there is none
};
/// Throws InputError for another answer.
KeyAnswer read_key_answer(std::string_view body, std::string_view where);

/// A job at the server.
struct JobAnswer {
  enum class State { waiting, done, failed };
  std::string id;
  State state = State::waiting;
  std::string error;  ///< of a job that failed
  std::uint64_t inputs = 0;
  double seconds = 0;  ///< per input
};
/// Throws InputError for another answer.
JobAnswer read_job_answer(std::string_view body, std::string_view where);

/// A group of owners at the server.
struct GroupAnswer {
  struct Round {
    std::string kind, results, receiver;
    std::vector<std::string> sent, missing;
    bool enough = false;
  };
  struct File {
    std::string name;  ///< lower-case letters, digits and dots, and none of the dots is the first character
    std::string sender;
    std::uint64_t bytes = 0;
  };
  std::string id;              ///< 64 hexadecimal digits
  std::string state;           ///< "proposed", "agreed" or "over"
  std::uint64_t deadline = 0;  ///< seconds since 1970, below 2^40
  std::vector<Round> rounds;
  std::vector<File> files;
};
/// Throw InputError for another answer. The second function reads a list of groups.
GroupAnswer read_group_answer(std::string_view body, std::string_view where);
std::vector<GroupAnswer> read_groups_answer(std::string_view body, std::string_view where);
/// Returns the name of a file that was posted. Throws InputError for another answer.
std::string read_posted_answer(std::string_view body, std::string_view where);

/// Returns at most 1,000 bytes of the sentence of a refusal, or the status if there is no sentence.
std::string read_refusal(std::string_view body, int status);

}  // namespace tacit::app::service
