#include "graph/slots/choice_graph.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace tacit::graph::passes {
namespace {

using Options = std::vector<std::size_t>;

/// Returns the price of the cheapest selection, by trying all of them.
double least_price(const ChoiceGraph& graph) {
  Options options(graph.size(), 0);
  double least = graph.price(options);
  while (true) {
    std::size_t node = 0;
    while (node < graph.size() && ++options[node] == graph.options(node)) options[node++] = 0;
    if (node == graph.size()) return least;
    least = std::min(least, graph.price(options));
  }
}

class RandomGraph {
 public:
  explicit RandomGraph(unsigned seed) : random_(seed) {}

  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_); }
  std::vector<double> prices(std::size_t count) {
    std::vector<double> result(count);
    // Prices of very different sizes, of which some are zero and some are forbidden.
    for (double& price : result) {
      price = std::exp2(std::uniform_real_distribution<double>(-6, 6)(random_));
      if (below(8) == 0) price = 0;
      if (below(12) == 0) price = std::numeric_limits<double>::infinity();
    }
    return result;
  }
  /// Adds a node with up to four options. The first of them is never forbidden.
  std::size_t add(ChoiceGraph& graph) {
    std::vector<double> all = prices(1 + below(4));
    if (!std::isfinite(all[0])) all[0] = 1;
    return graph.add(all);
  }
  void connect(ChoiceGraph& graph, std::size_t a, std::size_t b) {
    std::vector<double> matrix = prices(graph.options(a) * graph.options(b));
    if (!std::isfinite(matrix[0])) matrix[0] = 1;  // a selection of first options is always possible
    graph.connect(a, b, matrix);
  }

  /// A chain of blocks. A value goes around each block by one edge, or by a node of its own.
  ChoiceGraph residual(std::size_t blocks) {
    ChoiceGraph graph;
    std::size_t last = add(graph);
    for (std::size_t block = 0; block < blocks; ++block) {
      const std::size_t first = last, inner = add(graph);
      connect(graph, first, inner);
      last = add(graph);
      connect(graph, inner, last);
      if (below(2) == 0) {
        connect(graph, first, last);
      } else {
        const std::size_t around = add(graph);
        connect(graph, around, first);
        connect(graph, last, around);
      }
    }
    return graph;
  }

  ChoiceGraph dense(std::size_t nodes) {
    ChoiceGraph graph;
    for (std::size_t node = 0; node < nodes; ++node) add(graph);
    for (std::size_t a = 0; a < nodes; ++a)
      for (std::size_t b = 0; b < nodes; ++b)
        if (below(3) != 0) connect(graph, a, b);
    return graph;
  }

 private:
  std::mt19937 random_;
};

TEST(ChoiceGraph, ChainsOfResidualBlocksAreSolvedExactlyWithoutATrial) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    RandomGraph random(seed);
    const ChoiceGraph graph = random.residual(1 + random.below(3));
    const ChoiceGraph::Selection found = graph.cheapest(0);
    EXPECT_TRUE(found.is_exact());
    EXPECT_DOUBLE_EQ(found.price, least_price(graph)) << seed;
    EXPECT_EQ(found.price, graph.price(found.options)) << seed;
  }
}

TEST(ChoiceGraph, AnyGraphIsSolvedExactlyWithEnoughTrials) {
  for (unsigned seed = 100; seed < 160; ++seed) {
    RandomGraph random(seed);
    const ChoiceGraph graph = random.dense(3 + random.below(5));
    EXPECT_NEAR(graph.cheapest(1 << 20).price / least_price(graph), 1, 1e-12) << seed;
  }
}

// Without a trial the selection is a local optimum. The bound must hold, or it would claim too much.
TEST(ChoiceGraph, WithoutTrialsTheBoundHoldsAndTheSelectionIsNearIt) {
  double excess = 0;
  int exact = 0;
  for (unsigned seed = 200; seed < 260; ++seed) {
    RandomGraph random(seed);
    const ChoiceGraph graph = random.dense(6 + random.below(3));
    const ChoiceGraph::Selection found = graph.cheapest(0);
    const double least = least_price(graph);
    ASSERT_TRUE(std::isfinite(found.price)) << seed;
    EXPECT_GE(found.price, least * (1 - 1e-12)) << seed;
    EXPECT_LE(found.bound, least * (1 + 1e-12)) << seed;
    excess += found.price / least - 1;
    if (found.price <= least * (1 + 1e-12)) ++exact;
  }
  EXPECT_LT(excess / 60, 0.02);
  EXPECT_GE(exact, 50);
}

TEST(ChoiceGraph, AFixedOptionGivesTheCheapestSelectionThatHasIt) {
  for (unsigned seed = 300; seed < 320; ++seed) {
    RandomGraph random(seed);
    const ChoiceGraph graph = random.residual(2);
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t option = 0; option < graph.options(1); ++option) {
      const ChoiceGraph::Selection with = graph.cheapest_with(1, option);
      if (std::isfinite(with.price)) {
        EXPECT_EQ(with.options[1], option) << seed;
      }
      least = std::min(least, with.price);
    }
    EXPECT_DOUBLE_EQ(least, graph.cheapest().price) << seed;
  }
}

TEST(ChoiceGraph, EdgesInBothDirectionsAndToTheNodeItselfAddUp) {
  ChoiceGraph graph;
  const auto a = graph.add({0, 1}), b = graph.add({0, 0, 0});
  graph.connect(a, b, std::vector<double>{1, 2, 3, 4, 5, 6});
  graph.connect(b, a, std::vector<double>{10, 40, 20, 50, 30, 60});
  graph.connect(a, a, std::vector<double>{100, 7, 7, 200});
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_EQ(graph.price(Options{i, k}), 11.0 * (3.0 * static_cast<double>(i) + static_cast<double>(k) + 1) +
                                                100.0 * (static_cast<double>(i) + 1) + static_cast<double>(i));
}

// A chain of 2,000 blocks takes well below a second. Counting what follows once per edge would take 2^2000 steps.
TEST(ChoiceGraph, ADeepChainOfBlocksIsSolved) {
  RandomGraph random(7);
  const ChoiceGraph graph = random.residual(2000);
  const ChoiceGraph::Selection found = graph.cheapest();
  EXPECT_TRUE(found.is_exact());
  EXPECT_NEAR(graph.price(found.options), found.price, 1e-9 * found.price);
}

}  // namespace
}  // namespace tacit::graph::passes
