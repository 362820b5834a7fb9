#include "graph/quant/feature_grids.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <set>

namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Trees;
using passes::ValueId;

/// The numbers of a format in their order, as consecutive whole numbers.
class Numbers {
 public:
  explicit Numbers(bool single) : single_(single) {}

  std::int64_t place(double number) const {
    const std::int64_t bits = single_ ? std::int64_t{std::bit_cast<std::int32_t>(static_cast<float>(number))}
                                      : std::bit_cast<std::int64_t>(number);
    return bits < 0 ? (single_ ? std::int64_t{std::numeric_limits<std::int32_t>::min()}
                               : std::numeric_limits<std::int64_t>::min()) -
                          bits
                    : bits;
  }
  double at(std::int64_t place) const {
    if (single_) {
      const auto bits =
          static_cast<std::int32_t>(place < 0 ? std::int64_t{std::numeric_limits<std::int32_t>::min()} - place : place);
      return static_cast<double>(std::bit_cast<float>(bits));
    }
    return std::bit_cast<double>(place < 0 ? std::numeric_limits<std::int64_t>::min() - place : place);
  }
  double most() const {
    return single_ ? static_cast<double>(std::numeric_limits<float>::max()) : std::numeric_limits<double>::max();
  }
  /// Returns the largest number of the format that is at most this one.
  double floor(double number) const {
    if (!single_) return number;
    const auto nearest = static_cast<float>(number);
    return static_cast<double>(nearest) <= number
               ? static_cast<double>(nearest)
               : static_cast<double>(std::nextafter(nearest, -std::numeric_limits<float>::infinity()));
  }
  double below(double number) const {
    const double least = floor(number);
    return least < number ? least : at(place(number) - 1);
  }

 private:
  bool single_;
};

/// A change of a comparison at a threshold. It is the upper end of the numbers below the change.
struct Change {
  bool reaches = false;  ///< true if the threshold itself is beyond the change
  double threshold = 0;
  auto operator<=>(const Change&) const = default;

  bool lies_beyond(double number) const { return reaches ? number >= threshold : number > threshold; }
};

std::vector<Change> changes_of(const TreeNode& node) {
  switch (node.comparison) {
    case Comparison::at_most:
    case Comparison::above: return {{false, node.threshold}};
    case Comparison::below:
    case Comparison::at_least: return {{true, node.threshold}};
    case Comparison::equal:
    case Comparison::not_equal: return {{true, node.threshold}, {false, node.threshold}};
  }
  return {};
}

/// Returns numbers at which a chain may turn: the samples' numbers, numbers around them, and numbers of all magnitudes.
std::vector<double> probes(std::span<const double> shown, const Numbers& numbers) {
  constexpr std::size_t kMostShown = 2048;
  constexpr int kAround = 256, kLeast = -40, kMost = 120;
  std::set<double> all{-numbers.most(), 0, numbers.most()};
  for (int power = kLeast; power <= kMost; ++power)
    for (const double sign : {-1.0, 1.0}) all.insert(sign * std::ldexp(1.0, power));
  const std::size_t every = std::max<std::size_t>(1, shown.size() / kMostShown);
  for (std::size_t i = 0; i < shown.size(); i += every) all.insert(numbers.floor(shown[i]));
  if (!shown.empty()) {
    const double width = shown.back() - shown.front();
    for (int i = 0; i <= kAround; ++i) all.insert(numbers.floor(shown.front() - width / 2 + 2 * width * i / kAround));
  }
  return {all.begin(), all.end()};
}

/// Returns by change all borders that are found. Between two borders, the chain's numbers stay on one side of the
/// change.
std::vector<std::vector<double>> borders_of(const FeatureChain& chain, const std::vector<Change>& changes,
                                            std::span<const double> shown, const Numbers& numbers) {
  std::vector<std::vector<double>> borders(changes.size());
  if (chain.is_identity()) {
    for (std::size_t c = 0; c < changes.size(); ++c) {
      const double threshold = changes[c].threshold;
      borders[c] = {changes[c].reaches ? numbers.below(threshold) : numbers.floor(threshold)};
    }
    return borders;
  }
  struct Search {
    std::size_t change;
    std::int64_t low, high;
    bool side;  ///< side of the lower end
  };
  std::vector<Search> searches;
  const std::vector<double> at = probes(shown, numbers), made = chain(at);
  for (std::size_t c = 0; c < changes.size(); ++c)
    for (std::size_t i = 0; i + 1 < at.size(); ++i) {
      const bool side = changes[c].lies_beyond(made[i]);
      if (side != changes[c].lies_beyond(made[i + 1]))
        searches.push_back({c, numbers.place(at[i]), numbers.place(at[i + 1]), side});
    }
  for (bool open = true; open;) {
    open = false;
    std::vector<double> middles;
    for (const Search& search : searches)
      middles.push_back(numbers.at(
          search.low + static_cast<std::int64_t>(
                           (static_cast<std::uint64_t>(search.high) - static_cast<std::uint64_t>(search.low)) / 2)));
    const std::vector<double> found = chain(middles);
    for (std::size_t s = 0; s < searches.size(); ++s) {
      Search& search = searches[s];
      const std::int64_t middle = numbers.place(middles[s]);
      if (middle == search.low) continue;
      (changes[search.change].lies_beyond(found[s]) == search.side ? search.low : search.high) = middle;
      open = true;
    }
  }
  for (const Search& search : searches) borders[search.change].push_back(numbers.at(search.low));
  return borders;
}

/// Returns by node the difference of the leaves below it, in the target with the largest difference.
std::vector<double> spreads(const Tree& tree, std::size_t targets) {
  std::vector<double> result(tree.size(), 0.0);
  for (std::size_t target = 0; target < targets; ++target) {
    std::vector<double> least(tree.size()), most(tree.size());
    for (std::size_t at = tree.size(); at-- > 0;) {
      const TreeNode& node = tree[at];
      least[at] = node.leaf ? node.weight_of(target) : std::min(least[node.yes], least[node.no]);
      most[at] = node.leaf ? least[at] : std::max(most[node.yes], most[node.no]);
      result[at] = std::max(result[at], most[at] - least[at]);
    }
  }
  return result;
}

void add_to_digest(base::Sha256& digest, double number) { digest.update(std::as_bytes(std::span(&number, 1))); }

}  // namespace

/// True if missing values have a separate integer, because some trees answer them like neither end.
bool FeatureGrids::tells_missing(const std::vector<Element>& elements) {
  return std::ranges::any_of(elements, [](const Element& e) { return !e.missing_is_least && !e.missing_is_most; });
}

FeatureGrids::FeatureGrids(const Network& network, const std::vector<std::vector<Tensor>>& samples,
                           const ValueRoundings& roundings) {
  find_readings(network, roundings);
  if (!readings_.empty()) collect(network, samples);
}

void FeatureGrids::find_readings(const Network& network, const ValueRoundings& roundings) {
  for (ValueId id = 0; id < network.values.size(); ++id) {
    const auto* trees = std::get_if<Trees>(&network.values[id].operation);
    if (trees == nullptr) continue;
    Reading reading(static_cast<std::size_t>(trees->ensemble->features));
    bool resolved = true, reads = false;
    for (const Tree& tree : trees->ensemble->trees)
      for (const TreeNode& node : tree) {
        if (node.leaf || !resolved) continue;
        std::optional<FeatureChain>& chain = reading[static_cast<std::size_t>(node.feature)];
        if (!chain) chain = FeatureChain::of(network, roundings, trees->input, node.feature);
        resolved = chain && chain->input();
        reads = true;
      }
    if (resolved && reads) readings_.emplace(id, std::move(reading));
  }
  // Inputs that other values need have no such grid. Their trees then read them as other inputs.
  std::vector<char> computed;
  for (bool settled = false; !settled;) {
    settled = true;
    computed.assign(network.values.size(), 0);
    for (const ValueId output : network.outputs) computed[output] = 1;
    for (auto id = static_cast<ValueId>(network.values.size()); id-- > 0;) {
      const bool trees = std::holds_alternative<Trees>(network.values[id].operation);
      if ((trees && !covers(id)) || (!trees && computed[id] != 0))
        for (const ValueId operand : passes::operands(network.values[id])) computed[operand] = 1;
    }
    for (auto at = readings_.begin(); at != readings_.end();) {
      const bool shared = std::ranges::any_of(at->second, [&](const std::optional<FeatureChain>& chain) {
        return chain && computed[*chain->input()] != 0;
      });
      settled = settled && !shared;
      at = shared ? readings_.erase(at) : std::next(at);
    }
  }
  folded_.assign(network.values.size(), 0);
  for (auto id = static_cast<ValueId>(network.values.size()); id-- > 0;)
    if (covers(id) || folded_[id] != 0)
      for (const ValueId operand : passes::operands(network.values[id]))
        folded_[operand] = computed[operand] == 0 ? 1 : 0;
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (folded_[id] != 0 && std::holds_alternative<passes::Private>(network.values[id].operation)) folded_[id] = 0;
}

void FeatureGrids::collect(const Network& network, const std::vector<std::vector<Tensor>>& samples) {
  base::Sha256 digest;
  // By place and chain, the comparisons of trees with it.
  struct Asked {
    std::map<Change, double> weights{};
    std::vector<const TreeNode*> nodes{};
  };
  std::map<Place, std::map<const FeatureChain*, Asked>> asked;
  for (const auto& [id, reading] : readings_) {
    const TreeEnsemble& ensemble = *std::get<Trees>(network.values[id].operation).ensemble;
    for (const Tree& tree : ensemble.trees) {
      const std::vector<double> weights = spreads(tree, ensemble.targets());
      for (std::size_t at = 0; at < tree.size(); ++at) {
        for (const auto& [target, weight] : tree[at].weights) add_to_digest(digest, weight);
        if (tree[at].leaf) continue;
        add_to_digest(digest, tree[at].threshold);
        const FeatureChain& chain = *reading[static_cast<std::size_t>(tree[at].feature)];
        Asked& of = asked[{*chain.input(), static_cast<std::size_t>(chain.element())}][&chain];
        for (const Change& change : changes_of(tree[at])) of.weights[change] += weights[at];
        of.nodes.push_back(&tree[at]);
        single_[*chain.input()] = chain.format() == graph::FloatFormat::float32;
      }
    }
  }
  seed_ = digest.finish();
  for (const auto& [input, single] : single_) {
    const passes::Value& value = network.values[input];
    const std::size_t place = std::get<passes::Private>(value.operation).input;
    elements_[input].resize(static_cast<std::size_t>(layout::element_count(value.shape)));
    for (std::size_t e = 0; e < elements_[input].size(); ++e) {
      Element& element = elements_[input][e];
      for (const std::vector<Tensor>& sample : samples)
        if (const double number = sample.at(place).data.at(e); std::isfinite(number)) element.shown.push_back(number);
      std::ranges::sort(element.shown);
      const auto found = asked.find({input, e});
      if (found == asked.end()) continue;
      const Numbers numbers(single);
      std::map<double, double> weights;
      for (const auto& [chain, of] : found->second) {
        std::vector<Change> changes;
        for (const auto& [change, weight] : of.weights) changes.push_back(change);
        const std::vector<std::vector<double>> borders = borders_of(*chain, changes, element.shown, numbers);
        for (std::size_t c = 0; c < changes.size(); ++c)
          for (const double border : borders[c]) weights[border] += of.weights.at(changes[c]);
        const std::vector<double> ends =
            (*chain)(std::vector<double>{-numbers.most(), numbers.most(), std::numeric_limits<double>::quiet_NaN()});
        for (const TreeNode* node : of.nodes) {
          const bool missing = node->goes_yes(ends[2]);
          element.missing_is_least = element.missing_is_least && missing == node->goes_yes(ends[0]);
          element.missing_is_most = element.missing_is_most && missing == node->goes_yes(ends[1]);
        }
      }
      for (const auto& [border, weight] : weights)
        if (std::isfinite(border)) element.candidates.push_back({border, weight});
    }
  }
}

FeatureGrid FeatureGrids::grid(ValueId input, int bits) const {
  if (const auto taken = taken_.find({input, bits}); taken != taken_.end()) return taken->second;
  const std::vector<Element>& elements = elements_.at(input);
  const std::size_t integers = std::size_t{1} << bits;
  const bool own = tells_missing(elements);
  const std::size_t count = integers - (own ? 2 : 1);
  FeatureGrid grid;
  grid.borders.single = single_.at(input);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const Element& element = elements[e];
    ChosenBorders chosen = choose_borders(element.candidates, element.shown, count, grid.borders.single, seed_,
                                          (std::uint64_t{input} << 32) + e);
    grid.borders.rising.insert(grid.borders.rising.end(), chosen.borders.begin(), chosen.borders.end());
    grid.borders.missing.push_back(static_cast<std::int64_t>(own || element.missing_is_most ? integers - 1 : 0));
    if (own) chosen.points.push_back(std::numeric_limits<double>::quiet_NaN());
    grid.points.insert(grid.points.end(), chosen.points.begin(), chosen.points.end());
  }
  return grid;
}

bool FeatureGrids::take(ValueId input, int bits, const std::vector<double>& borders,
                        const std::vector<double>& points) {
  const std::vector<Element>& elements = elements_.at(input);
  const std::size_t integers = std::size_t{1} << bits;
  const bool own = tells_missing(elements);
  const std::size_t count = integers - (own ? 2 : 1);
  if (borders.size() != count * elements.size() || points.size() != (count + 1) * elements.size()) return false;
  FeatureGrid grid;
  grid.borders.single = single_.at(input);
  const Numbers numbers(grid.borders.single);
  for (std::size_t e = 0; e < elements.size(); ++e) {
    const std::span of_element = std::span(borders).subspan(e * count, count);
    if (!std::ranges::is_sorted(of_element) ||
        std::ranges::any_of(of_element, [&](double border) { return numbers.floor(border) != border; }))
      return false;
    grid.borders.missing.push_back(static_cast<std::int64_t>(own || elements[e].missing_is_most ? integers - 1 : 0));
    const std::span own_points = std::span(points).subspan(e * (count + 1), count + 1);
    grid.points.insert(grid.points.end(), own_points.begin(), own_points.end());
    if (own) grid.points.push_back(std::numeric_limits<double>::quiet_NaN());
  }
  grid.borders.rising = borders;
  taken_.insert_or_assign({input, bits}, std::move(grid));
  return true;
}

std::vector<std::optional<FeatureGrids::Place>> FeatureGrids::places(ValueId trees) const {
  std::vector<std::optional<Place>> result;
  for (const std::optional<FeatureChain>& chain : readings_.at(trees))
    result.push_back(chain ? std::optional(Place{*chain->input(), static_cast<std::size_t>(chain->element())})
                           : std::nullopt);
  return result;
}

std::vector<double> FeatureGrids::feature_numbers(ValueId trees, std::size_t feature,
                                                  std::span<const double> numbers) const {
  return (*readings_.at(trees).at(feature))(numbers);
}

}  // namespace tacit::graph::quant
