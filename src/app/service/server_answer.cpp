#include "app/service/server_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"

namespace tacit::app::service {
namespace {

using nlohmann::json;

constexpr std::size_t kMostSentence = 1000;
constexpr std::size_t kMostId = 64;
constexpr std::size_t kMostFileName = 200;
constexpr std::uint64_t kMostSeconds = std::uint64_t{1} << 40;

json object_in(std::string_view body, std::string_view where) {
  json found = json::parse(body, nullptr, false);
  if (!found.is_object()) base::refuse("{}: its answer is no JSON of an object; ask the server's operator", where);
  return found;
}

[[noreturn]] void refuse_value(std::string_view where, const char* name, const char* kind) {
  base::refuse("{}: '{}' in its answer is no {}; ask the server's operator, or update the older side", where, name,
               kind);
}

std::string text_in(const json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end()) return {};
  if (!found->is_string()) refuse_value(where, name, "text");
  return found->get<std::string>();
}

std::uint64_t count_in(const json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end()) return 0;
  if (!found->is_number_unsigned()) refuse_value(where, name, "count");
  return found->get<std::uint64_t>();
}

double seconds_in(const json& object, std::string_view where) {
  const auto found = object.find("seconds");
  if (found == object.end()) return 0;
  const double seconds = found->is_number() ? found->get<double>() : -1;
  if (!std::isfinite(seconds) || seconds < 0) refuse_value(where, "seconds", "time");
  return seconds;
}

bool is_id(std::string_view text) {
  const auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  return !text.empty() && text.size() <= kMostId && std::ranges::all_of(text, allowed);
}

std::vector<std::string> texts_in(const json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) refuse_value(where, name, "list");
  std::vector<std::string> texts;
  for (const json& one : *found) {
    if (!one.is_string()) refuse_value(where, name, "list of texts");
    texts.push_back(one.get<std::string>());
  }
  return texts;
}

/// Returns the objects of a list.
std::vector<json> objects_in(const json& object, const char* name, std::string_view where) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_array()) refuse_value(where, name, "list");
  for (const json& one : *found)
    if (!one.is_object()) refuse_value(where, name, "list of objects");
  return found->get<std::vector<json>>();
}

/// Names of files of a group become names of files of the client.
std::string file_name_in(const json& object, std::string_view where) {
  const std::string name = text_in(object, "name", where);
  const auto allowed = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || c == '.'; };
  if (name.empty() || name.size() > kMostFileName || name.front() == '.' || !std::ranges::all_of(name, allowed))
    refuse_value(where, "name", "name of a file");
  return name;
}

GroupAnswer group_in(const json& object, std::string_view where) {
  GroupAnswer group{.id = text_in(object, "group", where),
                    .state = text_in(object, "state", where),
                    .deadline = count_in(object, "deadline", where),
                    .rounds = {},
                    .files = {}};
  const auto hexadecimal = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (group.id.size() != kMostId || !std::ranges::all_of(group.id, hexadecimal)) refuse_value(where, "group", "id");
  if (group.state != "proposed" && group.state != "agreed" && group.state != "over")
    refuse_value(where, "state", "state of a group");
  if (group.deadline >= kMostSeconds) refuse_value(where, "deadline", "time");
  for (const json& round : objects_in(object, "rounds", where)) {
    const auto enough = round.find("enough");
    if (enough == round.end() || !enough->is_boolean()) refuse_value(where, "enough", "yes or no");
    group.rounds.push_back({.kind = text_in(round, "kind", where),
                            .results = text_in(round, "results", where),
                            .receiver = text_in(round, "receiver", where),
                            .sent = texts_in(round, "sent", where),
                            .missing = texts_in(round, "missing", where),
                            .enough = enough->get<bool>()});
  }
  for (const json& file : objects_in(object, "files", where))
    group.files.push_back({.name = file_name_in(file, where),
                           .sender = text_in(file, "sender", where),
                           .bytes = count_in(file, "bytes", where)});
  return group;
}

JobAnswer::State state_in(const json& object, std::string_view where) {
  const std::string state = text_in(object, "state", where);
  if (state == "queued" || state == "running") return JobAnswer::State::waiting;
  if (state == "done") return JobAnswer::State::done;
  if (state == "failed") return JobAnswer::State::failed;
  refuse_value(where, "state", "state of a job");
}

}  // namespace

KeyAnswer read_key_answer(std::string_view body, std::string_view where) {
  const json answer = object_in(body, where);
  KeyAnswer keys{.root = text_in(answer, "root", where)};
  const auto upload = answer.find("upload");
  if (upload == answer.end()) return keys;
  if (!upload->is_object()) refuse_value(where, "upload", "state of an upload");
  keys.received = count_in(*upload, "received", where);
  keys.total = count_in(*upload, "total", where);
  return keys;
}

JobAnswer read_job_answer(std::string_view body, std::string_view where) {
  const json answer = object_in(body, where);
  JobAnswer job{.id = text_in(answer, "job", where),
                .state = state_in(answer, where),
                .error = text_in(answer, "error", where).substr(0, kMostSentence),
                .inputs = count_in(answer, "inputs", where),
                .seconds = seconds_in(answer, where)};
  if (!is_id(job.id)) refuse_value(where, "job", "name of a job");
  return job;
}

GroupAnswer read_group_answer(std::string_view body, std::string_view where) {
  return group_in(object_in(body, where), where);
}

std::vector<GroupAnswer> read_groups_answer(std::string_view body, std::string_view where) {
  std::vector<GroupAnswer> groups;
  for (const json& one : objects_in(object_in(body, where), "groups", where)) groups.push_back(group_in(one, where));
  return groups;
}

std::string read_posted_answer(std::string_view body, std::string_view where) {
  return file_name_in(object_in(body, where), where);
}

std::string read_refusal(std::string_view body, int status) {
  const json answer = json::parse(body, nullptr, false);
  if (answer.is_object())
    if (const auto error = answer.find("error"); error != answer.end() && error->is_string())
      return error->get<std::string>().substr(0, kMostSentence);
  return fmt::format("status {}", status);
}

}  // namespace tacit::app::service
