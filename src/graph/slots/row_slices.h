#pragma once

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

/// Takes operators apart by the rows that windows reach. On a tight grid a window that leaves its map at the top finds
/// the map's last rows, or those of another map; and a row below the map, which is to stay zero, would take part in its
/// last ones. A part that reads by as many rows upwards reads a slice of the map without these rows, and its layout
/// knows zeros there: then its weights are the same for every row. Parts are made once. Not thread safe.
class RowSlices {
 public:
  /// Of an operator between values of these shapes: itself with all rows, where none need be left out. What lies beside
  /// the elements of the output is zero, or `unknown`.
  const std::vector<RowPart>& parts(const layout::LinearOperatorPtr& op, const Shape& in, const Shape& out,
                                    const FeatureGrid& grid, bool unknown);

 private:
  struct Parted {
    layout::LinearOperatorPtr op;  // keeps the address alive
    std::vector<RowPart> parts;
  };
  std::map<std::tuple<const layout::LinearOperator*, layout::Index, layout::Index, bool>, Parted> known_;
};

/// Whether a linear operator between these maps on a tight grid has an output row for every stride of input rows, so
/// that its weights can be zero wherever there is no element and yet repeat.
bool covers_rows(const Shape& in, const Shape& out, const FeatureGrid& grid);
/// Of all linear operators between feature maps of a network.
bool covers_all_rows(const Network& network);

}  // namespace tacit::graph::passes
