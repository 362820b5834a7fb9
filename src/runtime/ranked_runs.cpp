#include "runtime/ranked_runs.h"

#include <filesystem>

#include "base/json_text.h"
#include "runtime/description.h"

namespace tacit::runtime {

void write(base::ByteWriter& to, const Checkpoints* checkpoints) {
  // An empty folder stands for none.
  to.text(checkpoints == nullptr ? std::string() : std::filesystem::absolute(checkpoints->folder).string());
  if (checkpoints == nullptr) return;
  to.text(checkpoints->of.version);
  to.text(to_json(checkpoints->of.binding).dump());
  to.text(base::hexadecimal(checkpoints->of.keys));
}

std::optional<Checkpoints> read_checkpoints(base::ByteReader& from) {
  constexpr std::size_t kLongest = std::size_t{1} << 16;
  const std::string folder = from.text(kLongest);
  if (folder.empty()) return std::nullopt;
  Checkpoints checkpoints{.folder = folder};
  checkpoints.of.version = from.text(kLongest);
  checkpoints.of.binding = binding_from_json(base::json_from(from.text(kLongest), "what a checkpoint belongs to"));
  from_hexadecimal(from.text(kLongest), checkpoints.of.keys);
  return checkpoints;
}

base::MemoryBudget share_of(base::MemoryBudget memory, int neighbours) {
  if (memory.limited() && memory.source != base::MemoryBudget::Source::asked)
    memory.bytes = memory.reserved + memory.available() / static_cast<std::uint64_t>(neighbours);
  return memory;
}

}  // namespace tacit::runtime
