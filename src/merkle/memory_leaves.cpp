#include "merkle/memory_leaves.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "base/parallel.h"
#include "merkle/file_leaves.h"
#include "merkle/root_stream.h"

namespace tacit::merkle {
namespace {

constexpr std::uint64_t kHashedBytes = std::uint64_t{1} << 20;  ///< hashed by one task, one chunk at least
constexpr std::uint64_t kBatchStretches = 64;                   ///< between two steps of the progress

}  // namespace

std::uint64_t leaves_of_size(const TreeScheme& scheme, std::uint64_t bytes) {
  const std::uint64_t step = scheme.leaf_rule == LeafRule::digests ? sizeof(Digest) : scheme.chunk_bytes;
  return bytes / step + (bytes % step != 0 ? 1 : 0);
}

base::AlignedVector<Digest> memory_leaves(const TreeScheme& scheme, std::span<const std::byte> bytes,
                                          base::Progress& progress) {
  require_valid(scheme, "the tree");
  base::AlignedVector<Digest> leaves(leaves_of_size(scheme, bytes.size()));
  if (scheme.leaf_rule == LeafRule::digests) {
    if (bytes.size() % sizeof(Digest) != 0)
      base::refuse("{} bytes are no whole number of digests of 32 bytes", bytes.size());
    if (!leaves.empty()) std::memcpy(leaves.data(), bytes.data(), bytes.size());
    require_canonical(leaves);
    return leaves;
  }
  const std::uint64_t step = scheme.chunk_bytes, stretch = std::max<std::uint64_t>(kHashedBytes / step, 1);
  const std::uint64_t batch = stretch * kBatchStretches;
  progress.begin("hashing", bytes.size());
  for (std::uint64_t first = 0; first < leaves.size(); first += batch) {
    const std::uint64_t last = std::min<std::uint64_t>(first + batch, leaves.size());
    base::parallel_for(0, (last - first + stretch - 1) / stretch, [&](std::size_t task) {
      const std::uint64_t begin = first + task * stretch;
      for (std::uint64_t i = begin; i < std::min(begin + stretch, last); ++i)
        leaves[i] = leaf_of_chunk(scheme, bytes.subspan(i * step, std::min(step, bytes.size() - i * step)));
    });
    progress.advance(std::min<std::uint64_t>(last * step, bytes.size()) - first * step);
  }
  progress.end();
  return leaves;
}

}  // namespace tacit::merkle
