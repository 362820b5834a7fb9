#include "graph/slots/choice_graph.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

namespace tacit::graph::passes {
namespace {

using ChoiceNode = ChoiceGraph::Node;
using ChosenOptions = std::vector<std::size_t>;
constexpr double kForbidden = std::numeric_limits<double>::infinity();

// A graph of choices that loses its nodes one by one.
class ChoiceReduction {
 public:
  ChoiceReduction(std::vector<std::vector<double>> prices,
                  const std::map<std::pair<ChoiceNode, ChoiceNode>, std::vector<double>>& edges)
      : prices_(std::move(prices)), neighbours_(prices_.size()) {
    for (const auto& [ends, matrix] : edges) join(ends.first, ends.second, matrix);
    for (ChoiceNode node = 0; node < prices_.size(); ++node) left_.insert(node);
  }

  // Eliminates all nodes that have at most two neighbours.
  void reduce() {
    for (std::optional<ChoiceNode> node = next(); node; node = next()) eliminate(*node);
  }

  bool is_empty() const { return left_.empty(); }
  // Returns the price of the eliminated nodes. It is the price of the cheapest selection if no node is left.
  double price() const { return constant_; }

  // Returns the node with the most neighbours.
  ChoiceNode busiest() const {
    return *std::ranges::max_element(left_, {}, [&](ChoiceNode node) { return neighbours_[node].size(); });
  }
  std::size_t options(ChoiceNode node) const { return prices_[node].size(); }

  // Gives a node one of its options, and removes the node.
  void fix(ChoiceNode node, std::size_t option) {
    constant_ += prices_[node][option];
    for (const auto& [other, matrix] : neighbours_[node])
      for (std::size_t k = 0; k < prices_[other].size(); ++k) prices_[other][k] += at(node, option, other, k);
    fixed_.push_back({node, option});
    remove(node);
  }

  // Returns the option of a node that is cheapest with the cheapest options of its neighbours.
  std::size_t locally_cheapest(ChoiceNode node) const {
    std::vector<double> sums = prices_[node];
    for (std::size_t k = 0; k < sums.size(); ++k)
      for (const auto& [other, matrix] : neighbours_[node]) {
        double least = kForbidden;
        for (std::size_t m = 0; m < prices_[other].size(); ++m)
          least = std::min(least, at(node, k, other, m) + prices_[other][m]);
        sums[k] += least;
      }
    return static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
  }

  // Lets the edges of a node choose its option separately, so that the price becomes a lower bound. Edges stay in
  // pairs, because a node of two neighbours can be eliminated.
  void split(ChoiceNode node) {
    const std::map<ChoiceNode, std::vector<double>> edges = neighbours_[node];
    const double parts = static_cast<double>((edges.size() + 1) / 2);
    std::vector<double> share = prices_[node];
    for (double& price : share) price /= parts;
    remove(node);
    ChoiceNode copy = node;
    std::size_t taken = 0;
    for (const auto& [other, matrix] : edges) {
      if (taken++ % 2 == 0) copy = add(share);
      join(copy, other, matrix);
    }
  }

  // Returns the options of all nodes once no node is left. Copies of split nodes have no option of their own.
  ChosenOptions options_of(std::size_t nodes) const {
    ChosenOptions options(nodes, 0);
    for (const auto& [node, option] : fixed_) options[node] = option;
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
      std::vector<double> sums = step->prices;
      for (const auto& [other, matrix] : step->edges)
        for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += matrix[options[other] + k * step->widths.at(other)];
      options[step->node] = static_cast<std::size_t>(std::ranges::min_element(sums) - sums.begin());
    }
    return options;
  }

 private:
  // An eliminated node, with its prices and edges at that time.
  struct Step {
    ChoiceNode node;
    std::vector<double> prices;
    std::map<ChoiceNode, std::vector<double>> edges;
    std::map<ChoiceNode, std::size_t> widths;  // options of the neighbours
  };

  ChoiceNode add(std::vector<double> prices) {
    prices_.push_back(std::move(prices));
    neighbours_.emplace_back();
    left_.insert(prices_.size() - 1);
    return prices_.size() - 1;
  }

  // Adds a matrix with a row for each option of `a`.
  void join(ChoiceNode a, ChoiceNode b, const std::vector<double>& matrix) {
    const std::size_t rows = prices_[a].size(), columns = prices_[b].size();
    std::vector<double>& there = neighbours_[a].try_emplace(b, rows * columns, 0.0).first->second;
    std::vector<double>& back = neighbours_[b].try_emplace(a, rows * columns, 0.0).first->second;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t k = 0; k < columns; ++k) {
        there[i * columns + k] += matrix[i * columns + k];
        back[k * rows + i] += matrix[i * columns + k];
      }
  }

  double at(ChoiceNode node, std::size_t option, ChoiceNode other, std::size_t other_option) const {
    return neighbours_[node].at(other)[option * prices_[other].size() + other_option];
  }

  void remove(ChoiceNode node) {
    for (const auto& [other, matrix] : neighbours_[node]) neighbours_[other].erase(node);
    neighbours_[node].clear();
    left_.erase(node);
  }

  std::optional<ChoiceNode> next() const {
    const auto found = std::ranges::find_if(left_, [&](ChoiceNode node) { return neighbours_[node].size() <= 2; });
    return found == left_.end() ? std::nullopt : std::optional(*found);
  }

  void eliminate(ChoiceNode node) {
    Step step{node, prices_[node], neighbours_[node], {}};
    std::vector<ChoiceNode> around;
    for (const auto& [other, matrix] : step.edges) {
      around.push_back(other);
      step.widths[other] = prices_[other].size();
    }
    if (around.empty()) {
      constant_ += *std::ranges::min_element(step.prices);
    } else if (around.size() == 1) {
      for (std::size_t i = 0; i < prices_[around[0]].size(); ++i) {
        double least = kForbidden;
        for (std::size_t k = 0; k < step.prices.size(); ++k)
          least = std::min(least, step.prices[k] + at(node, k, around[0], i));
        prices_[around[0]][i] += least;
      }
    } else {
      const std::size_t rows = prices_[around[0]].size(), columns = prices_[around[1]].size();
      std::vector<double> least(rows * columns, kForbidden);
      for (std::size_t k = 0; k < step.prices.size(); ++k)
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < columns; ++j)
            least[i * columns + j] = std::min(least[i * columns + j],
                                              step.prices[k] + at(node, k, around[0], i) + at(node, k, around[1], j));
      join(around[0], around[1], least);
    }
    remove(node);
    steps_.push_back(std::move(step));
  }

  std::vector<std::vector<double>> prices_;
  std::vector<std::map<ChoiceNode, std::vector<double>>> neighbours_;  // with a row for each option of the node
  std::set<ChoiceNode> left_;
  std::vector<Step> steps_;
  std::vector<std::pair<ChoiceNode, std::size_t>> fixed_;
  double constant_ = 0;
};

struct FoundSelection {
  double price = kForbidden;
  ChosenOptions options;
};

// Tries every option of the nodes that cannot be eliminated. Returns nothing once `trials` are used up.
std::optional<FoundSelection> solved_exactly(ChoiceReduction reduction, std::size_t nodes, std::size_t& trials) {
  reduction.reduce();
  if (reduction.is_empty()) return FoundSelection{reduction.price(), reduction.options_of(nodes)};
  const ChoiceNode node = reduction.busiest();
  std::optional<FoundSelection> best;
  for (std::size_t option = 0; option < reduction.options(node); ++option) {
    if (trials == 0) return std::nullopt;
    --trials;
    ChoiceReduction with = reduction;
    with.fix(node, option);
    std::optional<FoundSelection> found = solved_exactly(std::move(with), nodes, trials);
    if (!found) return std::nullopt;
    if (!best || found->price < best->price) best = std::move(found);
  }
  return best;
}

ChosenOptions solved_greedily(ChoiceReduction reduction, std::size_t nodes) {
  for (reduction.reduce(); !reduction.is_empty(); reduction.reduce()) {
    const ChoiceNode node = reduction.busiest();
    reduction.fix(node, reduction.locally_cheapest(node));
  }
  return reduction.options_of(nodes);
}

double lower_bound(ChoiceReduction reduction) {
  for (reduction.reduce(); !reduction.is_empty(); reduction.reduce()) reduction.split(reduction.busiest());
  return reduction.price();
}

}  // namespace

ChoiceGraph::Node ChoiceGraph::add(std::vector<double> prices) {
  nodes_.push_back(std::move(prices));
  return nodes_.size() - 1;
}

void ChoiceGraph::add_to(Node node, std::span<const double> prices) {
  for (std::size_t k = 0; k < prices.size(); ++k) nodes_[node][k] += prices[k];
}

void ChoiceGraph::connect(Node a, Node b, std::span<const double> prices) {
  const std::size_t rows = options(a), columns = options(b);
  if (a == b) {
    for (std::size_t k = 0; k < rows; ++k) nodes_[a][k] += prices[k * columns + k];
    return;
  }
  const bool in_order = a < b;
  std::vector<double>& edge = edges_.try_emplace(std::minmax(a, b), rows * columns, 0.0).first->second;
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < columns; ++k)
      edge[in_order ? i * columns + k : k * rows + i] += prices[i * columns + k];
}

double ChoiceGraph::price(std::span<const std::size_t> options) const {
  double sum = 0;
  for (Node node = 0; node < nodes_.size(); ++node) sum += nodes_[node][options[node]];
  for (const auto& [ends, matrix] : edges_)
    sum += matrix[options[ends.first] * nodes_[ends.second].size() + options[ends.second]];
  return sum;
}

ChoiceGraph::Selection ChoiceGraph::cheapest(std::size_t most_trials) const {
  std::size_t trials = most_trials;
  if (const auto found = solved_exactly({nodes_, edges_}, nodes_.size(), trials)) {
    const double sum = price(found->options);
    return {found->options, sum, sum};
  }
  // The local search changes one node, or the two nodes of an edge, as long as the price falls.
  ChosenOptions options = solved_greedily({nodes_, edges_}, nodes_.size());
  double best = price(options);
  const auto improves = [&](Node a, Node b) {
    bool better = false;
    for (std::size_t i = 0; i < nodes_[a].size(); ++i)
      for (std::size_t k = 0; k < nodes_[b].size(); ++k) {
        ChosenOptions tried = options;
        tried[a] = i;
        tried[b] = k;
        if (a == b && i != k) continue;
        const double sum = price(tried);
        if (sum >= best) continue;
        best = sum;
        options = std::move(tried);
        better = true;
      }
    return better;
  };
  for (bool better = true; better;) {
    better = false;
    for (Node node = 0; node < nodes_.size(); ++node) better |= improves(node, node);
    for (const auto& [ends, matrix] : edges_) better |= improves(ends.first, ends.second);
  }
  return {options, best, std::min(best, lower_bound({nodes_, edges_}))};
}

ChoiceGraph::Selection ChoiceGraph::cheapest_with(Node node, std::size_t option, std::size_t most_trials) const {
  ChoiceGraph fixed = *this;
  for (std::size_t k = 0; k < options(node); ++k)
    if (k != option) fixed.nodes_[node][k] = kForbidden;
  return fixed.cheapest(most_trials);
}

}  // namespace tacit::graph::passes
