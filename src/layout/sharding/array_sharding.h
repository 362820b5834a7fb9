#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/feasible.h"
#include "layout/layout.h"
#include "layout/sharding/mesh.h"

namespace tacit::layout {

/// Describes how an array is distributed over a mesh. `spec` has an entry for each dimension of the array: the axis
/// that its blocks run along, or -1 for a whole dimension. A dimension that the axis does not divide is padded: its
/// last block holds fewer elements. Along axes that no dimension names, the array is replicated at no storage cost.
/// Immutable, thread safe.
///
/// The notation is mesh=[x=4, y=3, z=2] spec={y, z, -1}. It parses back.
class ArraySharding {
 public:
  /// For each dimension: the position of an axis of the mesh, or kWhole.
  using Spec = std::vector<int>;
  static constexpr int kWhole = -1;

  /// Throws InputError naming the dimension if an entry is no axis, or the axis splits an earlier dimension, too.
  ArraySharding(Mesh mesh, Spec spec);
  /// Does the same with names of axes, "-1" for kWhole. Throws InputError naming the axis that the mesh lacks.
  ArraySharding(Mesh mesh, const std::vector<std::string>& spec);
  /// Returns the sharding of an array of this rank that every device holds whole.
  static ArraySharding replicated(Mesh mesh, std::size_t rank) { return {std::move(mesh), Spec(rank, kWhole)}; }
  /// Throws InputError naming the place; a dimension that is split twice (y*z) is named.
  static ArraySharding parse(std::string_view text);
  /// Reads "{y, z, -1}" from a reader, on this mesh.
  static ArraySharding read_spec(TextCursor& reader, const Mesh& mesh);
  std::string to_string() const;
  std::string spec_text() const;

  const Mesh& mesh() const { return mesh_; }
  const Spec& spec() const { return spec_; }
  /// Returns the number of blocks along a dimension.
  Index parts(std::size_t dim) const;
  bool is_split() const { return blocks() > 1; }

  /// Returns the number of distinct blocks: the product of the extents of the named axes.
  Index blocks() const;
  /// Returns the extents of a block, the same for all. Throws InputError if the array has another rank, or a dimension
  /// has fewer elements than blocks.
  Shape block_shape(const Shape& shape) const;
  /// Returns the reason why an array of this shape has no such blocks, or none if it has.
  std::optional<base::Infeasible> problem(const Shape& shape) const;
  /// Returns the same, or the reason why `layout` would not fit ciphertexts of this number of slots.
  std::optional<base::Infeasible> problem(const Shape& shape, Index slots) const;
  /// Returns the position of a block along each dimension. Blocks are numbered row-major over the named axes, in the
  /// order of the mesh.
  std::vector<Index> block_position(Index block) const;

  /// Returns a layout with one row-major block in each ciphertext, in the first slots. If its extent is a power of two,
  /// copies follow, else zeros. Digits across carry the names of their axes. Throws InputError if a block does not fit
  /// `slots`, a power of two.
  Layout layout(const Shape& shape, Index slots) const;

  /// Returns a layout with one block in each ciphertext, laid out like `block`. `block` has the shape of a block, and
  /// its free positions stay free. Axes that replicate or have one block leave no digit. The result is empty in two
  /// cases:
  /// - `block` takes several ciphertexts.
  /// - A split dimension is padded within `block`, and its digits do not end with a block.
  std::optional<Layout> laid_out_like(const Shape& shape, const Layout& block) const;

  /// Returns "D[6][112x224]": the number of blocks, and the extents of one block without leading ones.
  std::string array_text(const Shape& shape) const;
  /// Returns the block of every device, one column per device. One column stands for all devices along replicated axes.
  /// With more than `most` columns, the middle is left out.
  std::string distribution(Index most = 8) const;

  bool operator==(const ArraySharding&) const = default;

 private:
  /// Returns the dimension whose blocks run along an axis. The result is empty if the array is replicated along it.
  std::optional<std::size_t> dim_along(std::size_t axis) const;

  Mesh mesh_;
  Spec spec_;
};

}  // namespace tacit::layout
