#include "merkle/root_stream.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "base/parallel.h"
#include "merkle/rescue.h"
#include "merkle/tree_shape.h"

namespace tacit::merkle {
namespace {
constexpr std::size_t kBlockLeaves = 4096;  // leaves: 128 KiB
constexpr std::size_t kBatch = 64;          // blocks hashed side by side
}  // namespace

void require_canonical(std::span<const Digest> leaves, std::uint64_t first) {
  for (std::size_t i = 0; i < leaves.size(); ++i)
    if (!is_canonical(leaves[i]))
      base::refuse("leaf {} has a word that is not below 2^64 - 2^32 + 1: it is no digest of this field", first + i);
}

void require_fitting(const TreeScheme& scheme, std::uint64_t leaves) {
  if (scheme.mode == Mode::strict && !std::has_single_bit(leaves))
    base::refuse("{} leaves: a strict tree has a power of two; use the hash {}", leaves,
                 scheme_name({.variant = scheme.variant}));
}

Digest top_of_block(const TreeScheme& scheme, std::span<const Digest> leaves, std::span<Digest> scratch) {
  std::span<const Digest> level = leaves;
  while (level.size() > 1) {
    const std::size_t pairs = level.size() / 2;
    const bool odd = level.size() % 2 != 0;
    const Digest last = level.back();
    merge_pairs(scheme, level.first(2 * pairs), scratch.first(pairs));
    if (odd) scratch[pairs] = last;
    level = scratch.first(pairs + (odd ? 1 : 0));
  }
  return level.front();
}

RootStream::RootStream(const TreeScheme& scheme) : scheme_(scheme) {
  require_valid(scheme, "the tree");
  block_.reserve(kBlockLeaves);
}

void RootStream::push_block(const Digest& top) {
  Digest node = top;
  for (std::uint64_t blocks = leaves_ / kBlockLeaves; blocks % 2 == 1; blocks /= 2) {
    node = merge(scheme_, peaks_.back(), node);
    peaks_.pop_back();
  }
  peaks_.push_back(node);
  leaves_ += kBlockLeaves;
}

void RootStream::append(std::span<const Digest> leaves) {
  if (leaves.size() > kMostLeaves - leaves_) throw base::InputError("a tree has at most 2^48 leaves");
  require_canonical(leaves, leaves_);
  const std::uint64_t before = leaves_;
  leaves_ -= block_.size();  // of whole blocks, until the end
  std::span<const Digest> rest = leaves;
  while (!rest.empty()) {
    if (!block_.empty() || rest.size() < kBlockLeaves) {
      const std::size_t taken = std::min(rest.size(), kBlockLeaves - block_.size());
      block_.insert(block_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(taken));
      rest = rest.subspan(taken);
      if (block_.size() == kBlockLeaves) {
        std::vector<Digest> scratch(kBlockLeaves / 2);
        push_block(top_of_block(scheme_, block_, scratch));
        block_.clear();
      }
      continue;
    }
    Digest tops[kBatch];
    const std::size_t blocks = std::min(kBatch, rest.size() / kBlockLeaves);
    base::parallel_for(0, blocks, [&](std::size_t i) {
      std::vector<Digest> scratch(kBlockLeaves / 2);
      tops[i] = top_of_block(scheme_, rest.subspan(i * kBlockLeaves, kBlockLeaves), scratch);
    });
    for (std::size_t i = 0; i < blocks; ++i) push_block(tops[i]);
    rest = rest.subspan(blocks * kBlockLeaves);
  }
  leaves_ = before + leaves.size();
}

Digest RootStream::top() const {
  if (leaves_ == 0) throw base::InputError("a Merkle tree needs at least one leaf");
  require_fitting(scheme_, leaves_);
  std::vector<Digest> nodes = peaks_;
  if (!block_.empty()) {
    std::vector<Digest> scratch((block_.size() + 1) / 2);
    nodes.push_back(top_of_block(scheme_, block_, scratch));
  }
  Digest top = nodes.back();
  for (nodes.pop_back(); !nodes.empty(); nodes.pop_back()) top = merge(scheme_, nodes.back(), top);
  return top;
}

void RootStream::clear() {
  leaves_ = 0;
  peaks_.clear();
  block_.clear();
}

Digest RootStream::root() const { return root_of(scheme_, top(), leaves_); }

CapStream::CapStream(const TreeScheme& scheme, std::uint64_t leaves, unsigned levels) : part_(scheme) {
  require_fitting(scheme, leaves);
  const TreeShape shape(leaves);
  cap_ = {scheme, leaves, shape.depth() - std::min(levels, shape.depth()), {}};
}

void CapStream::append(std::span<const Digest> leaves) {
  if (leaves.size() > cap_.leaves - appended_) base::refuse("more leaves than the {} that were announced", cap_.leaves);
  while (!leaves.empty()) {
    const std::uint64_t whole = std::uint64_t{1} << cap_.height;
    const std::size_t taken = std::min<std::uint64_t>(leaves.size(), whole - part_.leaves());
    part_.append(leaves.first(taken));
    leaves = leaves.subspan(taken);
    appended_ += taken;
    if (part_.leaves() == whole || appended_ == cap_.leaves) {
      cap_.nodes.push_back(part_.top());
      part_.clear();
    }
  }
}

const Cap& CapStream::cap() const {
  if (appended_ != cap_.leaves) base::refuse("{} of the {} leaves that were announced", appended_, cap_.leaves);
  return cap_;
}

}  // namespace tacit::merkle
