#include "graph/slots/choose_layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <tuple>

#include "graph/slots/layout_classes.h"
#include "graph/slots/sharded_layouts.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using layout::Layout;

constexpr Index kLargestGap = 8;

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
                                     const std::optional<FeatureGrid>& grid, Readers readers) {
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
    for (Layout& layout : candidate_layouts(shape, slots)) result.push_back({std::move(layout)});
  for (const layout::ArraySharding& offered : value.offered)  // without those whose blocks do not fit here
    if (!offered.problem(shape, slots))
      std::ranges::move(in_blocks(value, offered, slots, map_on_grid, grid, readers), std::back_inserter(result));
  return result;
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

class LayoutChooser {
 public:
  LayoutChooser(const Network& network, Index slots, const MapPrice& price, const ArrayPrice& array_price,
                const std::optional<FeatureGrid>& grid)
      : network_(network),
        price_(price),
        array_price_(array_price),
        classes_(layout_classes(network)),
        affine_readers_(readers_of(network)),
        fills_(fills()) {
    for (ValueId id = 0; id < classes_.size(); ++id) {
      if (classes_[id] == id) candidates_[id] = candidates_of(network, id, slots, grid, affine_readers_[id]);
      members_[classes_[id]].push_back(id);
      if (const auto* affine = std::get_if<Affine>(&network.values[id].operation))
        for (std::size_t t = 0; t < affine->terms.size(); ++t)
          readers_[classes_[affine->terms[t].input]].push_back({id, t});
    }
    for (const auto& [source, edges] : readers_)
      for (const Edge& edge : edges) reads_[classes_[edge.value]].emplace_back(source, edge);
  }

  ChosenLayouts run() {
    std::map<ValueId, std::size_t> chosen;
    ChosenLayouts result;
    for (const auto& [id, layouts] : candidates_) {
      LayoutChoice choice{id, {}};
      for (std::size_t k = 0; k < layouts.size(); ++k) {
        double total = own_price(id, k) + onwards(id, k);
        if (const auto reads = reads_.find(id); reads != reads_.end())
          for (const auto& [source, edge] : reads->second)
            if (const auto from = chosen.find(source); from != chosen.end()) total += edge_price(edge, from->second, k);
        choice.candidates.push_back({layout_of(id, k), total});
        if (total < choice.candidates[choice.chosen].price) choice.chosen = k;
      }
      chosen[id] = choice.chosen;
      result.choices.push_back(std::move(choice));
    }
    for (ValueId id = 0; id < classes_.size(); ++id) result.layouts.push_back(layout_of(id, chosen.at(classes_[id])));
    return result;
  }

 private:
  // Returns the layout of a value in the k-th place of its class, with the contents out of range.
  Layout layout_of(ValueId id, std::size_t k) const {
    const Candidate& candidate = candidates_.at(classes_[id])[k];
    return candidate.layout.filled(candidate.beside.value_or(fills_[id]));
  }
  // Returns the contents out of range if there are no guards.
  std::vector<layout::Fill> fills() const {
    std::vector<layout::Fill> result;
    for (const Value& value : network_.values) {
      const std::vector<ValueId> reads = operands(value);
      const bool unknown =
          !std::holds_alternative<Affine>(value.operation) &&
          (std::holds_alternative<Function>(value.operation) ||
           std::ranges::any_of(reads, [&](ValueId read) { return result[read] == layout::Fill::unknown; }));
      result.push_back(unknown ? layout::Fill::unknown : layout::Fill::zero);
    }
    return result;
  }

  struct Edge {
    ValueId value;     // an affine value
    std::size_t term;  // one of its terms
  };

  // Returns the least price of everything that follows from a class in its k-th layout.
  double onwards(ValueId id, std::size_t k) {
    const auto [known, fresh] = onwards_.try_emplace({id, k}, 0);  // cuts circles of classes that read each other
    if (!fresh) return known->second;
    double total = 0;
    for (const Edge& edge : readers_[id]) {
      const ValueId next = classes_[edge.value];
      if (next == id) continue;
      double best = std::numeric_limits<double>::infinity();
      for (std::size_t n = 0; n < candidates_.at(next).size(); ++n)
        best = std::min(best, edge_price(edge, k, n) + own_price(next, n) + onwards(next, n));
      total += best;
    }
    return known->second = total;
  }

  // Returns the price of the values of a class that linear maps do not make.
  double own_price(ValueId id, std::size_t k) {
    const auto [known, fresh] = own_.try_emplace({id, k});
    if (fresh)
      for (const ValueId member : members_[id])
        if (!std::holds_alternative<Affine>(network_.values[member].operation))
          known->second += array_price_(member, candidates_.at(id)[k].layout.ciphertexts());
    return known->second;
  }

  double edge_price(const Edge& edge, std::size_t from, std::size_t to) {
    const auto [known, fresh] = prices_.try_emplace({edge.value, edge.term, from, to});
    if (!fresh) return known->second;
    const AffineTerm& term = std::get<Affine>(network_.values[edge.value].operation).terms[edge.term];
    const layout::LinearMap map{layout_of(term.input, from), layout_of(edge.value, to), term.op};
    return known->second = price_(map, edge.value);
  }

  const Network& network_;
  const MapPrice& price_;
  const ArrayPrice& array_price_;
  std::vector<ValueId> classes_;
  std::vector<Readers> affine_readers_;                   // by value
  std::vector<layout::Fill> fills_;                       // by value
  std::map<ValueId, std::vector<Candidate>> candidates_;  // by class
  std::map<ValueId, std::vector<ValueId>> members_;       // by class
  std::map<ValueId, std::vector<Edge>> readers_;          // by class
  std::map<ValueId, std::vector<std::pair<ValueId, Edge>>>
      reads_;  // by class: its operands' classes, and the edges from them
  std::map<std::pair<ValueId, std::size_t>, double> onwards_, own_;
  std::map<std::tuple<ValueId, std::size_t, std::size_t, std::size_t>, double> prices_;
};

// Returns layouts of one sample, with a slot for every sample of the batch in place of each slot.
std::vector<Layout> with_innermost_batch(const Shape& shape, Index slots) {
  const Index batch = padded(shape[0]);
  std::vector<Layout> result;
  if (batch >= slots) return result;
  Shape one = shape;
  one[0] = 1;
  for (const Layout& layout : candidate_layouts(one, slots / batch)) {
    std::vector<layout::Digit> within = layout.within();
    within.push_back({0, batch, 1, ""});
    result.emplace_back(shape, layout.across(), std::move(within), layout.fill());
  }
  return result;
}

}  // namespace

std::vector<Layout> candidate_layouts(const Shape& shape, Index slots) {
  std::vector<Layout> result{Layout::row_major(shape, slots)};
  if (shape.size() > 1 && shape[0] > 1) {
    for (Layout& layout : with_innermost_batch(shape, slots)) result.push_back(std::move(layout));
    return result;
  }
  if (shape.size() != 4 || shape[0] != 1 || shape[1] * shape[2] * shape[3] == 1) return result;
  for (Index gap = 2; gap <= kLargestGap; gap *= 2) {
    const Index rows = padded(shape[2]) * gap, columns = padded(shape[3]) * gap;
    const Index outer = padded((shape[1] + gap * gap - 1) / (gap * gap));
    if (outer * rows * columns <= slots) result.push_back(Layout::multiplexed(shape, rows, columns, gap, slots));
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
                             const std::optional<FeatureGrid>& grid) {
  return LayoutChooser(network, slots, price, array_price, grid).run();
}

}  // namespace tacit::graph::passes
