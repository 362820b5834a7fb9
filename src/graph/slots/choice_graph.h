#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace tacit::graph::passes {

/// A graph of choices. Every node takes one of its options. A selection has two prices, which
/// are added up:
/// - Every node has the price of its chosen option.
/// - Every edge has the price of the pair of options that its nodes chose.
///
/// An infinite price forbids an option or a pair. This is a partitioned Boolean quadratic problem (Scholz, Eckstein
/// 2002).
class ChoiceGraph {
 public:
  using Node = std::size_t;

  /// The options of all nodes, and their price.
  struct Selection {
    std::vector<std::size_t> options;  ///< by node
    double price = 0;
    double bound = 0;  ///< no selection is cheaper than this; equal to `price` if the selection is known to be cheapest

    bool is_exact() const { return bound == price; }
  };

  /// Adds a node with one price for each option.
  Node add(std::vector<double> prices);
  /// Adds prices to the options of a node.
  void add_to(Node node, std::span<const double> prices);
  /// Adds prices to the edge between two nodes. `prices` has a row for each option of `a`, and in it a price for each
  /// option of `b`. With `a == b`, the diagonal is added to the prices of the node's options.
  void connect(Node a, Node b, std::span<const double> prices);

  std::size_t size() const { return nodes_.size(); }
  std::size_t options(Node node) const { return nodes_[node].size(); }
  /// Returns the price of a selection.
  double price(std::span<const std::size_t> options) const;

  /// Returns the cheapest selection. A node with at most two neighbours is eliminated, which is exact for
  /// series-parallel graphs. Where every node has three neighbours or more, each option of the node with the most
  /// neighbours is tried, as long as `most_trials` allows. Beyond that number, a local search improves a selection,
  /// and `bound` says how much cheaper another selection may be. Among equal prices, the first option is preferred.
  Selection cheapest(std::size_t most_trials = 1024) const;
  /// Returns the cheapest selection in which a node takes an option.
  Selection cheapest_with(Node node, std::size_t option, std::size_t most_trials = 1024) const;

 private:
  using Edges = std::map<std::pair<Node, Node>, std::vector<double>>;  // by the lower node and the higher one

  std::vector<std::vector<double>> nodes_;  // prices of options
  Edges edges_;
};

}  // namespace tacit::graph::passes
