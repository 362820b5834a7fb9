#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"

namespace tacit::graph::passes {

/// A part of a linear operator on a feature map, and the rows of the map that it reads; the others are left out.
struct RowPart {
  layout::Index begin = 0, rows = 0;
  layout::LinearOperatorPtr op;
};

/// What a linear map leaves beside the elements of its output.
enum class Beside : std::uint8_t { zeros, unknown };

/// Takes operators apart by the rows that windows reach. On a tight grid rows wrap around: above the first row of a map
/// lies its last one, or that of another map of the ciphertext, or a free row. A weight that must not read it there
/// would have to be zero at one row, and could not repeat. Nor could one that must leave zeros in a free row. So a part
/// that reads d rows upwards reads a slice of the map without its last d rows: the slice's layout knows zeros there,
/// and a weight that meets a known zero is free. Parts are made once. Not thread safe.
class RowSlices {
 public:
  /// Of an operator between these values: itself with all rows, where none need be left out. The entries of
  /// the parts are those of the operator, each once.
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
  /// Of operators without their factors, so that networks which differ in factors alone share them: by operator, shapes
  /// and the numbers of the selection.
  std::map<std::tuple<const layout::LinearOperator*, Shape, Shape, std::array<layout::Index, 5>>, Selected> selected_;
  std::map<Between, std::vector<layout::Index>> offsets_;  // layout::row_offsets, which may read every entry
};

/// Whether a linear operator between these maps on a tight grid has an output row for every stride of input rows. Its
/// weights can then repeat and yet leave zeros wherever there is no element.
bool covers_rows(const FeatureMap& in, const FeatureMap& out);
/// Of all linear operators between feature maps of a network.
bool covers_all_rows(const Network& network);

}  // namespace tacit::graph::passes
