#include "base/machine_memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/parse_number.h"

namespace tacit::base {

std::optional<std::uint64_t> keyed_number(const std::filesystem::path& path, std::string_view key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream rest(line.substr(key.size()));
    std::string text;
    rest >> text;
    return parse_number<std::uint64_t>(text);  // none of "max", for one
  }
  return std::nullopt;
}

namespace {

namespace fs = std::filesystem;

/// How one version of control groups tells limits.
struct GroupFiles {
  fs::path mount;
  std::string_view limit, used, reclaimable;  ///< the last is a key of memory.stat
};

/// The group that a line "number:controllers:path" of /proc/self/cgroup names, if it is one of memory.
std::optional<std::pair<GroupFiles, std::string>> memory_group(const std::string& line) {
  const std::size_t first = line.find(':'), second = line.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return std::nullopt;
  const std::string path = line.substr(second + 1);
  std::istringstream controllers(line.substr(first + 1, second - first - 1));
  bool none = true, memory = false;
  for (std::string one; std::getline(controllers, one, ',');) {
    none = false;
    memory = memory || one == "memory";
  }
  if (none) return std::pair{GroupFiles{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"}, path};
  if (memory)
    return std::pair{
        GroupFiles{"sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
        path};
  return std::nullopt;
}

/// Lowers what the machine has to what a group and those around it allow.
void apply_group(const fs::path& root, const GroupFiles& files, const std::string& group, MachineMemory& memory) {
  // Inside a container the path may be the one outside: folders that are not there are passed over, the mount stays.
  std::vector<fs::path> folders{root / files.mount};
  for (const fs::path& part : fs::path(group).relative_path()) folders.push_back(folders.back() / part);
  for (const fs::path& folder : folders) {
    const auto limit = keyed_number(folder / files.limit, "");
    if (!limit || *limit >= memory.total) continue;
    memory.total = *limit;
    const std::uint64_t used = keyed_number(folder / files.used, "").value_or(0);
    const std::uint64_t dropped = keyed_number(folder / "memory.stat", files.reclaimable).value_or(0);
    const std::uint64_t held = used - std::min(used, dropped);
    memory.free = std::min(memory.free, *limit - std::min(*limit, held));
  }
}

std::uint64_t pages_of(int name) {
  const long pages = sysconf(name), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(bytes) : 0;
}

}  // namespace

MachineMemory machine_memory(const std::filesystem::path& root) {
  constexpr std::uint64_t kKiB = 1024;
  const auto total = keyed_number(root / "proc/meminfo", "MemTotal:"),
             free = keyed_number(root / "proc/meminfo", "MemAvailable:");
  MachineMemory memory{total ? *total * kKiB : pages_of(_SC_PHYS_PAGES),
                       free ? *free * kKiB : pages_of(_SC_AVPHYS_PAGES)};
  std::ifstream groups(root / "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);)
    if (const auto group = memory_group(line)) apply_group(root, group->first, group->second, memory);
  return memory;
}

}  // namespace tacit::base
