#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"

namespace tacit::graph::passes {

/// A part of a linear operator on a feature map, with the rows of the map that it reads.
struct RowPart {
  layout::Index begin = 0, rows = 0;
  layout::LinearOperatorPtr op;
};

/// The contents of the slots that a linear map leaves around the elements of its output.
enum class Beside : std::uint8_t { zeros, unknown };

/// Takes operators apart by the rows that windows reach. On a tight grid rows wrap around. The row above the first row
/// of a map is its last row, a row of another map of the ciphertext, or a free row. A weight that must not read that
/// row would be zero for one output row only. The weights could then not repeat. The same holds for a weight that
/// must leave zeros in a free row. So a part that reads d rows upwards reads a slice of the map without its last d
/// rows. The layout of the slice has known zeros there, and a weight that meets a known zero costs nothing. Parts are
/// made once. Not thread safe.
class RowSlices {
 public:
  /// Returns the parts of an operator between these values. An operator that reads all rows is its only part. Each
  /// entry of the operator is in exactly one part.
  const std::vector<RowPart>& parts(const layout::LinearOperatorPtr& op, const FeatureMap& in, const FeatureMap& out,
                                    const FeatureGrid& grid, Beside beside);

 private:
  using Between = std::tuple<const layout::LinearOperator*, Shape, Shape, layout::Index>;  // and a stride of the grid

  std::vector<RowPart> parts_of(const layout::LinearOperatorPtr& op, const Shape& in, const Shape& out,
                                layout::Index grid_stride, layout::Index room, Beside beside);

  layout::LinearOperatorPtr selected(const layout::LinearOperatorPtr& op, const layout::RowSelection& selection);

  struct Selected {
    layout::LinearOperatorPtr of;  // keeps the address alive
    layout::LinearOperatorPtr op;
  };
  struct Parted {
    layout::LinearOperatorPtr op;  // keeps the address alive
    std::vector<RowPart> parts;
  };
  std::map<std::tuple<const layout::LinearOperator*, Shape, Shape, layout::Index, layout::Index, Beside>, Parted>
      known_;
  /// Selections of operators without their factors, by operator, shapes and numbers of the selection. Networks that
  /// differ only in factors share them.
  std::map<std::tuple<const layout::LinearOperator*, Shape, Shape, std::array<layout::Index, 5>>, Selected> selected_;
  std::map<Between, std::vector<layout::Index>> offsets_;  // layout::row_offsets, which may read every entry
};

/// True if a linear operator between these maps on a tight grid has an output row for every stride of input rows. Its
/// weights can then repeat and leave zeros in all slots without an element.
bool covers_rows(const FeatureMap& in, const FeatureMap& out);
/// True if covers_rows holds for all linear operators between feature maps of a network.
bool covers_all_rows(const Network& network);

}  // namespace tacit::graph::passes
