#include "session/owner/shardings.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.h"
#include "base/naming.h"
#include "session/bounded_file.h"
#include "session/owner/options/content.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

using layout::ShardAnnotation;

constexpr std::uintmax_t kMostBytes = 1 << 22;

std::vector<ShardAnnotation> from_json(const std::string& text) {
  std::set<std::string> nodes;
  const auto each_once = [&](int depth, nlohmann::json::parse_event_t event, const nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::key && depth == 1 && !nodes.insert(parsed.get<std::string>()).second)
      base::refuse("node '{}' is sharded twice; say it once", printable(parsed.get<std::string>().substr(0, 200)));
    return true;
  };
  const nlohmann::json json = nlohmann::json::parse(text, each_once, false);
  if (!json.is_object()) throw base::InputError("it is no JSON object of nodes and their meshes");
  std::vector<ShardAnnotation> result;
  for (const auto& [node, mesh] : json.items()) {
    if (!mesh.is_string()) base::refuse("node '{}' has no text like \"x:4,y:2\"", printable(node.substr(0, 200)));
    result.push_back(ShardAnnotation::parse(node, mesh.get<std::string>()));
  }
  return result;
}

std::vector<ShardAnnotation> from_lines(const std::string& text) {
  constexpr std::string_view kBehindNode = ": mesh=";
  std::vector<ShardAnnotation> result;
  std::istringstream lines(text);
  std::size_t number = 0;
  bool map = false;  // of which each line may be a comment
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const bool formal = line.find(" -> [") != std::string::npos && line.find("] by {") != std::string::npos;
    if (line.starts_with('#')) {
      map = map || formal || line.find(kBehindNode) != std::string::npos;
      continue;
    }
    const std::size_t end = line.rfind(kBehindNode);
    if (end != std::string::npos) {
      base::naming(fmt::format("line {}", number), [&] {
        result.push_back(ShardAnnotation::parse(line.substr(0, end), line.substr(end + 2)));
        return 0;
      });
    } else if (formal) {
      base::refuse(
          "line {} is a type, which follows from meshes; shard the input by a line like 'image: mesh=[z=2] "
          "inputs={{}} outputs={{0: {{-1, z, -1}}}}', and begin this one with '#'",
          number);
    } else if (line.find("mesh") != std::string::npos) {
      base::refuse("line {} names a mesh, and is not of the form 'node: mesh=...'", number);
    }
  }
  if (result.empty() && !map)
    throw base::InputError(
        "it shards no node: write lines like 'conv1: mesh=[x=4] inputs={0: {-1, -1}} outputs={0: {-1, x}}', or JSON "
        "like {\"conv1\": \"x:4\"}");
  return result;
}

}  // namespace

std::vector<ShardAnnotation> read_shardings(const std::vector<std::string>& given) {
  std::vector<ShardAnnotation> result;
  const auto add = [&](const std::string& name, const std::string& content) {
    const std::vector<ShardAnnotation> read =
        base::naming(name, [&] { return is_json(content) ? from_json(content) : from_lines(content); });
    result.insert(result.end(), read.begin(), read.end());
  };
  for (const std::string& text : given) {
    std::error_code error;
    if (std::filesystem::is_regular_file(text, error))
      add(text, read_bounded(text, kMostBytes));
    else if (is_json(text) || text.find('\n') != std::string::npos)
      add("shardings", text);
    else
      result.push_back(ShardAnnotation::parse(text));
  }
  return result;
}

}  // namespace tacit::session
