#include "merkle/tree.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "merkle/level.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"

namespace tacit::merkle {

Tree::Tree(const TreeScheme& scheme, base::AlignedVector<Digest> leaves, Device* device, Approach approach,
           std::uint64_t group)
    : scheme_(scheme), shape_(leaves.size()), leaves_(std::move(leaves)) {
  require_valid(scheme, "the tree");
  require_fitting(scheme, leaves_.size());
  require_canonical(leaves_);
  nodes_.resize(shape_.slots());
  nodes_[0] = {};
  std::unique_ptr<Device> processor;
  if (device == nullptr) device = (processor = cpu_device()).get();
  device->run(scheme_, shape_, leaves_, nodes_, plan_dispatches(shape_, approach, group));
}

const Digest& Tree::node(unsigned height, std::uint64_t position) const {
  TACIT_ASSERT(height <= shape_.depth() && position < shape_.nodes_at(height));
  return height == 0 ? leaves_[position] : nodes_[shape_.first_slot(height) + position];
}

Digest Tree::root() const { return root_of(scheme_, top(), shape_.leaves()); }

void Tree::require_index(std::uint64_t index) const {
  if (index >= shape_.leaves())
    base::refuse("leaf {} lies outside the tree, whose leaves are 0 to {}", index, shape_.leaves() - 1);
}

void Tree::update(std::uint64_t index, const Digest& leaf) {
  require_index(index);
  require_canonical({&leaf, 1}, index);
  leaves_[index] = leaf;
  for (unsigned height = 1; height <= shape_.depth(); ++height)
    write_level(scheme_, shape_, leaves_, nodes_, height, index >> height, (index >> height) + 1);
}

void Tree::append(std::span<const Digest> leaves) {
  if (leaves.empty()) return;
  const TreeShape old_shape = shape_, new_shape(shape_.leaves() + leaves.size());
  require_fitting(scheme_, new_shape.leaves());
  require_canonical(leaves, old_shape.leaves());
  base::AlignedVector<Digest> moved;
  if (new_shape.depth() != old_shape.depth()) {
    moved.resize(new_shape.slots());
    moved[0] = {};
    for (unsigned height = 1; height <= old_shape.depth(); ++height)
      std::copy_n(nodes_.begin() + static_cast<std::ptrdiff_t>(old_shape.first_slot(height)),
                  old_shape.nodes_at(height),
                  moved.begin() + static_cast<std::ptrdiff_t>(new_shape.first_slot(height)));
  } else {
    nodes_.reserve(new_shape.slots());
  }
  leaves_.insert(leaves_.end(), leaves.begin(), leaves.end());
  if (!moved.empty())
    nodes_.swap(moved);
  else
    nodes_.resize(new_shape.slots());
  shape_ = new_shape;
  for (unsigned height = 1; height <= shape_.depth(); ++height)
    write_level_in_parallel(scheme_, shape_, leaves_, nodes_, height, old_shape.leaves() >> height,
                            shape_.nodes_at(height));
}

Cap Tree::cap(unsigned levels) const {
  const unsigned height = shape_.depth() - std::min(levels, shape_.depth());
  Cap cap{scheme_, shape_.leaves(), height, {}};
  const Digest* first = &node(height, 0);
  cap.nodes.assign(first, first + shape_.nodes_at(height));
  return cap;
}

InclusionProof Tree::prove(std::span<const std::uint64_t> indices, unsigned cap_levels) const {
  if (indices.empty()) throw base::InputError("no leaf to prove was named");
  InclusionProof proof{scheme_, shape_.leaves(), shape_.depth() - std::min(cap_levels, shape_.depth()), {}, {}, {}};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    require_index(indices[i]);
    if (i > 0 && indices[i] <= indices[i - 1])
      base::refuse("leaves to prove must be named once each, in ascending order: {} comes after {}", indices[i],
                   indices[i - 1]);
    proof.leaf_digests.push_back(leaves_[indices[i]]);
  }
  proof.indices.assign(indices.begin(), indices.end());
  proof.nodes.reserve(indices.size() == 1 ? proof.height : 0);
  each_needed_sibling(shape_, proof.height, indices,
                      [&](unsigned height, std::uint64_t position) { proof.nodes.push_back(node(height, position)); });
  return proof;
}

ConsistencyProof Tree::prove_extension(std::uint64_t old_leaves) const {
  const TreeShape old_shape(old_leaves);
  if (old_leaves > shape_.leaves())
    base::refuse("the older tree has {} leaves, more than the {} of this one", old_leaves, shape_.leaves());
  require_fitting(scheme_, old_leaves);
  ConsistencyProof proof{scheme_, old_leaves, shape_.leaves(), {}};
  const auto lowest = static_cast<unsigned>(std::countr_zero(old_leaves));
  proof.nodes.push_back(node(lowest, old_shape.nodes_at(lowest) - 1));
  for (unsigned height = lowest; height < shape_.depth(); ++height) {
    const std::uint64_t position = old_shape.nodes_at(height) - 1;
    if (position % 2 == 1)
      proof.nodes.push_back(node(height, position - 1));
    else if (position + 1 < shape_.nodes_at(height))
      proof.nodes.push_back(node(height, position + 1));
  }
  return proof;
}

namespace {

class Difference {
 public:
  Difference(const Tree& a, const Tree& b) : a_(a), b_(b), common_(std::min(a.shape().leaves(), b.shape().leaves())) {}
  /// Compares what both trees have below a position; `height` may be above the top of one of them.
  void compare(unsigned height, std::uint64_t position) {
    const std::uint64_t first = position << height, last = first + (std::uint64_t{1} << height);
    if (first >= common_) return;
    if (last <= common_ || a_.shape().leaves() == b_.shape().leaves()) {  // the same leaves in both
      if (a_.node(height, position) == b_.node(height, position)) return;
      if (height == 0) {
        add(first, last);
        return;
      }
    }
    compare(height - 1, 2 * position);
    compare(height - 1, 2 * position + 1);
  }
  void add(std::uint64_t first, std::uint64_t last) {
    if (!runs_.empty() && runs_.back().second == first)
      runs_.back().second = last;
    else
      runs_.emplace_back(first, last);
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs() {
    compare(std::max(a_.shape().depth(), b_.shape().depth()), 0);
    const std::uint64_t most = std::max(a_.shape().leaves(), b_.shape().leaves());
    if (most > common_) add(common_, most);
    return std::move(runs_);
  }

 private:
  const Tree &a_, &b_;
  std::uint64_t common_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> runs_;
};

}  // namespace

std::vector<std::pair<std::uint64_t, std::uint64_t>> differing_leaves(const Tree& a, const Tree& b) {
  if (a.scheme() != b.scheme()) throw base::InputError("trees of different hashes or leaves cannot be compared");
  return Difference(a, b).runs();
}

}  // namespace tacit::merkle
