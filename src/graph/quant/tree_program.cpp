#include "graph/quant/tree_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/naming.h"
#include "graph/quant/tree_lookups.h"
#include "layout/operators/movement.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::quant {
namespace {

using integers::Instruction;
using integers::kMessageBits;
using layout::Index;

/// Bits that the sum of all trees has, and that a leaf has at least and at most.
constexpr int kSumBits = 10, kLeastLeafBits = 4, kMostLeafBits = 8;

class TreeProgram {
 public:
  TreeProgram(integers::Program& program, const TreeEnsemble& ensemble, const ScoreReaders& readers,
              const std::string& node)
      : program_(program), ensemble_(ensemble), readers_(readers), node_(node) {}

  /// What boxes cannot tell apart: a sentence for every feature with thresholds that all its boxes answer alike, and
  /// one where different thresholds of a feature lie between the same two values of its grid.
  std::vector<std::string> warnings(const std::vector<double>& points) const {
    std::map<std::int64_t, Alike> by_feature;
    // By feature and by the values of its grid that lie beyond.
    std::map<std::pair<std::int64_t, std::vector<char>>, std::set<double>> gaps;
    for (const Tree& tree : ensemble_.trees)
      for (const TreeNode& tree_node : tree) {
        if (tree_node.leaf) continue;
        std::vector<char> holds = answers(tree_node, grid_of(points, tree_node.feature));
        if (std::ranges::adjacent_find(holds, std::not_equal_to<>()) == holds.end()) {
          Alike& alike = by_feature[tree_node.feature];
          ++alike.thresholds;
          alike.range.include(tree_node.threshold);
          continue;
        }
        if (holds[0])
          for (char& one : holds) one = one ? 0 : 1;
        gaps[{tree_node.feature, std::move(holds)}].insert(tree_node.threshold);
      }
    std::vector<std::string> sentences;
    for (const auto& [feature, alike] : by_feature)
      sentences.push_back(to_text(feature, alike, grid_of(points, feature)));
    std::size_t all = 0, joined = 0;
    for (const auto& [gap, thresholds] : gaps) {
      all += thresholds.size();
      if (thresholds.size() > 1) joined += thresholds.size();
    }
    if (joined > 0)
      sentences.push_back(
          fmt::format("node '{}': {} of {} thresholds lie between the same two values of their feature's grid as "
                      "another, so that they are one to the program; more bits (--bits) tell more of them apart",
                      node_, joined, all));
    return sentences;
  }

  Made add(integers::ValueId features, const std::vector<double>& points) {
    parts_ = base::naming(fmt::format("node '{}'", node_), [&] {
      return cut_trees(ensemble_, program_.bits, [&](const TreeNode& tree_node) {
        return answers(tree_node, grid_of(points, tree_node.feature));
      });
    });
    if (parts_.conditions.empty())
      base::refuse(
          "node '{}': all its trees are single leaves, so that it is a constant and there is nothing to "
          "compute on encrypted values; replace it by that constant",
          node_);
    choose_targets();
    const integers::ValueId answers = add_conditions(features);
    const integers::ValueId arguments = add_arguments(answers);
    return add_sums(add_leaves(arguments));
  }

 private:
  /// Thresholds of a feature that no two of its boxes answer differently.
  struct Alike {
    std::size_t thresholds = 0;
    Range range;
  };

  std::string to_text(std::int64_t feature, const Alike& alike, std::span<const double> grid) const {
    return fmt::format(
        "node '{}': {} of feature {} ({:.4g} to {:.4g}) {} no two of the {} values of its grid ({:.4g} to {:.4g}) "
        "apart, so that all inputs get one answer; {}",
        node_, alike.thresholds == 1 ? "a threshold" : fmt::format("{} thresholds", alike.thresholds), feature,
        alike.range.lowest, alike.range.highest, alike.thresholds == 1 ? "tells" : "tell", grid.size(), grid.front(),
        grid.back(),
        alike.range.lowest < grid.front() || alike.range.highest > grid.back()
            ? "give calibration data in which more than a hundredth of the rows lie beyond them, or an --input-range "
              "that covers them"
            : "take more bits (--bits)");
  }

  /// What the boxes of a feature stand for.
  std::span<const double> grid_of(const std::vector<double>& points, std::int64_t feature) const {
    const std::size_t boxes = std::size_t{1} << program_.bits;
    return std::span(points).subspan(static_cast<std::size_t>(feature) * boxes, boxes);
  }

  /// In which boxes a comparison holds. A threshold on a box's point equals it, however the point was rounded; for a
  /// feature that must equal it, a threshold is quantised as the feature is.
  static std::vector<char> answers(const TreeNode& tree_node, std::span<const double> points) {
    constexpr double kNear = 1e-6;  // of a box
    const double box = std::abs(points[1] - points[0]), threshold = tree_node.threshold;
    const bool exact = tree_node.comparison == Comparison::equal || tree_node.comparison == Comparison::not_equal;
    const auto distance = [&](double point) { return std::abs(point - threshold); };
    const auto nearest = static_cast<std::size_t>(std::ranges::min_element(points, {}, distance) - points.begin());
    const bool meets = distance(points[nearest]) <= (exact ? box / 2 : box * kNear);
    std::vector<char> answers;
    for (std::size_t b = 0; b < points.size(); ++b)
      answers.push_back(holds(tree_node.comparison, meets && b == nearest ? threshold : points[b], threshold) ? 1 : 0);
    return answers;
  }

  integers::ValueId append(integers::Operation operation, std::size_t elements, int step, std::int64_t lowest,
                           std::int64_t highest, const char* what) {
    const Shape shape{1, static_cast<Index>(elements)};
    program_.instructions.push_back(
        {std::move(operation), shape, step, lowest, highest, true, node_, fmt::format("{} of '{}'", what, node_)});
    return static_cast<integers::ValueId>(program_.instructions.size() - 1);
  }

  /// The step of integers that boxes of a table hold one by one.
  int whole() const { return kMessageBits - program_.bits; }

  /// Where the leaves of every tree have the same sum over all targets, the last target is what the others leave.
  void choose_targets() {
    const std::size_t targets = ensemble_.targets();
    looked_up_ = targets;
    if (targets < 2) return;
    constexpr double kNear = 1e-5;
    double total = 0;
    for (const Tree& tree : ensemble_.trees) {
      double of_tree = std::numeric_limits<double>::quiet_NaN();
      for (const TreeNode& tree_node : tree) {
        if (!tree_node.leaf) continue;
        double sum = 0;
        for (const auto& [target, weight] : tree_node.weights) sum += weight;
        if (std::isnan(of_tree)) of_tree = sum;
        if (!(std::abs(sum - of_tree) <= kNear * std::max(1.0, std::abs(of_tree)))) return;
      }
      total += of_tree;
    }
    total_ = total;
    looked_up_ = targets - 1;
  }

  /// One table a condition.
  integers::ValueId add_conditions(integers::ValueId features) {
    const std::size_t count = parts_.conditions.size();
    std::vector<std::uint32_t> features_read;
    std::vector<std::int64_t> entries;
    for (const Condition& condition : parts_.conditions) {
      features_read.push_back(static_cast<std::uint32_t>(condition.feature));
      entries.insert(entries.end(), condition.holds.begin(), condition.holds.end());
    }
    auto [tables, table_of] = distinct_tables(entries, std::size_t{1} << program_.bits);
    return append(integers::Lookup{features, std::move(tables), std::move(table_of), std::move(features_read)}, count,
                  whole(), 0, 1, "comparisons");
  }

  /// The arguments of the parts.
  integers::ValueId add_arguments(integers::ValueId answers) {
    integers::Linear sums;
    std::int64_t highest = 1;
    const std::size_t count = parts_.parts.size();
    const auto add_part = [&](Index index, layout::RowEntries& row) {
      const TreePart& part = parts_.parts[static_cast<std::size_t>(index)];
      const double width = std::ldexp(1.0, static_cast<int>(part.nodes.size()));
      std::int64_t bias = 0;
      for (const TreePart::Use& use : part.way) {
        row.add(static_cast<Index>(use.condition), use.wanted ? width : -width);
        if (!use.wanted) bias += static_cast<std::int64_t>(width);
      }
      for (std::size_t i = 0; i < part.nodes.size(); ++i)
        row.add(static_cast<Index>(part.nodes[i]), std::ldexp(1.0, static_cast<int>(i)));
      row.merge();
      highest = std::max(highest, part.highest());
      sums.bias.push_back(bias);
    };
    sums.terms.push_back({answers, std::make_shared<layout::SparseRows>(
                                       program_.value(answers).shape, Shape{1, static_cast<Index>(count)}, add_part)});
    return append(std::move(sums), count, whole(), 0, highest, "ways");
  }

  double weight(const TreeNode& leaf, std::size_t target) const { return leaf.weight_of(target) * ensemble_.factor; }

  std::int64_t entry(const TreeNode& leaf, std::size_t target) const {
    return std::llround(weight(leaf, target) / grid_);
  }

  /// The interval of all scores: every tree adds one leaf to each. To the target that is the rest a leaf adds minus
  /// what it adds to all others.
  std::pair<std::int64_t, std::int64_t> score_interval() const {
    std::vector<std::int64_t> lowest(ensemble_.targets(), 0), highest(lowest);
    for (const Tree& tree : ensemble_.trees)
      for (std::size_t target = 0; target < lowest.size(); ++target) {
        std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
        for (const TreeNode& leaf : tree) {
          if (!leaf.leaf) continue;
          std::int64_t added = target < looked_up_ ? entry(leaf, target) : 0;
          for (std::size_t other = 0; target >= looked_up_ && other < looked_up_; ++other) added -= entry(leaf, other);
          least = std::min(least, added);
          most = std::max(most, added);
        }
        lowest[target] += least;
        highest[target] += most;
      }
    return {std::ranges::min(lowest), std::ranges::max(highest)};
  }

  /// The step of scores: their sums fit the torus below the padding with a bit for the sign, and a table where one
  /// reads them.
  int score_step() const {
    int bits = 1;
    while (std::int64_t{1} << (bits - 1) <= std::max(highest_, -lowest_)) ++bits;
    int step = kMessageBits - bits;
    if (readers_.tables) {
      const auto width = static_cast<double>(std::max<std::int64_t>(1, highest_ - lowest_));
      step = std::min(step, static_cast<int>(std::floor(std::log2(torus_span(program_.bits) / width))));
    } else if (std::isfinite(readers_.torus)) {
      step = std::min(step, static_cast<int>(std::floor(std::log2(readers_.torus * grid_))));
    }
    return std::max(step, 0);
  }

  /// A table for every part and target: the leaf's weight on the grid, or 0.
  integers::ValueId add_leaves(integers::ValueId arguments) {
    double largest = std::numeric_limits<double>::min();
    for (const TreePart& part : parts_.parts)
      for (const TreeNode* leaf : part.leaves)
        for (std::size_t target = 0; target < looked_up_; ++target)
          largest = std::max(largest, std::abs(weight(*leaf, target)));
    const int trees = static_cast<int>(std::ceil(std::log2(static_cast<double>(ensemble_.trees.size()))));
    const int leaf_bits = std::clamp(kSumBits - trees, kLeastLeafBits, kMostLeafBits);
    grid_ = largest / (std::ldexp(1.0, leaf_bits) - 1);
    std::vector<std::int64_t> entries;
    for (const TreePart& part : parts_.parts)
      for (std::size_t target = 0; target < looked_up_; ++target)
        for (std::size_t argument = 0; argument < std::size_t{1} << program_.bits; ++argument) {
          const std::size_t own = argument & ((std::size_t{1} << part.nodes.size()) - 1);
          const bool reached = argument >> part.nodes.size() == part.way.size();
          entries.push_back(reached ? entry(*part.leaves[part.leaf_of[own]], target) : 0);
        }
    const auto [lowest, highest] = std::ranges::minmax(entries);
    auto [tables, table_of] = distinct_tables(entries, std::size_t{1} << program_.bits);
    std::vector<std::uint32_t> parts_read;
    for (std::uint32_t part = 0; part < parts_.parts.size(); ++part)
      parts_read.insert(parts_read.end(), looked_up_, part);
    const std::size_t count = parts_read.size();
    std::tie(lowest_, highest_) = score_interval();
    return append(integers::Lookup{arguments, std::move(tables), std::move(table_of), std::move(parts_read)}, count,
                  score_step(), lowest, highest, "leaves");
  }

  /// Sums by target.
  Made add_sums(integers::ValueId leaves) {
    const std::size_t targets = ensemble_.targets(), parts = parts_.parts.size();
    const Instruction of = program_.value(leaves);
    integers::Linear sums;
    std::vector<double> offsets = ensemble_.base;
    const auto add_target = [&](Index row, layout::RowEntries& entries) {
      const auto target = static_cast<std::size_t>(row);
      const bool rest = target >= looked_up_;
      for (std::size_t part = 0; part < parts; ++part)
        for (std::size_t other = rest ? 0 : target; other < (rest ? looked_up_ : target + 1); ++other)
          entries.add(static_cast<Index>(part * looked_up_ + other), rest ? -1 : 1);
      if (rest) offsets[target] += total_ * ensemble_.factor;
    };
    sums.terms.push_back(
        {leaves, std::make_shared<layout::SparseRows>(of.shape, Shape{1, static_cast<Index>(targets)}, add_target)});
    const integers::ValueId id = append(std::move(sums), targets, of.step, lowest_, highest_, "scores");
    return {id, of.step, layout::RepeatedReals(grid_), layout::RepeatedReals::of(offsets)};
  }

  integers::Program& program_;
  const TreeEnsemble& ensemble_;
  const ScoreReaders& readers_;
  const std::string& node_;
  TreeParts parts_;
  std::size_t looked_up_ = 0;              ///< targets
  std::int64_t lowest_ = 0, highest_ = 0;  ///< of scores
  double total_ = 0;                       ///< of the weights over all targets and trees
  double grid_ = 1;                        ///< what an integer 1 of a leaf stands for
};

}  // namespace

Made add_trees(integers::Program& program, const TreeEnsemble& ensemble, integers::ValueId features,
               const std::vector<double>& points, const ScoreReaders& readers, const std::string& node,
               std::vector<std::string>& warnings) {
  TreeProgram trees(program, ensemble, readers, node);
  for (std::string& warning : trees.warnings(points)) warnings.push_back(std::move(warning));
  return trees.add(features, points);
}

}  // namespace tacit::graph::quant
