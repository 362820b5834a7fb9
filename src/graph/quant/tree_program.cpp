#include "graph/quant/tree_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/naming.h"
#include "graph/quant/tree_groups.h"
#include "graph/quant/tree_leaves.h"
#include "graph/quant/tree_lookups.h"
#include "layout/operators/movement.h"
#include "layout/sparse_rows.h"

namespace tacit::graph::quant {
namespace {

using integers::Instruction;
using integers::kMessageBits;
using layout::Index;

/// The bits of the sum of all trees: with the parameters that tables need anyway, with those of wide tables, and
/// with any parameters. Every doubling of the number of tables in the sum costs half a bit.
constexpr double kCheapBits = 15, kCheapBitsOfWideTables = 19, kDecryptedBits = 20;
constexpr int kWideTables = 8, kMostSumBits = 18;
/// The most groups of trees, and the error of rounded leaves at which there are more groups: the root of the mean
/// square, as a share of the scores' range.
constexpr std::size_t kMostGroups = 16;
constexpr double kCoarse = 1.5e-3;
/// The bits of a sum that tables read, beyond those of the tables.
constexpr int kBitsBeyondTables = 4, kLeastSumBits = 10;

class TreeProgram {
 public:
  TreeProgram(integers::Program& program, const TreeEnsemble& ensemble, const TreeFeatures& features,
              const std::vector<Range>& seen, const ScoreReaders& readers, const std::string& node)
      : program_(program), whole_(ensemble), seen_(seen), features_(features), readers_(readers), node_(node) {
    trees_ = {ensemble, seen, std::vector<double>(ensemble.targets(), 1.0)};
  }

  /// Returns warnings about features whose boxes cannot separate values. There is one sentence for every feature whose
  /// boxes all answer its thresholds alike. There is one sentence for features of which different thresholds are
  /// between the same two values of the grid.
  std::vector<std::string> warnings() const {
    std::map<std::int64_t, Alike> by_feature;
    Gaps gaps;
    for (const Tree& tree : trees_.ensemble.trees)
      for (const TreeNode& tree_node : tree) {
        if (tree_node.leaf) continue;
        std::vector<char> holds = answers(tree_node, grid_of(tree_node.feature));
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
    if (features_.exact) return crowded(by_feature, gaps);
    std::vector<std::string> sentences;
    for (const auto& [feature, alike] : by_feature) sentences.push_back(to_text(feature, alike, grid_of(feature)));
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

  /// Returns warnings about leaves that differ so much, or are so many, that their sums are too coarse.
  std::vector<std::string> warnings_of_leaves() const {
    constexpr double kWorth = 0.004;  // of the scores' range: the root of the mean square
    std::vector<std::string> sentences;
    const std::vector<double> errors = errors_of_scores();
    for (std::size_t t = 0; !readers_.tables && t < errors.size(); ++t)
      if (errors[t] > kWorth)
        sentences.push_back(fmt::format(
            "node '{}', target {}: its leaves differ too much for the bits of their sum, so that scores are off by "
            "{:.2g} "
            "% of their range on average; leave out or clip leaves that no row reaches, or take fewer trees",
            node_, t, 100 * errors[t]));
    return sentences;
  }

  Made add() {
    cut();
    if (parts_.conditions.empty())
      base::refuse(
          "node '{}': all its trees are single leaves, so that it is a constant and there is nothing to "
          "compute on encrypted values; replace it by that constant",
          node_);
    choose_leaves();
    // A target without tables of its own, the rest of the others, is worth more than fine leaves.
    while (readers_.client_alone && leaves_.looked_up == trees_.ensemble.targets() && trees_.groups < kMostGroups &&
           std::ranges::max(errors_of_scores()) > kCoarse) {
      trees_ = in_groups(whole_, seen_, 2 * trees_.groups);
      cut();
      choose_leaves();
    }
    answers_ = add_conditions();
    add_prefixes();
    std::vector<Argument> arguments;
    for (const TreePart& part : parts_.parts) arguments.push_back({part.way, part.nodes, part.highest()});
    return add_sums(add_leaves(add_arguments(arguments)));
  }

 private:
  void cut() {
    parts_ = base::naming(fmt::format("node '{}'", node_), [&] {
      return cut_trees(trees_.ensemble, program_.bits,
                       [&](const TreeNode& tree_node) { return answers(tree_node, grid_of(tree_node.feature)); });
    });
  }

  /// Returns the error of every score by the rounding of leaves, as a share of its range.
  std::vector<double> errors_of_scores() const {
    std::vector<double> errors(whole_.targets(), 0.0);
    for (std::size_t t = 0; t < leaves_.errors.size(); ++t)
      errors[t / trees_.groups] = std::hypot(errors[t / trees_.groups], leaves_.errors[t] * trees_.shares[t]);
    return errors;
  }

  void choose_leaves() {
    std::vector<std::size_t> parts(trees_.ensemble.trees.size(), 0), tables(trees_.ensemble.targets(), 0);
    for (const TreePart& part : parts_.parts) ++parts[part.tree];
    for (std::size_t tree = 0; tree < parts.size(); ++tree) {
      std::set<std::size_t> targets;
      for (const TreeNode& leaf : trees_.ensemble.trees[tree])
        for (const auto& [target, weight] : leaf.weights) targets.insert(target);
      for (const std::size_t target : targets) tables[target] += parts[tree];
    }
    // The rest target may add up all tables.
    const auto most_tables = static_cast<double>(std::max<std::size_t>(1, std::ranges::max(tables)));
    const double sums = targets_share_leaves(tables) ? static_cast<double>(tables.size() - 1) : 1;
    const auto bits = [&](double of_one) {
      return std::clamp(static_cast<int>(of_one - std::log2(most_tables * sums) / 2), 1, kMostSumBits);
    };
    SumBits sum_bits{bits(program_.bits >= kWideTables ? kCheapBitsOfWideTables : kCheapBits), bits(kDecryptedBits),
                     trees_.groups == 1};
    if (readers_.tables) sum_bits.cheap = sum_bits.most = std::max(kLeastSumBits, program_.bits + kBitsBeyondTables);
    leaves_ = leaf_integers(trees_.ensemble, trees_.seen, sum_bits);
    lowest_ = std::ranges::min(leaves_.lowest);
    highest_ = std::ranges::max(leaves_.highest);
  }

  /// True if every tree has leaves of every target, so that the last target may be the rest.
  bool targets_share_leaves(const std::vector<std::size_t>& tables) const {
    return tables.size() > 1 &&
           std::ranges::all_of(tables, [&](std::size_t count) { return count == parts_.parts.size(); });
  }

  /// The thresholds of a feature that all its boxes answer alike.
  struct Alike {
    std::size_t thresholds = 0;
    Range range;
  };

  /// The thresholds by feature and by the values of its grid beyond them.
  using Gaps = std::map<std::pair<std::int64_t, std::vector<char>>, std::set<double>>;

  /// Returns the number of thresholds that are left out, for features with more thresholds than their grids have
  /// borders.
  std::vector<std::string> crowded(const std::map<std::int64_t, Alike>& by_feature, const Gaps& gaps) const {
    struct Count {
      std::size_t all = 0, kept = 0;
    };
    std::map<std::int64_t, Count> counts;
    for (const auto& [gap, thresholds] : gaps) {
      counts[gap.first].all += thresholds.size();
      ++counts[gap.first].kept;
    }
    for (const auto& [feature, alike] : by_feature) counts[feature].all += alike.thresholds;
    const std::size_t borders = (std::size_t{1} << program_.bits) - 1;
    std::size_t features = 0, left_out = 0, all = 0;
    for (const auto& [feature, count] : counts) {
      all += count.all;
      if (count.all < borders || count.kept == count.all) continue;
      ++features;
      left_out += count.all - count.kept;
    }
    if (left_out == 0) return {};
    return {fmt::format(
        "node '{}': {} of {} thresholds have no border of their own, because {} more than the {} values that a grid "
        "of {} bits tells apart; inputs between such a threshold and the next border go the way of most calibration "
        "rows there; more bits (--bits) hold more thresholds",
        node_, left_out, all, features == 1 ? "a feature has" : fmt::format("{} features have", features), borders + 1,
        program_.bits)};
  }

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

  /// Returns the numbers of the boxes of a feature.
  std::span<const double> grid_of(std::int64_t feature) const {
    const std::size_t boxes = std::size_t{1} << program_.bits;
    return std::span(features_.points).subspan(static_cast<std::size_t>(feature) * boxes, boxes);
  }

  /// Returns the boxes in which a comparison holds. A threshold on a box's point equals it, however the point was
  /// rounded. For an equality, a threshold is quantised as the feature is.
  std::vector<char> answers(const TreeNode& tree_node, std::span<const double> points) const {
    if (features_.exact) {
      std::vector<char> answers;
      for (const double point : points) answers.push_back(tree_node.goes_yes(point) ? 1 : 0);
      return answers;
    }
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

  /// Returns the step of integers that have one box of a table each.
  int whole() const { return kMessageBits - program_.bits; }

  /// Adds one table per condition.
  integers::ValueId add_conditions() {
    const std::size_t count = parts_.conditions.size();
    std::vector<std::uint32_t> features_read;
    std::vector<std::int64_t> entries;
    for (const Condition& condition : parts_.conditions) {
      features_read.push_back(features_.elements.empty()
                                  ? static_cast<std::uint32_t>(condition.feature)
                                  : features_.elements.at(static_cast<std::size_t>(condition.feature)));
      entries.insert(entries.end(), condition.holds.begin(), condition.holds.end());
    }
    auto [tables, table_of] = distinct_tables(entries, std::size_t{1} << program_.bits);
    return append(integers::Lookup{features_.id, std::move(tables), std::move(table_of), std::move(features_read)},
                  count, whole(), 0, 1, "comparisons");
  }

  /// The argument of a part, or of a prefix, which has no nodes.
  struct Argument {
    std::span<const TreePart::Use> way;
    std::span<const std::size_t> nodes;
    std::int64_t highest = 0;
  };

  integers::ValueId add_arguments(const std::vector<Argument>& arguments) {
    integers::Linear sums;
    std::int64_t highest = 1;
    for (const Argument& argument : arguments) {
      const std::int64_t width = std::int64_t{1} << argument.nodes.size();
      highest = std::max(highest, argument.highest);
      sums.bias.push_back(0);
      for (const TreePart::Use& use : argument.way)
        if (!use.wanted) sums.bias.back() += width;
    }
    const Shape shape{1, static_cast<Index>(arguments.size())};
    // Adds terms for the answers, and for the prefixes of every level.
    for (std::size_t from = 0; from <= levels_.size(); ++from) {
      const auto add_row = [&](Index index, layout::RowEntries& row) {
        const Argument& argument = arguments[static_cast<std::size_t>(index)];
        const double width = std::ldexp(1.0, static_cast<int>(argument.nodes.size()));
        for (const TreePart::Use& use : argument.way) {
          const std::size_t of = use.prefix ? parts_.prefixes[use.condition].level + 1 : 0;
          if (of == from)
            row.add(static_cast<Index>(use.prefix ? place_[use.condition] : use.condition),
                    use.wanted ? width : -width);
        }
        for (std::size_t i = 0; from == 0 && i < argument.nodes.size(); ++i)
          row.add(static_cast<Index>(argument.nodes[i]), std::ldexp(1.0, static_cast<int>(i)));
        row.merge();
      };
      const integers::ValueId operand = from == 0 ? answers_ : levels_[from - 1];
      sums.terms.push_back(
          {operand, std::make_shared<layout::SparseRows>(program_.value(operand).shape, shape, add_row)});
    }
    return append(std::move(sums), arguments.size(), whole(), 0, highest, "ways");
  }

  /// Adds one table per prefix, which decides whether all of its way agrees.
  void add_prefixes() {
    place_.resize(parts_.prefixes.size());
    for (std::size_t level = 0, done = 0; done < place_.size(); ++level) {
      std::vector<Argument> arguments;
      std::vector<std::int64_t> entries;
      for (std::size_t p = 0; p < place_.size(); ++p) {
        const std::vector<TreePart::Use>& way = parts_.prefixes[p].way;
        if (parts_.prefixes[p].level != level) continue;
        place_[p] = arguments.size();
        arguments.push_back({way, {}, static_cast<std::int64_t>(way.size())});
        entries.resize(entries.size() + (std::size_t{1} << program_.bits), 0);
        entries[entries.size() - (std::size_t{1} << program_.bits) + way.size()] = 1;
      }
      done += arguments.size();
      const integers::ValueId sums = add_arguments(arguments);
      auto [tables, table_of] = distinct_tables(entries, std::size_t{1} << program_.bits);
      levels_.push_back(append(integers::Lookup{sums, std::move(tables), std::move(table_of)}, arguments.size(),
                               whole(), 0, 1, "beginnings of ways"));
    }
  }

  /// Returns the step of scores. Their sums fit the torus below the padding, with one bit for the sign. If a table
  /// reads them, they also fit the table.
  int score_step() const {
    int bits = 1;
    while (std::int64_t{1} << (bits - 1) <= std::max(highest_, -lowest_)) ++bits;
    int step = kMessageBits - bits;
    if (readers_.tables) {
      const auto width = static_cast<double>(std::max<std::int64_t>(1, highest_ - lowest_));
      step = std::min(step, static_cast<int>(std::floor(std::log2(torus_span(program_.bits) / width))));
    } else if (std::isfinite(readers_.torus)) {
      step = std::min(step, static_cast<int>(std::floor(std::log2(readers_.torus * std::ranges::min(leaves_.units)))));
    }
    return std::max(step, 0);
  }

  /// Adds a table for every part and target: the leaf's integer, or 0.
  integers::ValueId add_leaves(integers::ValueId arguments) {
    std::vector<std::int64_t> entries;
    std::vector<std::uint32_t> parts_read;
    const std::size_t boxes = std::size_t{1} << program_.bits;
    for (std::uint32_t p = 0; p < parts_.parts.size(); ++p)
      for (std::size_t target = 0; target < leaves_.looked_up; ++target) {
        const TreePart& part = parts_.parts[p];
        bool adds = p + 1 == parts_.parts.size() && target + 1 == leaves_.looked_up && looked_up_.empty();
        for (std::size_t argument = 0; argument < boxes; ++argument) {
          const std::size_t own = argument & ((std::size_t{1} << part.nodes.size()) - 1);
          const bool reached = argument >> part.nodes.size() == part.way.size();
          entries.push_back(
              reached ? leaf_integer(leaves_, trees_.ensemble, part.tree, *part.leaves[part.leaf_of[own]], target) : 0);
          adds = adds || entries.back() != 0;
        }
        // Leaves that add nothing need no table: trees of other targets, and middle leaves.
        if (!adds) {
          entries.resize(entries.size() - boxes);
          continue;
        }
        parts_read.push_back(p);
        looked_up_.push_back(target);
      }
    const auto [lowest, highest] = std::ranges::minmax(entries);
    auto [tables, table_of] = distinct_tables(entries, boxes);
    return append(integers::Lookup{arguments, std::move(tables), std::move(table_of), std::move(parts_read)},
                  looked_up_.size(), score_step(), lowest, highest, "leaves");
  }

  /// Adds sums by target.
  Made add_sums(integers::ValueId leaves) {
    const std::size_t targets = trees_.ensemble.targets();
    const Instruction of = program_.value(leaves);
    integers::Linear sums;
    const auto add_target = [&](Index row, layout::RowEntries& entries) {
      const auto target = static_cast<std::size_t>(row);
      const bool rest = target >= leaves_.looked_up;
      for (std::size_t e = 0; e < looked_up_.size(); ++e)
        if (rest || looked_up_[e] == target) entries.add(static_cast<Index>(e), rest ? -1 : 1);
    };
    sums.terms.push_back(
        {leaves, std::make_shared<layout::SparseRows>(of.shape, Shape{1, static_cast<Index>(targets)}, add_target)});
    const integers::ValueId id = append(std::move(sums), targets, of.step, lowest_, highest_, "scores");
    return {id, of.step, layout::RepeatedReals::of(leaves_.units), layout::RepeatedReals::of(leaves_.offsets),
            trees_.groups};
  }

  integers::Program& program_;
  const TreeEnsemble& whole_;
  const std::vector<Range>& seen_;  ///< of the scores of `whole_`
  GroupedTrees trees_;
  const TreeFeatures& features_;
  const ScoreReaders& readers_;
  const std::string& node_;
  TreeParts parts_;
  integers::ValueId answers_ = 0;
  std::vector<integers::ValueId> levels_;  ///< levels of prefixes
  std::vector<std::size_t> place_;         ///< place of a prefix in its level
  LeafIntegers leaves_;
  std::vector<std::size_t> looked_up_;     ///< target of each table of leaves
  std::int64_t lowest_ = 0, highest_ = 0;  ///< bounds of scores
};

}  // namespace

Made add_trees(integers::Program& program, const TreeEnsemble& ensemble, const TreeFeatures& features,
               const std::vector<Range>& seen, const ScoreReaders& readers, const std::string& node,
               std::vector<std::string>& warnings) {
  TreeProgram trees(program, ensemble, features, seen, readers, node);
  for (std::string& warning : trees.warnings()) warnings.push_back(std::move(warning));
  const Made made = trees.add();
  for (std::string& warning : trees.warnings_of_leaves()) warnings.push_back(std::move(warning));
  return made;
}

}  // namespace tacit::graph::quant
