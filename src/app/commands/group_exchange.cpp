#include <fmt/chrono.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/remote_service.h"
#include "base/error.h"
#include "runtime/artefact.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct ExchangeOptions {
  std::vector<std::filesystem::path> files;
  std::string group;
  std::filesystem::path folder;
  int hours = 72;
  ServerOptions server;
  ComputeOptions compute;
};

/// Returns the id of a group at a server: the root of its file, or the id itself.
std::string group_id(const std::string& named) {
  constexpr std::size_t kDigits = 2 * sizeof(base::Digest);
  const auto digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
  if (named.size() == kDigits && std::ranges::all_of(named, digit)) return named;
  return base::hexadecimal(runtime::ArtefactReader(named, runtime::ArtefactKind::owner_group).root());
}

nlohmann::ordered_json json_of(const service::GroupAnswer& group) {
  nlohmann::ordered_json rounds = nlohmann::ordered_json::array(), files = nlohmann::ordered_json::array();
  for (const auto& round : group.rounds)
    rounds.push_back({{"kind", round.kind},
                      {"results", round.results},
                      {"receiver", round.receiver},
                      {"sent", round.sent},
                      {"missing", round.missing},
                      {"enough", round.enough}});
  for (const auto& file : group.files)
    files.push_back({{"name", file.name}, {"sender", file.sender}, {"bytes", file.bytes}});
  return {
      {"group", group.id}, {"state", group.state}, {"deadline", group.deadline}, {"rounds", rounds}, {"files", files}};
}

std::string text_of(const service::GroupAnswer& group) {
  std::string text = fmt::format("  group {}: {}, deadline {:%Y-%m-%d %H:%M} UTC\n", group.id, group.state,
                                 fmt::gmtime(static_cast<std::time_t>(group.deadline)));
  if (group.rounds.empty()) text += "    no results are here to be shared\n";
  for (const auto& round : group.rounds) {
    std::string what = round.kind;
    if (!round.receiver.empty()) what += " for " + round.receiver;
    if (!round.results.empty()) what += " of results " + round.results.substr(0, 8);
    text += "    " +
            session::printable(fmt::format("{}: {} of {} sent{}", what, round.sent.size(),
                                           round.sent.size() + round.missing.size(), round.enough ? ", enough" : "")) +
            "\n";
    if (!round.missing.empty())
      text += "      missing: " + session::printable(fmt::format("{}", fmt::join(round.missing, ", "))) + "\n";
  }
  return text;
}

/// A receipt is text, and all other files are artefacts.
bool is_group(const std::filesystem::path& file) {
  if (std::ifstream(file, std::ios::binary).peek() == '{') return false;
  return runtime::artefact_kind(file) == runtime::ArtefactKind::owner_group;
}

void require_server(const ExchangeOptions& options) {
  if (options.server.url.empty())
    base::refuse("name the server with --server, and the file of your token with --token");
}

int send(const ExchangeOptions& options) {
  options.compute.apply();
  require_server(options);
  ProgressBar bar;
  RemoteService server(options.server);
  nlohmann::ordered_json sent = nlohmann::ordered_json::array();
  std::string text, id = options.group.empty() ? std::string() : group_id(options.group);
  for (const std::filesystem::path& file : options.files) {
    if (is_group(file)) {
      id = server.post_group(file, options.hours, bar).id;
      sent.push_back({{"file", file.string()}, {"name", "group"}});
    } else {
      if (id.empty()) base::refuse("name the group that {} is for with --group", file.string());
      sent.push_back({{"file", file.string()}, {"name", server.post_group_file(id, file, bar)}});
    }
    text += fmt::format("  {} sent\n", file.string());
  }
  const service::GroupAnswer group = server.group(id);
  nlohmann::ordered_json report = json_of(group);
  report["posted"] = sent;
  print_report(options.compute.json, report, text + text_of(group));
  return kSuccess;
}

int state(const ExchangeOptions& options) {
  options.compute.apply();
  require_server(options);
  RemoteService server(options.server);
  const std::vector<service::GroupAnswer> groups =
      options.group.empty() ? server.groups() : std::vector{server.group(group_id(options.group))};
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::string text;
  for (const service::GroupAnswer& group : groups) {
    list.push_back(json_of(group));
    text += text_of(group);
  }
  if (groups.empty()) text = "  no group of yours is at this server\n";
  print_report(options.compute.json, {{"groups", list}}, text);
  return kSuccess;
}

int fetch(const ExchangeOptions& options) {
  options.compute.apply();
  require_server(options);
  if (options.group.empty()) base::refuse("name the group with --group: its file, or its id");
  ProgressBar bar;
  RemoteService server(options.server);
  const std::string id = group_id(options.group);
  const service::GroupAnswer group = server.group(id);
  std::error_code error;
  if (!std::filesystem::is_directory(options.folder, error) &&
      !std::filesystem::create_directories(options.folder, error))
    base::refuse("{} is no folder and none can be made there", options.folder.string());
  std::vector<std::string> names{"group"};
  for (const auto& file : group.files) names.push_back(file.name);
  nlohmann::ordered_json fetched = nlohmann::ordered_json::array();
  std::string text;
  for (const std::string& name : names) {
    const std::filesystem::path to = options.folder / name;
    if (std::filesystem::exists(to, error)) continue;  // posted files never change
    server.fetch_group_file(id, name, to, bar);
    fetched.push_back(to.string());
    text += fmt::format("  {} fetched\n", to.string());
  }
  nlohmann::ordered_json report = json_of(group);
  report["fetched"] = fetched;
  print_report(options.compute.json, report, text + text_of(group));
  return kSuccess;
}

}  // namespace

void add_group_exchange(CLI::App& group, int& status) {
  constexpr const char* kGroup = "The group: its file, or its id at the server";
  constexpr const char* kServer = "The server (https://host:port); owners are its clients of the same names";
  {
    auto [command, options] = add_command(
        group, status, "send", "Send a group or an owner's files to a server", send,
        "The server keeps the files for the other members of the group, and nobody else. A file is not replaced.\n\n"
        "Example:\n  tacit group send proposed.tacit --hours 48 --server https://host:8443 --token a.token\n"
        "  tacit group send a.commit --group proposed.tacit --server https://host:8443 --token a.token\n");
    command
        .add_option("files", options.files,
                    "A group, commitments, parts of keys, results, their receipts, or shares of results, in this order")
        ->required();
    command.add_option("--group", options.group, kGroup);
    add_bounded(command, "--hours", options.hours, "Time to the deadline of a group that is sent", 1, 1000000);
    options.server.add_to(command, kServer);
    options.compute.add_to(command);
  }
  {
    auto [command, options] = add_command(
        group, status, "state", "Show who has not sent to a server yet", state,
        "Example:\n  tacit group state --group proposed.tacit --server https://host:8443 --token a.token\n");
    command.add_option("--group", options.group, std::string(kGroup) + "; without it all your groups");
    options.server.add_to(command, kServer);
    options.compute.add_to(command);
  }
  {
    auto [command, options] = add_command(
        group, status, "fetch", "Fetch what the members of a group sent to a server", fetch,
        "Files that are in the folder already are not fetched again. Names end with the number of the owner.\n\n"
        "Example:\n  tacit group fetch --group proposed.tacit --into sent --server https://host:8443 --token "
        "a.token\n");
    command.add_option("--group", options.group, kGroup)->required();
    command.add_option("--into", options.folder, "Folder for the files")->required();
    options.server.add_to(command, kServer);
    options.compute.add_to(command);
  }
}

}  // namespace tacit::app::commands
