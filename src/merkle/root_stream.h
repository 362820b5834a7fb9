#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merkle/digest.h"
#include "merkle/proof.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// The root of a tree whose leaves come one after the other, in O(log N) memory: one node for every perfect subtree
/// that is done, and a block of the latest leaves (128 KiB). Gives the root that Tree gives, for every number of
/// leaves. Long runs of leaves are hashed on all threads. Not thread safe.
class RootStream {
 public:
  explicit RootStream(const Scheme& scheme);
  /// Throws InputError for a leaf that is not canonical, and past 2^48 leaves.
  void append(std::span<const Digest> leaves);
  void append(const Digest& leaf) { append(std::span(&leaf, 1)); }

  std::uint64_t leaves() const { return leaves_; }
  void clear();
  /// Top node and root of the leaves so far; more may follow. Throws InputError without leaves, and in strict mode
  /// unless their number is a power of two.
  Digest top() const;
  Digest root() const;

 private:
  void push_block(const Digest& top);
  Scheme scheme_;
  std::uint64_t leaves_ = 0;
  std::vector<Digest> peaks_;  ///< tops of perfect subtrees, the largest first, of the leaves before block_
  std::vector<Digest> block_;
};

/// The cap of a tree whose leaves come one after the other and whose number is known, in the memory that the cap takes.
/// Gives the cap that Tree gives. Not thread safe.
class CapStream {
 public:
  /// Throws InputError for no leaves, and in strict mode unless they are a power of two.
  CapStream(const Scheme& scheme, std::uint64_t leaves, unsigned levels);
  /// Throws InputError for a leaf that is not canonical, and past the number of leaves.
  void append(std::span<const Digest> leaves);
  /// The cap, once all leaves were appended; else InputError.
  const Cap& cap() const;

 private:
  Cap cap_;
  std::uint64_t appended_ = 0;
  RootStream part_;  ///< what lies below the next node of the cap
};

/// The top node of a few leaves, level by level; `scratch` holds at least half as many.
Digest top_of_block(const Scheme& scheme, std::span<const Digest> leaves, std::span<Digest> scratch);

/// Throws InputError naming the first leaf that is not canonical; `first` is the number of the first one.
void require_canonical(std::span<const Digest> leaves, std::uint64_t first = 0);
/// Throws InputError in strict mode unless `leaves` is a power of two.
void require_fitting(const Scheme& scheme, std::uint64_t leaves);

}  // namespace tacit::merkle
