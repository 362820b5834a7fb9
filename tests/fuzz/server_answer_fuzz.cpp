#include <cmath>

#include "app/service/server_answer.h"
#include "base/error.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

using namespace app::service;

namespace {
constexpr std::string_view kWhere = "https://host: job";
}  // namespace

std::string_view target_name() { return "server_answer"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  for (
      const char* job :
      {R"({"job": "0123456789abcdef0123456789abcdef", "state": "queued", "position": 3})",
       R"({"job": "7", "state": "running", "progress": {"stage": "x", "done": 1, "total": 2}, "root": "ab"})",
       R"({"job": "7", "state": "done", "inputs": 2, "seconds": 0.25, "finished": 1700000000})",
       R"({"job": "7", "state": "failed", "error": "why", "upload": {"received": 5, "total": 9}})",
       R"({"job": "7", "state": "done", "groups": [{"group": "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "state": "agreed",
            "deadline": 1700000000, "rounds": [{"kind": "share", "results": "ab", "receiver": "r", "sent": ["a"],
            "missing": ["b"], "enough": false}], "files": [{"name": "results.ab", "sender": "a", "bytes": 7}]}]})"})
    all.push_back(bytes_of(job));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// Whatever a server says, its client knows what it holds.
void check(std::span<const std::uint8_t> bytes) {
  const std::string_view body = text_of(bytes);
  require(read_refusal(body, 400).size() <= 1000, "a sentence has an end");
  try {
    read_key_answer(body, kWhere);
  } catch (const base::InputError& error) {
    require(std::string_view(error.what()).starts_with(kWhere), "the server is named");
  }
  try {
    for (const GroupAnswer& group : read_groups_answer(body, kWhere)) {
      require(group.id.size() == 64 && group.deadline < (std::uint64_t{1} << 40), "a group has an id and a deadline");
      for (const GroupAnswer::File& file : group.files)
        require(!file.name.empty() && file.name[0] != '.' && file.name.find('/') == std::string::npos,
                "a file lies in its folder");
    }
  } catch (const base::InputError& error) {
    require(std::string_view(error.what()).starts_with(kWhere), "the server is named");
  }
  const JobAnswer job = read_job_answer(body, kWhere);
  require(!job.id.empty() && job.id.size() <= 64 && job.id.find('/') == std::string::npos, "a job has a name");
  require(std::isfinite(job.seconds) && job.seconds >= 0, "a time is one");
  require(job.error.size() <= 1000, "a sentence has an end");
}

}  // namespace tacit::fuzz
