#include "graph/slots/choose_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "graph/slots/layout_classes.h"
#include "graph/slots/sharded_layouts.h"
#include "program/visit.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using layout::Layout;

constexpr Index kLargestGap = 8;
// Copies of a line side by side: the widest layer of a network is seldom more than four times as wide as the narrowest.
constexpr Index kMostCopiesOfLines = 4;

Index padded(Index extent) { return static_cast<Index>(std::bit_ceil(static_cast<std::uint64_t>(extent))); }

// A place for the elements of a class of values, and the contents that a linear map may leave around them there. On a
// grid, values with unknown surroundings have separate rows, so that the map's diagonals repeat.
struct Candidate {
  Layout layout;
  std::optional<layout::Fill> beside{};  // on a grid
};

// The kinds of readers of an affine value.
enum class Readers : std::uint8_t {
  functions,  // some are functions, products or refreshes, which need zeros around the elements
  in_place,   // all take elements in place
  windows,    // some move elements: windows that leave their map read zeros around it, others do not
};

// Returns the places with zeros around the elements. A ciphertext holds as many channels and samples as fit. On a tight
// grid copies may fill the remaining rows, and a map with more channels reads them side by side.
std::vector<Candidate> clean_candidates(const FeatureMap& map, const FeatureGrid& grid) {
  std::vector<Candidate> result;
  const std::optional<Layout> layout = grid.layout_of(map, {.maps = grid.slots, .channels = true});
  if (!layout) return result;
  result.push_back({layout->filled(layout::Fill::zero), layout::Fill::zero});
  if (grid.kind != GridKind::tight) return result;
  const auto copied = grid.layout_of(map, {.maps = grid.slots, .channels = true, .copies = true});
  if (!copied->same_places(*layout)) result.push_back({copied->filled(layout::Fill::zero), layout::Fill::zero});
  return result;
}

// Returns the places with unknown surroundings. A later linear map moves such a map to another layout. Its channels are
// only in its columns, and it has fewer samples. Weights repeat with the channels if a linear map leaves the samples of
// a ciphertext in their rows. A map with a stride makes more rows than it has samples for.
std::vector<Candidate> unclean_candidates(const FeatureMap& map, const FeatureGrid& grid) {
  std::vector<Candidate> result;
  for (Index maps = grid.slots; maps > 0; maps /= 2) {
    const std::optional<Layout> layout = grid.layout_of(map, {.maps = maps});
    if (!layout) break;
    if (result.empty() || !layout->same_places(result.back().layout))
      result.push_back({layout->filled(layout::Fill::unknown), layout::Fill::unknown});
  }
  return result;
}

// Returns the places of a tensor in blocks. On a grid, unknown surroundings are as for other maps. A block has separate
// rows.
std::vector<Candidate> in_blocks(const Value& value, const layout::ArraySharding& sharding, Index slots,
                                 const FeatureMap* map, const std::optional<FeatureGrid>& grid, Readers readers) {
  std::vector<Candidate> result;
  for (const bool clean : {true, false}) {
    if (map == nullptr || (clean ? readers == Readers::in_place : readers == Readers::functions)) continue;
    const layout::Fill beside = clean ? layout::Fill::zero : layout::Fill::unknown;
    if (const auto layout = sharded_on_grid(*map, sharding, *grid, {.maps = grid->slots, .channels = clean}))
      result.push_back({layout->filled(beside), beside});
  }
  for (Layout& layout : sharded_layouts(value.shape, sharding, slots)) result.push_back({std::move(layout)});
  return result;
}

std::vector<Candidate> candidates_of(const Network& network, ValueId id, Index slots,
                                     const std::optional<FeatureGrid>& grid, Readers readers, bool lines) {
  const Value& value = network.values[id];
  const Shape& shape = value.shape;
  const FeatureMap* const map_on_grid = grid && is_feature_map(shape) ? &grid->maps[id] : nullptr;
  if (value.sharding) return in_blocks(value, *value.sharding, slots, map_on_grid, grid, readers);
  std::vector<Candidate> result;
  if (map_on_grid != nullptr) {
    const FeatureMap& map = *map_on_grid;
    if (readers != Readers::in_place) result = clean_candidates(map, *grid);
    if (readers != Readers::functions) std::ranges::move(unclean_candidates(map, *grid), std::back_inserter(result));
  }
  if (result.empty())
    for (Layout& layout : candidate_layouts(shape, slots, lines)) result.push_back({std::move(layout)});
  for (const layout::ArraySharding& offered : value.offered)  // without those whose blocks do not fit here
    if (!offered.problem(shape, slots))
      std::ranges::move(in_blocks(value, offered, slots, map_on_grid, grid, readers), std::back_inserter(result));
  return result;
}

// Adds a place that is not yet there.
void add_new(std::vector<Candidate>& candidates, const Layout& layout) {
  if (std::ranges::none_of(candidates, [&](const Candidate& known) { return known.layout.same_places(layout); }))
    candidates.push_back({layout});
}

// Returns a fixed place. It keeps its contents out of range if they may be unknown.
Candidate fixed_at(const Layout& layout) {
  if (layout.has_fill(layout::Fill::unknown)) return {layout, layout::Fill::unknown};
  return {layout};
}

// Returns the kinds of readers by value. The decryption of an output reads only its elements.
std::vector<Readers> readers_of(const Network& network) {
  std::vector<char> moved(network.values.size(), 0), read_otherwise(network.values.size(), 0);
  for (const Value& value : network.values)
    if (const auto* affine = std::get_if<Affine>(&value.operation)) {
      for (const AffineTerm& term : affine->terms)
        if (!term.op->diagonal()) moved[term.input] = 1;
    } else {
      for (const ValueId operand : operands(value)) read_otherwise[operand] = 1;
    }
  std::vector<Readers> result;
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const bool affine = std::holds_alternative<Affine>(network.values[id].operation);
    result.push_back(!affine || read_otherwise[id] != 0 ? Readers::functions
                     : moved[id] != 0                   ? Readers::windows
                                                        : Readers::in_place);
  }
  return result;
}

// True for a network whose values hold lines, such as the numbers of a token: it multiplies encrypted matrices, or a
// value has several lines and no images.
bool has_lines(const Network& network) {
  return std::ranges::any_of(network.values, [](const Value& value) {
    const Shape& shape = value.shape;
    return std::holds_alternative<SummedProduct>(value.operation) ||
           (shape.size() == 3 && shape[1] > 1 && shape[2] > 1);
  });
}

class LayoutChooser {
 public:
  LayoutChooser(const Network& network, Index slots, const MapPrice& price, const ArrayPrice& array_price,
                const std::optional<FeatureGrid>& grid, const std::map<ValueId, Layout>& fixed,
                const std::map<Shape, std::vector<Layout>>& offered)
      : network_(network),
        price_(price),
        array_price_(array_price),
        classes_(layout_classes(network)),
        fills_(fills()),
        nodes_(classes_.size()) {
    const std::vector<Readers> readers = readers_of(network);
    const bool lines = has_lines(network);
    std::map<ValueId, Layout> fixed_classes;
    for (const auto& [id, layout] : fixed) fixed_classes[classes_[id]] = layout;
    for (ValueId id = 0; id < classes_.size(); ++id)
      if (classes_[id] == id) {
        const auto known = fixed_classes.find(id);
        candidates_.push_back(known != fixed_classes.end()
                                  ? std::vector{fixed_at(known->second)}
                                  : candidates_of(network, id, slots, grid, readers[id], lines));
        if (const auto more = offered.find(network.values[id].shape);
            more != offered.end() && known == fixed_classes.end())
          for (const Layout& layout : more->second) add_new(candidates_.back(), layout);
        values_.push_back(id);
        nodes_[id] = values_.size() - 1;
      }
    for (ValueId id = 0; id < classes_.size(); ++id) nodes_[id] = nodes_[classes_[id]];
  }

  ChosenLayouts run() const {
    ChosenLayouts result{.layouts = {}, .values = values_, .candidates = {}, .graph = priced(), .selection = {}};
    result.selection = result.graph.cheapest();
    for (std::size_t node = 0; node < values_.size(); ++node) {
      std::vector<Layout>& layouts = result.candidates.emplace_back();
      for (std::size_t k = 0; k < candidates_[node].size(); ++k) layouts.push_back(layout_of(values_[node], k));
    }
    for (ValueId id = 0; id < classes_.size(); ++id)
      result.layouts.push_back(layout_of(id, result.selection.options[nodes_[id]]));
    return result;
  }

 private:
  std::size_t count(ValueId id) const { return candidates_[nodes_[id]].size(); }

  // Returns the layout of a value in the k-th place of its class, with the contents out of range.
  Layout layout_of(ValueId id, std::size_t k) const {
    const Candidate& candidate = candidates_[nodes_[id]][k];
    return candidate.layout.filled(candidate.beside.value_or(fills_[id]));
  }

  // Returns the contents out of range if there are no guards.
  std::vector<layout::Fill> fills() const {
    std::vector<layout::Fill> result;
    for (const Value& value : network_.values) {
      const std::vector<ValueId> reads = operands(value);
      const bool unknown =
          !std::holds_alternative<Affine>(value.operation) &&
          (program::holds_any<Function, Tabulated>(value.operation) ||
           std::ranges::any_of(reads, [&](ValueId read) { return result[read] == layout::Fill::unknown; }));
      result.push_back(unknown ? layout::Fill::unknown : layout::Fill::zero);
    }
    return result;
  }

  // A linear map, and its prices by the places of its input and of its result.
  struct PricedMap {
    ValueId input, id;
    const AffineTerm* term;
    std::vector<double> prices;
  };

  ChoiceGraph priced() const {
    ChoiceGraph graph;
    for (std::size_t node = 0; node < values_.size(); ++node)
      graph.add(std::vector<double>(candidates_[node].size(), 0.0));
    std::vector<PricedMap> maps = priced_maps();
    auto next = maps.begin();
    for (ValueId id = 0; id < classes_.size(); ++id)
      if (!std::holds_alternative<Affine>(network_.values[id].operation))
        graph.add_to(nodes_[id], prices_without_maps(id));
      else
        for (; next != maps.end() && next->id == id; ++next)
          graph.connect(nodes_[next->input], nodes_[id], std::move(next->prices));
    return graph;
  }

  // Returns the prices of a value that linear maps do not make, by place.
  std::vector<double> prices_without_maps(ValueId id) const {
    std::vector<double> prices;
    std::map<Index, double> by_ciphertexts;
    for (const Candidate& candidate : candidates_[nodes_[id]]) {
      const auto [known, fresh] = by_ciphertexts.try_emplace(candidate.layout.ciphertexts());
      if (fresh) known->second = array_price_(id, known->first);
      prices.push_back(known->second);
    }
    return prices;
  }

  // Returns all linear maps with their prices, which take most of the time of a choice. All threads share the pairs of
  // places.
  std::vector<PricedMap> priced_maps() const {
    std::vector<PricedMap> maps;
    std::vector<std::pair<std::size_t, std::size_t>> pairs;  // a map, and a pair of places
    for (ValueId id = 0; id < classes_.size(); ++id)
      if (const auto* affine = std::get_if<Affine>(&network_.values[id].operation))
        for (const AffineTerm& term : affine->terms) {
          maps.push_back({term.input, id, &term, std::vector<double>(count(term.input) * count(id))});
          for (std::size_t k = 0; k < maps.back().prices.size(); ++k) pairs.emplace_back(maps.size() - 1, k);
        }
    base::parallel_for(0, pairs.size(), [&](std::size_t p) {
      const auto [map, k] = pairs[p];
      maps[map].prices[k] = price_of(maps[map], k / count(maps[map].id), k % count(maps[map].id));
    });
    return maps;
  }

  double price_of(const PricedMap& map, std::size_t from, std::size_t to) const {
    if (nodes_[map.input] == nodes_[map.id] && from != to) return 0;  // both are in the same place
    return price_({layout_of(map.input, from), layout_of(map.id, to), map.term->op}, map.id);
  }

  const Network& network_;
  const MapPrice& price_;
  const ArrayPrice& array_price_;
  std::vector<ValueId> classes_;                    // by value
  std::vector<layout::Fill> fills_;                 // by value
  std::vector<std::size_t> nodes_;                  // by value: the node of the graph
  std::vector<ValueId> values_;                     // by node: its first value
  std::vector<std::vector<Candidate>> candidates_;  // by node
};

// Returns layouts of one sample, with a slot for every sample of the batch in place of each slot. Samples that do not
// fit a ciphertext are in several.
std::vector<Layout> with_innermost_batch(const Shape& shape, Index slots, bool lines) {
  const Index batch = std::min(padded(shape[0]), slots), blocks = (shape[0] + batch - 1) / batch;
  std::vector<Layout> result;
  Shape one = shape;
  one[0] = 1;
  for (const Layout& layout : candidate_layouts(one, slots / batch, lines)) {
    std::vector<layout::Digit> across = layout.across(), within;
    if (layout.slots() > 1) within = layout.within();
    within.push_back({0, batch, 1, ""});
    if (blocks > 1) across.push_back({0, blocks, batch, ""});
    result.emplace_back(shape, std::move(across), std::move(within), layout.fill());
  }
  return result;
}

// Returns the layout with the samples of a batch outermost in every ciphertext, each in as many slots. Every value has
// the same distance from sample to sample, so the weights of linear maps repeat with the samples. The elements of a
// sample have no copies: a rotation moves some of them into the slots of the next sample.
std::optional<Layout> with_outermost_batch(const Shape& shape, Index slots) {
  const Index batch = padded(shape[0]);
  if (batch >= slots) return std::nullopt;
  Shape one = shape;
  one[0] = 1;
  const Layout sample = Layout::row_major(one, slots / batch);
  std::vector<layout::Digit> within = sample.within();
  if (within.size() > 1 && within[0].dim == layout::kReplica) {
    within[1].extent *= within[0].extent;
    within.erase(within.begin());
  }
  within.insert(within.begin(), {0, batch, 1, ""});
  return Layout(shape, sample.across(), std::move(within), sample.fill());
}

// Returns the dense layout with the dimensions in this order, outermost first, and with copies of what one element of
// the first dimension holds. The first dimension continues in further ciphertexts. None if the others do not fit one.
std::optional<Layout> in_order(const Shape& shape, const std::vector<int>& order, Index copies, Index slots) {
  const auto extent = [&](int dim) { return padded(shape[static_cast<std::size_t>(dim)]); };
  Index inner = copies;
  for (std::size_t k = 1; k < order.size(); ++k) inner *= extent(order[k]);
  if (inner > slots) return std::nullopt;
  const Index whole = extent(order[0]), inside = std::min(whole, slots / inner);
  std::vector<layout::Digit> across, within;
  if (inside < whole)
    across.push_back({order[0], (shape[static_cast<std::size_t>(order[0])] + inside - 1) / inside, inside, ""});
  if (inside * inner < slots) within.push_back({layout::kReplica, slots / (inside * inner), 1, ""});
  if (inside > 1) within.push_back({order[0], inside, 1, ""});
  if (copies > 1) within.push_back({layout::kReplica, copies, 1, ""});
  for (std::size_t k = 1; k < order.size(); ++k) within.push_back({order[k], extent(order[k]), 1, ""});
  return Layout(shape, std::move(across), std::move(within), {});
}

// The orders of the dimensions of lines, outermost first, beside the row-major one.
struct LineOrders {
  std::vector<std::vector<int>> orders;
  std::vector<std::vector<int>> copied;  // whose lines, the elements of the first dimension, may have copies
};

LineOrders line_orders(const Shape& shape) {
  std::vector<int> dims;
  for (std::size_t k = !shape.empty() && shape[0] > 1 ? 1 : 0; k < shape.size(); ++k)
    if (shape[k] > 1) dims.push_back(static_cast<int>(k));
  if (dims.size() == 2) return {{{dims[1], dims[0]}}, {dims}};
  if (dims.size() != 3) return {};
  const std::vector<int> lines_outermost{dims[1], dims[0], dims[2]};  // heads, lines, elements of a line
  return {{lines_outermost, {dims[0], dims[2], dims[1]}, {dims[2], dims[0], dims[1]}}, {lines_outermost}};
}

// Returns layouts of the lines of one sample, beside the row-major one: the elements of a line outermost, and copies of
// a line. The layers of a network then have their lines at equal distances, whatever their widths.
std::vector<Layout> layouts_of_lines(const Shape& shape, Index slots) {
  const auto [orders, copied] = line_orders(shape);
  std::vector<Layout> result;
  const auto add = [&](const std::vector<int>& order, Index copies) {
    if (auto layout = in_order(shape, order, copies, slots)) result.push_back(*std::move(layout));
  };
  for (const std::vector<int>& order : orders) add(order, 1);
  for (const std::vector<int>& order : copied)
    for (Index copies = 2; copies <= kMostCopiesOfLines; copies *= 2) add(order, copies);
  return result;
}

// Returns the same orders for a batch, with its samples outermost.
std::vector<Layout> lines_of_a_batch(const Shape& shape, Index slots) {
  std::vector<Layout> result;
  for (std::vector<int> order : line_orders(shape).orders) {
    order.insert(order.begin(), 0);
    if (auto layout = in_order(shape, order, 1, slots)) result.push_back(*std::move(layout));
  }
  return result;
}

}  // namespace

std::vector<Layout> candidate_layouts(const Shape& shape, Index slots, bool lines) {
  std::vector<Layout> result{Layout::row_major(shape, slots)};
  if (shape.size() > 1 && shape[0] > 1) {
    for (Layout& layout : with_innermost_batch(shape, slots, lines)) result.push_back(std::move(layout));
    if (auto layout = with_outermost_batch(shape, slots); layout && !layout->same_places(result.front()))
      result.push_back(*std::move(layout));
    if (lines)
      for (Layout& layout : lines_of_a_batch(shape, slots)) result.push_back(std::move(layout));
    return result;
  }
  if (lines)
    for (Layout& layout : layouts_of_lines(shape, slots)) result.push_back(std::move(layout));
  if (shape.size() != 4 || shape[0] != 1 || shape[1] * shape[2] * shape[3] == 1) return result;
  for (Index gap = 2; gap <= kLargestGap; gap *= 2) {
    const Index rows = padded(shape[2]) * gap, columns = padded(shape[3]) * gap;
    const Index outer = padded((shape[1] + gap * gap - 1) / (gap * gap));
    if (outer * rows * columns <= slots) result.push_back(Layout::multiplexed(shape, rows, columns, gap, slots));
  }
  return result;
}

std::vector<LayoutChoice> ChosenLayouts::choices() const {
  std::vector<LayoutChoice> result;
  for (std::size_t node = 0; node < values.size(); ++node) {
    LayoutChoice choice{values[node], {}, selection.options[node]};
    for (std::size_t k = 0; k < candidates[node].size(); ++k)
      choice.candidates.push_back({candidates[node][k], graph.cheapest_with(node, k).price});
    result.push_back(std::move(choice));
  }
  return result;
}

std::string to_text(const std::vector<LayoutChoice>& choices) {
  std::string text;
  for (const LayoutChoice& choice : choices)
    for (std::size_t k = 0; k < choice.candidates.size(); ++k)
      text += fmt::format("%{} {} {:.4g} s {}\n", choice.value, k == choice.chosen ? "*" : " ",
                          choice.candidates[k].price, choice.candidates[k].layout.to_string());
  return text;
}

std::string priced_shardings(const Network& network, const std::vector<LayoutChoice>& choices) {
  std::string text;
  for (const LayoutChoice& choice : choices) {
    const Value& value = network.values[choice.value];
    if (!value.sharding && value.offered.empty()) continue;
    text += fmt::format("'{}' ({}): {}\n{}", value.node, value.op,
                        value.sharding ? "fixed to " + value.sharding->to_string() : "free, with offers",
                        to_text(std::vector{choice}));
  }
  return text;
}

ChosenLayouts choose_layouts(const Network& network, Index slots, const MapPrice& price, const ArrayPrice& array_price,
                             const std::optional<FeatureGrid>& grid, const std::map<ValueId, Layout>& fixed,
                             const std::map<Shape, std::vector<Layout>>& offered) {
  return LayoutChooser(network, slots, price, array_price, grid, fixed, offered).run();
}

}  // namespace tacit::graph::passes
