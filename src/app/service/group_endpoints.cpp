#include "app/service/group_endpoints.h"

#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <mutex>
#include <vector>

#include "app/service/desk_requests.h"
#include "app/service/first_bytes.h"
#include "app/service/path_names.h"
#include "app/service/refusal.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "runtime/artefact_format.h"

namespace tacit::app::service {
namespace {

using httplib::Request;
using httplib::Response;
using nlohmann::ordered_json;

constexpr std::int64_t kUsualHours = 72;
constexpr std::int64_t kHourSeconds = 3600;
constexpr std::uint64_t kMostHours = 1000000;

ordered_json names_of(const std::vector<GroupPerson>& people) {
  ordered_json names = ordered_json::array();
  for (const GroupPerson& person : people) names.push_back(person.name);
  return names;
}

ordered_json json_of(const GroupRound& round) {
  ordered_json json{{"kind", round.kind}};
  if (!round.results.empty()) json["results"] = round.results;
  if (!round.receiver.empty()) json["receiver"] = round.receiver;
  json["sent"] = round.sent;
  json["missing"] = round.missing;
  json["enough"] = round.enough;
  return json;
}

ordered_json json_of(const GroupFile& file) {
  return {{"name", file.name}, {"kind", file.kind}, {"sender", file.sender}, {"bytes", file.bytes}};
}

ordered_json json_of(const GroupBoard& groups, const GroupRecord& group) {
  ordered_json rounds = ordered_json::array(), files = ordered_json::array();
  for (const GroupRound& round : groups.rounds(group)) rounds.push_back(json_of(round));
  for (const GroupFile& file : groups.files(group)) files.push_back(json_of(file));
  return {{"group", group.id},
          {"model", base::hexadecimal(group.binding.model)},
          {"state", groups.is_over(group) ? "over"
                    : group.agreed        ? "agreed"
                                          : "proposed"},
          {"posted", group.posted},
          {"deadline", group.deadline},
          {"proposer", group.proposer},
          {"owners", names_of(group.owners)},
          {"receivers", names_of(group.receivers)},
          {"threshold", group.threshold},
          {"rounds", rounds},
          {"files", files}};
}

std::int64_t seconds_of(const Request& request) {
  if (!request.has_param("hours")) return kUsualHours * kHourSeconds;
  const auto hours = base::parse_number<std::uint64_t>(request.get_param_value("hours"));
  if (!hours || *hours > kMostHours) throw Refusal(400, "hours is no number of hours");
  return static_cast<std::int64_t>(*hours) * kHourSeconds;
}

/// Stores a body. Its first bytes wait until they tell that it is no secret key.
void receive_file(const GroupBoard::Place& place, std::uint64_t length, const httplib::ContentReader& reader) {
  std::ofstream file(place.file(), std::ios::binary);
  std::uint64_t received = 0;
  std::vector<char> start;
  const bool whole = reader([&](const char* data, std::size_t size) {
    received += size;
    if (received > length) return false;
    if (received - size < runtime::format::kHeaderBytes) {
      start.insert(start.end(), data, data + size);
      if (received < runtime::format::kHeaderBytes && received < length) return true;
      require_no_secret(start);
      data = start.data();
      size = start.size();
    }
    return bool{file.write(data, static_cast<std::streamsize>(size))};
  });
  file.close();
  if (!file) throw Refusal(503, "the server's disk is full at the moment", 30);
  if (!whole || received != length) throw Refusal(400, "the body ended early; send the file again");
}

/// Reads a group that arrived. One at a time: its members' keys take memory that is in no budget.
GroupRecord read_posted(const std::filesystem::path& file, const OfferedModel& model) {
  static std::mutex reading;
  const std::lock_guard alone(reading);
  try {
    return read_group(file, model);
  } catch (const base::InternalError&) {
    throw;
  } catch (const base::Error& error) {
    throw Refusal(400, PathNames{{file, "the body"}}.named(error.what()));
  }
}

}  // namespace

void add_group_addresses(HttpServer& server, const Desk& desk) {
  const std::string group = "/v1/groups/([0-9a-f]{64})";
  server.Post("/v1/models/([0-9a-f]{64})/groups",
              [&desk](const Request& request, Response& response, const httplib::ContentReader& reader) {
                const std::string client = client_of(desk, request);
                const OfferedModel& model = model_of(desk, request);
                const std::int64_t seconds = seconds_of(request);
                const std::uint64_t length = length_of(request);
                if (length > desk.most_input_bytes)
                  throw Refusal(413, "this is more than a group has; send what tacit group new or combine wrote");
                const std::unique_ptr<GroupBoard::Place> place = desk.groups.reserve(client, length);
                receive_file(*place, length, reader);
                const GroupRecord posted = desk.groups.post_group(*place, read_posted(place->file(), model), seconds);
                HttpServer::answer(response, 201, json_of(desk.groups, posted));
              });
  server.Get("/v1/groups", [&desk](const Request& request, Response& response) {
    ordered_json groups = ordered_json::array();
    for (const GroupRecord& one : desk.groups.list(client_of(desk, request)))
      groups.push_back(json_of(desk.groups, one));
    HttpServer::answer(response, 200, {{"groups", groups}});
  });
  server.Get(group, [&desk](const Request& request, Response& response) {
    HttpServer::answer(response, 200,
                       json_of(desk.groups, desk.groups.find(client_of(desk, request), request.matches[1])));
  });
  server.Delete(group, [&desk](const Request& request, Response& response, const httplib::ContentReader&) {
    const std::string id = request.matches[1];
    desk.groups.remove(client_of(desk, request), id);
    HttpServer::answer(response, 200, {{"group", id}, {"state", "deleted"}});
  });
  server.Post(group + "/files",
              [&desk](const Request& request, Response& response, const httplib::ContentReader& reader) {
                const std::string client = client_of(desk, request), id = request.matches[1];
                static_cast<void>(desk.groups.find(client, id));
                const std::uint64_t length = length_of(request);
                const std::unique_ptr<GroupBoard::Place> place = desk.groups.reserve(client, length);
                receive_file(*place, length, reader);
                HttpServer::answer(response, 201, json_of(desk.groups.post(*place, id)));
              });
  server.Get(group + "/files/([a-z0-9.]{1,200})", [&desk](const Request& request, Response& response) {
    const GroupRecord found = desk.groups.find(client_of(desk, request), request.matches[1]);
    const std::string name = request.matches[2];
    answer_file(response, desk.groups.path(found, name), name);
  });
}

}  // namespace tacit::app::service
