#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/choice_graph.h"
#include "graph/slots/feature_grid.h"
#include "layout/layout.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// Returns the layouts worth trying for a tensor:
/// - dense row-major;
/// - for [1, channels, rows, columns], the grids with channels in gaps of 2, 4 and 8, if they fit one ciphertext
///   (multiplexed packing: Lee et al. 2022);
/// - with `lines`, for two or three dimensions above 1: the elements of a line outermost, or up to four copies of every
///   line. Layers of different widths then have their lines at equal distances, and linear maps that do the same to
///   every line have few diagonals;
/// - for a batch, the layouts of one sample on fewer slots, with one slot per sample in place of each slot. Linear maps
///   then have as many diagonals as for one sample;
/// - for a batch, the samples outermost, in row-major order. Linear maps then have up to twice as many diagonals, whose
///   weights repeat with the samples.
std::vector<layout::Layout> candidate_layouts(const Shape& shape, layout::Index slots, bool lines = false);

/// Returns the time of one linear map, in any unit, that makes the value at this position of the network. It is called
/// on several threads.
using MapPrice = std::function<double(const layout::LinearMap&, ValueId)>;

/// Returns the time of making a value on this number of ciphertexts by a function, a product or a refresh.
using ArrayPrice = std::function<double(ValueId, layout::Index ciphertexts)>;

/// The candidate layouts of the values that share their places, and the chosen one.
struct LayoutChoice {
  ValueId value = 0;  ///< the first of them
  struct Candidate {
    layout::Layout layout;
    double price = 0;  ///< least price of the whole network if the values have this layout
  };
  std::vector<Candidate> candidates;
  std::size_t chosen = 0;
};
std::string to_text(const std::vector<LayoutChoice>& choices);

/// Describes each value with a sharding, by annotation or offered: its node, and its candidates with prices.
std::string priced_shardings(const Network& network, const std::vector<LayoutChoice>& choices);

/// The layouts of a network, and the graph of choices that they were taken from.
struct ChosenLayouts {
  std::vector<layout::Layout> layouts;                  ///< by value
  std::vector<ValueId> values;                          ///< the first value of every node of the graph
  std::vector<std::vector<layout::Layout>> candidates;  ///< by node of the graph
  ChoiceGraph graph;
  ChoiceGraph::Selection selection;

  /// Returns the choices with the price of every candidate. The graph is solved once for each candidate.
  std::vector<LayoutChoice> choices() const;
};

/// Chooses a layout for every value, so that the total price of linear maps, functions, products and refreshes is the
/// least. Every linear map is priced once, however many values read what it makes. The choice is exact where the
/// network is series-parallel, as chains of residual blocks are (ChoiceGraph::cheapest).
///
/// Values that functions and products tie together share their places. Slots out of range hold zeros, or unknown
/// numbers after a function. On a grid, feature maps that functions read have zeros around their elements. If all
/// readers of a map take its elements in place, the map may hold unknown numbers there, and it has separate rows. For
/// other maps either may be cheaper, because a window that leaves its map must read zeros. A value with a sharding only
/// has layouts of its blocks (sharded_layouts). A value in `fixed` has that layout, and so have those that share its
/// places. Layouts in `offered` are tried for all values of their shape. Throws InputError if the blocks do not fit a
/// ciphertext.
ChosenLayouts choose_layouts(const Network& network, layout::Index slots, const MapPrice& price,
                             const ArrayPrice& array_price, const std::optional<FeatureGrid>& grid = {},
                             const std::map<ValueId, layout::Layout>& fixed = {},
                             const std::map<Shape, std::vector<layout::Layout>>& offered = {});

}  // namespace tacit::graph::passes
