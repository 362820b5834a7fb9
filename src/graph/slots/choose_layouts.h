#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "graph/slots/feature_grid.h"
#include "layout/layout.h"
#include "layout/linear_operator.h"

namespace tacit::graph::passes {

/// Layouts worth trying for a tensor: dense row-major, and for [1, channels, rows, columns] the grids whose gaps hold
/// channels (multiplexed packing: Lee et al. 2022), gaps 2, 4 and 8, where they fit one ciphertext.
/// For a batch also those of one sample on fewer slots, with a slot for every sample in place of each slot: linear maps
/// then have as many diagonals as for one sample.
std::vector<layout::Layout> candidate_layouts(const Shape& shape, layout::Index slots);

/// Time of one linear map, in any unit, for a value at this position of the network.
using MapPrice = std::function<double(const layout::LinearMap&, ValueId)>;

/// Time of what else makes a value, on so many ciphertexts: of a function, a product or a refresh.
using ArrayPrice = std::function<double(ValueId, layout::Index ciphertexts)>;

/// What the values that share their places may have for a layout, and what was chosen.
struct LayoutChoice {
  ValueId value = 0;  ///< the first of them
  struct Candidate {
    layout::Layout layout;
    double price = 0;  ///< of making the values, of reading what they read and of all that follows
  };
  std::vector<Candidate> candidates;
  std::size_t chosen = 0;
};
std::string to_text(const std::vector<LayoutChoice>& choices);

/// For each value with a sharding, by annotation or offered: its node, and its candidates with prices.
std::string priced_shardings(const Network& network, const std::vector<LayoutChoice>& choices);

struct ChosenLayouts {
  std::vector<layout::Layout> layouts;  ///< by value
  std::vector<LayoutChoice> choices;
};

/// A layout for every value. The choice minimises the total price by a dynamic program over the
/// network: exact for trees; where branches join, the layout of the join is chosen for all its branches together after
/// theirs. Values tied by functions and products share their places. Out of range they hold zeros, and behind a
/// function unknown numbers. On a grid, feature maps that functions read have zeros beside their elements. Maps whose
/// readers take elements where they are hold unknown numbers there, and have rows of their own; of other maps either
/// may be cheaper, for a window that leaves its map reads zeros. A value with a sharding has layouts of its blocks
/// alone (sharded_layouts). Throws InputError if these do not fit a ciphertext.
ChosenLayouts choose_layouts(const Network& network, layout::Index slots, const MapPrice& price,
                             const ArrayPrice& array_price, const std::optional<FeatureGrid>& grid = {});

}  // namespace tacit::graph::passes
