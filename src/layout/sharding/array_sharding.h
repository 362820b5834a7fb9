#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.h"
#include "layout/sharding/mesh.h"

namespace tacit::layout {

/// How an array is distributed over a mesh. `spec` has an entry for each dimension of the array: the axis that its
/// blocks run along, or -1 where it is whole. A dimension that the axis does not divide is padded: its last block holds
/// fewer elements. Along axes that no dimension names the array is replicated, which costs no storage. Immutable,
/// thread safe.
///
/// The notation is mesh=[x=4, y=3, z=2] spec={y, z, -1}. It parses back.
class ArraySharding {
 public:
  /// By dimension: the position of an axis of the mesh, or kWhole.
  using Spec = std::vector<int>;
  static constexpr int kWhole = -1;

  /// Throws InputError naming the dimension if an entry is no axis, or the axis splits an earlier dimension, too.
  ArraySharding(Mesh mesh, Spec spec);
  /// The same with names of axes, "-1" for kWhole. Throws InputError naming the axis that the mesh lacks.
  ArraySharding(Mesh mesh, const std::vector<std::string>& spec);
  /// An array of this rank that every device holds whole.
  static ArraySharding replicated(Mesh mesh, std::size_t rank) { return {std::move(mesh), Spec(rank, kWhole)}; }
  /// Throws InputError naming the place; a dimension that is split twice (y*z) is named.
  static ArraySharding parse(std::string_view text);
  /// "{y, z, -1}" at a reader, on this mesh.
  static ArraySharding read_spec(TextCursor& reader, const Mesh& mesh);
  std::string to_string() const;
  std::string spec_text() const;

  const Mesh& mesh() const { return mesh_; }
  const Spec& spec() const { return spec_; }
  /// Blocks along a dimension.
  Index parts(std::size_t dim) const;
  bool is_split() const { return blocks() > 1; }

  /// Distinct blocks: the product of the extents of the axes that are named.
  Index blocks() const;
  /// Extents of a block, the same for all. Throws InputError if the array has another rank, or a dimension has fewer
  /// elements than blocks.
  Shape block_shape(const Shape& shape) const;
  /// Which block the device at these coordinates loads: row-major over the axes that are named, in the mesh's order.
  Index block_at(const std::vector<Index>& coordinates) const;
  /// Along each dimension, the position of a block.
  std::vector<Index> block_position(Index block) const;

  /// A block in each ciphertext, row-major, in the first slots. Behind it lie copies where its extent is a power of
  /// two, and zeros otherwise. Digits across carry the names of their axes. Throws InputError if a block does not fit
  /// `slots`, a power of two.
  Layout layout(const Shape& shape, Index slots) const;

  /// A block in each ciphertext, laid out there as `block` lays out one alone: free positions of it stay free. Axes
  /// that replicate or have one block leave no digit. None where a dimension that is split is padded within `block` and
  /// its digits do not end with a block, or where `block` takes several ciphertexts. `block` is of the block's shape.
  std::optional<Layout> laid_out_like(const Shape& shape, const Layout& block) const;

  /// "D[6][112x224]": blocks, and the extents of one without leading ones.
  std::string array_text(const Shape& shape) const;
  /// Which block every device holds, a column a device; along replicated axes one column stands for all. Where there
  /// are more than `most`, the middle is left out.
  std::string distribution(Index most = 8) const;

  bool operator==(const ArraySharding&) const = default;

 private:
  /// The dimension whose blocks run along an axis; none: the array is replicated along it.
  std::optional<std::size_t> dim_along(std::size_t axis) const;

  Mesh mesh_;
  Spec spec_;
};

}  // namespace tacit::layout
