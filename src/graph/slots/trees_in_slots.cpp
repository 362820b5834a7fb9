#include "graph/slots/trees_in_slots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/naming.h"
#include "graph/attribute.h"
#include "graph/quant/feature_grids.h"
#include "graph/quant/split_inputs.h"
#include "graph/reference/run.h"
#include "graph/slots/slots_draft.h"
#include "graph/slots/tree_ways.h"
#include "graph/thermometer.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;
using quant::FeatureGrid;
using quant::FeatureGrids;

/// The most ways of an ensemble: some 16 ciphertexts of the largest ring for each factor.
constexpr std::size_t kMostWays = std::size_t{1} << 19;

/// The input of a network whose elements trees compare.
struct GridInput {
  FeatureGrid grid;
  std::size_t elements = 0;
  BoxBits form{};

  std::size_t boxes() const { return grid.points.size() / elements; }
  std::size_t bits() const { return form.count(); }  ///< of an element
  Shape shape() const { return {1, static_cast<Index>(elements * bits())}; }
  std::span<const double> points(std::size_t element) const {
    return std::span(grid.points).subspan(element * boxes(), boxes());
  }
};
using GridInputs = std::map<ValueId, GridInput>;

/// Returns digits of about equal size for a grid of many borders. They take one product and a level more, and a small
/// part of the bits.
BoxBits form_of(std::size_t borders) {
  constexpr std::size_t kMostOfOneDigit = 63;
  std::size_t digit = 0;
  if (borders > kMostOfOneDigit)
    for (digit = 2; digit * digit <= borders; digit *= 2) {
    }
  return {borders, digit};
}

/// Gives trees a separate input if other operators read the same input.
void split_inputs(SlotsDraft& draft, const FeatureGrids& grids) {
  Graph& encrypted = draft.parties.encrypted;
  ClientParts& client = draft.parties.client;
  const quant::ValueRoundings roundings = quant::roundings_of(draft.network, encrypted);
  for (const std::size_t origin : quant::split_shared_inputs(draft.network, grids, roundings)) {
    std::vector<TensorId>& made = client.before.outputs;  // those that are kept come last
    made.insert(made.end() - static_cast<std::ptrdiff_t>(client.kept), TensorId{made.at(origin)});
    encrypted.inputs.push_back(encrypted.inputs.at(origin));
    for (std::vector<Tensor>& sample : draft.options.calibration) sample.push_back(sample.at(origin));
  }
}

TensorId add_tensor(Graph& graph, std::string name, Shape shape) {
  graph.tensors.push_back({.name = std::move(name), .shape = std::move(shape)});
  return static_cast<TensorId>(graph.tensors.size() - 1);
}

/// Lets the client compare the elements of an encrypted tensor with its grid, and the encrypted model read bits.
void encrypt_bits(SlotsDraft& draft, std::size_t position, const GridInput& input) {
  Graph &encrypted = draft.parties.encrypted, &before = draft.parties.client.before;
  const TensorId features = encrypted.inputs.at(position);
  const std::string name = encrypted.tensors[features].name + ".bits";
  const Shape shape = input.shape();
  const TensorId bits = add_tensor(encrypted, name, shape);
  encrypted.nodes.insert(encrypted.nodes.begin(), {kGridPointsOp,
                                                   name,
                                                   {bits},
                                                   {features},
                                                   grid_points_attributes(encrypted.tensors[features].shape,
                                                                          input.grid.points, input.form.digit)});
  encrypted.inputs[position] = bits;
  const TensorId compared = add_tensor(before, name, shape);
  before.nodes.push_back({kThermometerOp,
                          name,
                          {before.outputs.at(position)},
                          {compared},
                          thermometer_attributes(input.grid.borders, input.form.digit)});
  before.outputs[position] = compared;
  draft.parties.client.nodes.push_back(
      {name, kThermometerOp, true, static_cast<std::int64_t>(input.grid.borders.rising.size())});
  for (std::vector<Tensor>& sample : draft.options.calibration) {
    const Tensor* const operands[] = {&sample.at(position)};
    sample[position] = reference::evaluate(before, before.nodes.back(), operands).at(0);
  }
}

/// Lets the client round scores that are whole numbers, such as votes. Noise would decide between equal scores.
void round_whole_scores(SlotsDraft& draft) {
  Graph& after = draft.parties.client.after;
  for (std::size_t o = 0; o < draft.network.outputs.size(); ++o) {
    const auto* trees = std::get_if<Trees>(&draft.network.values[draft.network.outputs[o]].operation);
    if (trees == nullptr || !has_whole_scores(*trees->ensemble)) continue;
    const TensorId scores = after.inputs.at(o);
    const std::string name = after.tensors[scores].name + ".decrypted";
    const TensorId decrypted = add_tensor(after, name, after.tensors[scores].shape);
    after.nodes.insert(after.nodes.begin(), {"Round", name, {decrypted}, {scores}, {}});
    after.inputs[o] = decrypted;
  }
}

/// Writes the network with bits in place of features.
class TreeRewriter {
 public:
  TreeRewriter(const SlotsDraft& draft, const FeatureGrids& grids, const GridInputs& inputs)
      : network_(draft.network),
        encrypted_(draft.parties.encrypted),
        grids_(grids),
        inputs_(inputs),
        batch_(draft.options.batch.value_or(1)) {}

  Network run() {
    names_.resize(network_.values.size());
    for (ValueId id = 0; id < network_.values.size(); ++id) {
      const Value& value = network_.values[id];
      if (inputs_.contains(id)) {
        names_[id] = add_bits(value, inputs_.at(id));
      } else if (std::holds_alternative<Trees>(value.operation)) {
        names_[id] = base::naming(fmt::format("node '{}'", value.node), [&] { return add_trees(id); });
      } else if (!grids_.is_folded(id)) {
        names_[id] = result_.add(renamed(value, names_));
      }
    }
    for (const ValueId id : network_.outputs) result_.outputs.push_back(names_[id]);
    return std::move(result_);
  }

 private:
  ValueId add_bits(Value value, const GridInput& input) {
    const std::size_t position = std::get<Private>(value.operation).input;
    value.shape = input.shape();
    value.range = {0, 1};
    value.element_ranges.assign(static_cast<std::size_t>(value.shape[1]), Range{0, 1});
    value.tensor = encrypted_.inputs.at(position);
    return result_.add(std::move(value));
  }

  ValueId add_trees(ValueId id) {
    const TreeEnsemble& ensemble = *std::get<Trees>(network_.values[id].operation).ensemble;
    const std::vector<std::optional<FeatureGrids::Place>> places = grids_.places(id);
    std::map<std::int64_t, std::vector<double>> numbers;  // by feature, of its boxes
    const TreeWays ways = tree_ways(
        ensemble,
        [&](const TreeNode& node) {
          const FeatureGrids::Place& place = places.at(static_cast<std::size_t>(node.feature)).value();
          std::vector<double>& of = numbers[node.feature];
          if (of.empty())
            of = grids_.feature_numbers(id, static_cast<std::size_t>(node.feature),
                                        inputs_.at(place.input).points(place.element));
          NodeOnGrid on_grid{number_of(place), {}};
          for (const double number : of) on_grid.goes_yes.push_back(node.goes_yes(number) ? 1 : 0);
          return on_grid;
        },
        kMostWays);
    if (ways.ways.empty())
      base::refuse(
          "all inputs get the same scores, so that there is nothing to compute on encrypted values; replace it "
          "by a constant");
    return ways.base.size() == 1 && ways.longest() > 1 ? add_score(id, ways) : add_scores(id, ways);
  }

  /// Numbers elements of all inputs.
  std::size_t number_of(const FeatureGrids::Place& place) {
    const auto [found, fresh] = numbers_.try_emplace({place.input, place.element}, elements_.size());
    if (fresh) elements_.push_back(place);
    return found->second;
  }

  template <class Operation>
  Value value_of(ValueId trees, Operation operation, Shape shape) const {
    return {std::move(operation), std::move(shape), network_.values[trees].node, network_.values[trees].op,
            Range{0, 1}};
  }

  /// Adds a value with the d-th factors of all ways as part d. A way with fewer factors has ones. The factors of the
  /// first part are multiplied by `weights`, by way.
  ValueId add_factors(ValueId trees, const std::vector<TreeWay>& ways, Index parts,
                      const std::vector<double>& weights) {
    const auto count = static_cast<Index>(ways.size());
    const Shape shape = parts == 1 ? Shape{1, count} : Shape{1, parts, count};
    std::vector<double> bias(static_cast<std::size_t>(parts * count), 1.0);
    std::ranges::copy(weights, bias.begin());
    // Calls add(border, change of the factor beyond it) for a row that reads an input. Sets the row's bias.
    const auto changes_of = [&](Index row, ValueId input, const auto& add) {
      const TreeWay& way = ways[static_cast<std::size_t>(row % count)];
      const auto part = static_cast<std::size_t>(row / count);
      if (part >= way.factors.size()) return;
      const FeatureGrids::Place& place = elements_[way.factors[part].place];
      if (place.input != input) return;
      const std::vector<char>& holds = way.factors[part].holds;
      const double weight = part == 0 ? weights[static_cast<std::size_t>(row % count)] : 1.0;
      bias[static_cast<std::size_t>(row)] = holds[0] != 0 ? weight : 0.0;
      for (std::size_t k = 1; k < holds.size(); ++k)
        if (holds[k] != holds[k - 1]) add(place.element, k, holds[k] > holds[k - 1] ? weight : -weight);
    };
    Affine affine;
    for (const auto& [input, grid] : inputs_) {
      std::map<std::pair<std::size_t, std::size_t>, Index> products;  // by element and border: the column
      for (Index row = 0; row < parts * count; ++row)
        changes_of(row, input, [&](std::size_t element, std::size_t border, double) {
          if (grid.form.needs_product(border)) products.try_emplace({element, border}, 0);
        });
      Index column = 0;
      for (auto& [border, of] : products) of = column++;
      auto of_bits = std::make_shared<layout::SparseRows>(grid.shape(), shape, [&](Index row, layout::RowEntries& to) {
        changes_of(row, input, [&](std::size_t element, std::size_t border, double change) {
          if (const auto bit = grid.form.bit_of(border))
            to.add(static_cast<Index>(element * grid.bits() + *bit), change);
        });
        to.merge();
      });
      if (!layout::has_no_entries(*of_bits)) affine.terms.push_back({names_[input], std::move(of_bits)});
      if (products.empty()) continue;
      auto of_products =
          std::make_shared<layout::SparseRows>(Shape{1, column}, shape, [&](Index row, layout::RowEntries& to) {
            changes_of(row, input, [&](std::size_t element, std::size_t border, double change) {
              if (const auto found = products.find({element, border}); found != products.end())
                to.add(found->second, change);
            });
          });
      affine.terms.push_back({add_products(trees, input, grid, products), std::move(of_products)});
    }
    affine.bias = layout::RepeatedReals::of(bias);
    Value factors = value_of(trees, std::move(affine), shape);
    factors.range = {-1, 1};
    return result_.add(std::move(factors));
  }

  /// Adds a value with the products of digits for some borders of an input, by element and border.
  ValueId add_products(ValueId trees, ValueId input, const GridInput& grid,
                       const std::map<std::pair<std::size_t, std::size_t>, Index>& borders) {
    const auto count = static_cast<Index>(borders.size());
    const Shape shape{1, 2, count};
    std::vector<std::pair<std::size_t, std::size_t>> listed;
    for (const auto& [border, column] : borders) listed.push_back(border);
    std::vector<double> bias(static_cast<std::size_t>(2 * count), 0.0);
    auto op = std::make_shared<layout::SparseRows>(grid.shape(), shape, [&](Index row, layout::RowEntries& to) {
      const auto& [element, border] = listed[static_cast<std::size_t>(row % count)];
      const std::size_t first = element * grid.bits(), high = border / grid.form.digit;
      if (row >= count) {
        to.add(static_cast<Index>(first + grid.form.high() + border % grid.form.digit - 1), 1);
        return;
      }
      if (high == 0) bias[static_cast<std::size_t>(row)] = 1;
      if (high > 0) to.add(static_cast<Index>(first + high - 1), 1);
      if (high < grid.form.high()) to.add(static_cast<Index>(first + high), -1);
    });
    Affine affine;
    affine.terms.push_back({names_[input], std::move(op)});
    affine.bias = layout::RepeatedReals::of(bias);
    const ValueId digits = result_.add(value_of(trees, std::move(affine), shape));
    return result_.add(value_of(trees, PartsProduct{digits, 2}, {1, count}));
  }

  /// Adds the only score of trees: the sum of the products, whose first factors have the weights of the ways. The sum
  /// needs no level. The base score is several ways that all inputs take, so that no weight is much larger than others.
  ValueId add_score(ValueId trees, const TreeWays& ways) {
    std::vector<TreeWay> all = ways.ways;
    double most = 0;
    for (const TreeWay& way : all) most = std::max(most, std::abs(way.weights[0]));
    if (const double base = ways.base[0]; base != 0) {
      const auto count = static_cast<Index>(all.size());
      const auto free = static_cast<double>(layout::next_power_of_two(count + 1) - count);
      const double times = std::clamp(std::ceil(std::abs(base) / most), 1.0, free);
      all.resize(all.size() + static_cast<std::size_t>(times), {0, {}, {base / times}});
      most = std::max(most, std::abs(base / times));
    }
    // The stored score is at most 1, which every parameter set decrypts.
    most = std::max(most, ways.range(0).bound());
    std::vector<double> weights;
    for (const TreeWay& way : all) weights.push_back(way.weights[0] / most);
    const Index parts = parts_of(static_cast<Index>(ways.longest()), static_cast<Index>(all.size()));
    Value score = network_.values[trees];
    score.operation = PartsProduct{add_factors(trees, all, parts, weights), parts, true, most};
    score.range = ways.range(0);
    return result_.add(std::move(score));
  }

  /// Returns the number of parts. A power of two lets parts share ciphertexts, and adds parts of ones. A large batch
  /// fills ciphertexts in any case.
  Index parts_of(Index longest, Index ways) const {
    constexpr Index kFewSlots = 8192;
    const Index even = layout::next_power_of_two(longest);
    return ways * batch_ <= kFewSlots ? even : longest;
  }

  /// Adds the scores of several targets: a linear map of the products.
  ValueId add_scores(ValueId trees, const TreeWays& ways) {
    const auto count = static_cast<Index>(ways.ways.size());
    const Index parts = parts_of(static_cast<Index>(ways.longest()), count);
    ValueId taken = add_factors(trees, ways.ways, parts, std::vector<double>(ways.ways.size(), 1.0));
    if (parts > 1) taken = result_.add(value_of(trees, PartsProduct{taken, parts}, {1, count}));
    Value scores = network_.values[trees];
    const Shape taken_shape = result_.values[taken].shape;
    Affine affine;
    affine.terms.push_back(
        {taken, std::make_shared<layout::SparseRows>(
                    taken_shape, scores.shape, [&](Index target, layout::RowEntries& entries) {
                      for (std::size_t w = 0; w < ways.ways.size(); ++w)
                        if (const double weight = ways.ways[w].weights[static_cast<std::size_t>(target)]; weight != 0)
                          entries.add(static_cast<Index>(w), weight);
                    })});
    affine.bias = layout::RepeatedReals::of(ways.base);
    for (std::size_t t = 0; t < ways.base.size(); ++t) scores.range.include(ways.range(t));
    scores.operation = std::move(affine);
    return result_.add(std::move(scores));
  }

  const Network& network_;
  const Graph& encrypted_;
  const FeatureGrids& grids_;
  const GridInputs& inputs_;
  Index batch_;
  Network result_;
  std::vector<ValueId> names_;                                      // by value of the network
  std::map<std::pair<ValueId, std::size_t>, std::size_t> numbers_;  // of elements of inputs
  std::vector<FeatureGrids::Place> elements_;                       // by number
};

void require_grids(const Network& network, const FeatureGrids& grids) {
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const Value& value = network.values[id];
    const auto* trees = std::get_if<Trees>(&value.operation);
    if (trees == nullptr || grids.covers(id)) continue;
    const bool compares = std::ranges::any_of(trees->ensemble->trees, [](const Tree& tree) { return !tree[0].leaf; });
    if (!compares)
      base::refuse(
          "node '{}': all its trees are single leaves, so that it is a constant and there is nothing to compute "
          "on encrypted values; replace it by that constant",
          value.node);
    base::refuse(
        "node '{}': its trees compare features that the server computes on encrypted values, and in slots the "
        "client compares the features before it encrypts: compile with --scheme tfhe",
        value.node);
  }
}

}  // namespace

bool encrypts_bits_alone(const SlotsDraft& draft) {
  const Graph& encrypted = draft.parties.encrypted;
  return std::ranges::all_of(encrypted.inputs, [&](TensorId id) {
    return std::ranges::any_of(encrypted.nodes,
                               [&](const Node& node) { return node.op == kGridPointsOp && node.inputs.at(0) == id; });
  });
}

void put_trees_in_slots(SlotsDraft& draft) {
  if (program::count_of<Trees>(draft.network.values) == 0) return;
  CompileOptions& options = draft.options;
  const auto grids_of = [&] {
    return FeatureGrids(draft.network, options.calibration,
                        quant::roundings_of(draft.network, draft.parties.encrypted));
  };
  split_inputs(draft, grids_of());
  const FeatureGrids grids = grids_of();
  require_grids(draft.network, grids);
  round_whole_scores(draft);
  // Tensors of later passes have ids that new tensors of the encrypted model take.
  for (Value& value : draft.network.values)
    if (value.tensor >= draft.parties.encrypted.tensors.size()) value.tensor = kNoTensor;
  GridInputs inputs;
  bool bits_alone = true;
  for (ValueId id = 0; id < draft.network.values.size(); ++id) {
    const Value& value = draft.network.values[id];
    const auto* input = std::get_if<Private>(&value.operation);
    if (input == nullptr) continue;
    bits_alone = bits_alone && grids.has(id);
    if (!grids.has(id)) continue;
    GridInput& made = inputs[id];
    made = {grids.grid(id, options.feature_bits), static_cast<std::size_t>(element_count(value.shape))};
    made.form = form_of(borders_of_bits(made.grid.borders));
    encrypt_bits(draft, input->input, made);
  }
  if (bits_alone)
    options.input_range = {0, 1};
  else if (options.input_range)
    options.input_range = {std::min(options.input_range->first, 0.0), std::max(options.input_range->second, 1.0)};
  draft.network = TreeRewriter(draft, grids, inputs).run();
}

}  // namespace tacit::graph::passes
