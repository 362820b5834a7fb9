#include "graph/quant/tree_program.h"

#include <algorithm>
#include <cmath>
#include <limits>

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
  TreeProgram(integers::Program& program, const TreeEnsemble& ensemble, const std::string& node)
      : program_(program), ensemble_(ensemble), node_(node) {}

  Made add(integers::ValueId features, const std::vector<double>& points) {
    const std::size_t boxes = std::size_t{1} << program_.bits;
    parts_ = cut_trees(ensemble_, program_.bits, [&](const TreeNode& tree_node) {
      std::vector<char> answers;
      for (std::size_t box = 0; box < boxes; ++box)
        answers.push_back(holds(tree_node.comparison, points[static_cast<std::size_t>(tree_node.feature) * boxes + box],
                                tree_node.threshold));
      return answers;
    });
    choose_targets();
    const integers::ValueId answers = add_conditions(features);
    const integers::ValueId arguments = add_arguments(answers);
    return add_sums(add_leaves(arguments));
  }

 private:
  integers::ValueId append(integers::Operation operation, std::size_t elements, int step, std::int64_t lowest,
                           std::int64_t highest, const char* what) {
    program_.instructions.push_back({std::move(operation),
                                     {1, static_cast<Index>(elements)},
                                     step,
                                     lowest,
                                     highest,
                                     true,
                                     node_,
                                     std::string(what) + " of '" + node_ + "'"});
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
    const Instruction from = program_.value(features);
    const std::size_t count = parts_.conditions.size();
    std::vector<Index> source;
    std::vector<std::int64_t> entries;
    for (const Condition& condition : parts_.conditions) {
      source.push_back(condition.feature);
      entries.insert(entries.end(), condition.holds.begin(), condition.holds.end());
    }
    integers::Linear gathered;
    gathered.terms.push_back(
        {features, std::make_shared<layout::Gather>(from.shape, layout::Shape{1, static_cast<Index>(count)}, source)});
    const integers::ValueId arguments =
        append(std::move(gathered), count, from.step, from.lowest, from.highest, "features");
    program_.instructions.back().exact = from.exact;
    auto [tables, table_of] = distinct_tables(entries, std::size_t{1} << program_.bits);
    return append(integers::Lookup{arguments, std::move(tables), std::move(table_of)}, count, whole(), 0, 1,
                  "comparisons");
  }

  /// The arguments of the parts, once for every target that is looked up.
  integers::ValueId add_arguments(integers::ValueId answers) {
    std::vector<Index> begin{0}, columns;
    std::vector<double> weights;
    integers::Linear sums;
    std::int64_t highest = 1;
    for (const TreePart& part : parts_.parts) {
      const double width = std::ldexp(1.0, static_cast<int>(part.nodes.size()));
      layout::RowEntries row;
      std::int64_t bias = 0;
      for (const TreePart::Use& use : part.way) {
        row.add(static_cast<Index>(use.condition), use.wanted ? width : -width);
        if (!use.wanted) bias += static_cast<std::int64_t>(width);
      }
      for (std::size_t i = 0; i < part.nodes.size(); ++i)
        row.add(static_cast<Index>(part.nodes[i]), std::ldexp(1.0, static_cast<int>(i)));
      row.merge();
      highest = std::max(highest, part.highest());
      for (std::size_t target = 0; target < looked_up_; ++target) {
        columns.insert(columns.end(), row.columns.begin(), row.columns.end());
        weights.insert(weights.end(), row.weights.begin(), row.weights.end());
        begin.push_back(static_cast<Index>(columns.size()));
        sums.bias.push_back(bias);
      }
    }
    const std::size_t count = parts_.parts.size() * looked_up_;
    sums.terms.push_back({answers, std::make_shared<layout::SparseRows>(
                                       program_.value(answers).shape, layout::Shape{1, static_cast<Index>(count)},
                                       std::move(begin), std::move(columns), std::move(weights))});
    return append(std::move(sums), count, whole(), 0, highest, "ways");
  }

  double weight(const TreeNode& leaf, std::size_t target) const {
    double sum = 0;
    for (const auto& [of, value] : leaf.weights)
      if (of == target) sum += value;
    return sum * ensemble_.factor;
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
    std::int64_t lowest = 0, highest = 0;
    for (const TreePart& part : parts_.parts)
      for (std::size_t target = 0; target < looked_up_; ++target)
        for (std::size_t argument = 0; argument < std::size_t{1} << program_.bits; ++argument) {
          const std::size_t own = argument & ((std::size_t{1} << part.nodes.size()) - 1);
          const bool reached = argument >> part.nodes.size() == part.way.size();
          const std::int64_t entry =
              reached ? std::llround(weight(*part.leaves[part.leaf_of[own]], target) / grid_) : 0;
          lowest = std::min(lowest, entry);
          highest = std::max(highest, entry);
          entries.push_back(entry);
        }
    auto [tables, table_of] = distinct_tables(entries, std::size_t{1} << program_.bits);
    const auto elements = integers::elements(program_.value(arguments));
    // Every tree gives one leaf, and the sum of all fits the torus below the padding with a bit for its sign.
    const auto most = static_cast<double>(ensemble_.trees.size()) * static_cast<double>(std::max(highest, -lowest));
    int sum_bits = 1;
    while (std::ldexp(1.0, sum_bits - 1) <= most) ++sum_bits;
    return append(integers::Lookup{arguments, std::move(tables), std::move(table_of)}, elements,
                  kMessageBits - sum_bits, lowest, highest, "leaves");
  }

  /// Sums by target.
  Made add_sums(integers::ValueId leaves) {
    const std::size_t targets = ensemble_.targets(), parts = parts_.parts.size();
    const Instruction of = program_.value(leaves);
    std::vector<Index> begin{0}, columns;
    std::vector<double> weights;
    integers::Linear sums;
    std::vector<double> offsets = ensemble_.base;
    for (std::size_t target = 0; target < targets; ++target) {
      const bool rest = target >= looked_up_;
      for (std::size_t part = 0; part < parts; ++part)
        for (std::size_t other = rest ? 0 : target; other < (rest ? looked_up_ : target + 1); ++other) {
          columns.push_back(static_cast<Index>(part * looked_up_ + other));
          weights.push_back(rest ? -1 : 1);
        }
      begin.push_back(static_cast<Index>(columns.size()));
      if (rest) offsets[target] += total_ * ensemble_.factor;
    }
    sums.terms.push_back(
        {leaves, std::make_shared<layout::SparseRows>(of.shape, layout::Shape{1, static_cast<Index>(targets)},
                                                      std::move(begin), std::move(columns), std::move(weights))});
    const auto reach = static_cast<std::int64_t>(ensemble_.trees.size()) * std::max(of.highest, -of.lowest);
    const integers::ValueId id = append(std::move(sums), targets, of.step, -reach, reach, "scores");
    return {id, of.step, layout::RepeatedReals(grid_), layout::RepeatedReals::of(offsets)};
  }

  integers::Program& program_;
  const TreeEnsemble& ensemble_;
  const std::string& node_;
  TreeParts parts_;
  std::size_t looked_up_ = 0;  ///< targets
  double total_ = 0;           ///< of the weights over all targets and trees
  double grid_ = 1;            ///< what an integer 1 of a leaf stands for
};

}  // namespace

Made add_trees(integers::Program& program, const TreeEnsemble& ensemble, integers::ValueId features,
               const std::vector<double>& points, const std::string& node) {
  return TreeProgram(program, ensemble, node).add(features, points);
}

}  // namespace tacit::graph::quant
