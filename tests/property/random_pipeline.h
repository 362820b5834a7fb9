#pragma once

#include <cstdint>
#include <vector>

#include "graph/graph.h"

namespace tacit {

/// What a random pipeline is made of.
struct PipelineKind {
  bool trees = false;  ///< an ensemble of trees answers; otherwise layers do
};

/// A network and how its inputs are distributed.
struct RandomPipeline {
  graph::Graph graph;
  std::vector<double> widths, middles;  ///< of the features
  std::vector<char> normal;             ///< by feature: normal, cut off at four deviations; otherwise uniform
  std::string text;                     ///< what it is made of, for people

  /// Rows of one tensor each.
  std::vector<std::vector<graph::Tensor>> rows(std::size_t count, std::uint64_t seed) const;
};

/// Equal seeds give equal pipelines. Features, units and targets have widths from 1e-4 to 1e5. Layers are scalers,
/// sums, functions, squares and products of two values.
RandomPipeline random_pipeline(const PipelineKind& kind, std::uint64_t seed);

}  // namespace tacit
