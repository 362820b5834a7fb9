#include "merkle/level.h"

#include <algorithm>

#include "base/parallel.h"
#include "merkle/rescue.h"

namespace tacit::merkle {
namespace {
constexpr std::uint64_t kBlockNodes = 512;  // nodes a task: about a millisecond
}

void write_level(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                 std::span<Digest> nodes, unsigned height, std::uint64_t begin, std::uint64_t end) {
  if (begin >= end) return;
  const std::uint64_t last_child = std::min(2 * end, shape.nodes_at(height - 1));
  const Digest* children = height == 1 ? leaves.data() : nodes.data() + shape.first_slot(height - 1);
  Digest* parents = nodes.data() + shape.first_slot(height);
  const std::uint64_t pairs = (last_child - 2 * begin) / 2;
  merge_pairs(scheme, {children + 2 * begin, 2 * pairs}, {parents + begin, pairs});
  if (begin + pairs < end) parents[begin + pairs] = children[last_child - 1];
}

void write_level_in_parallel(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                             std::span<Digest> nodes, unsigned height, std::uint64_t begin, std::uint64_t end) {
  base::parallel_for(begin / kBlockNodes, (end + kBlockNodes - 1) / kBlockNodes, [&](std::size_t block) {
    write_level(scheme, shape, leaves, nodes, height, std::max<std::uint64_t>(begin, block * kBlockNodes),
                std::min<std::uint64_t>(end, (block + 1) * kBlockNodes));
  });
}

}  // namespace tacit::merkle
