#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace tacit::app::api {

/// The input of a compilation: an imported model, and samples of its inputs.
struct ImportedNetwork {
  std::string name;
  graph::Graph graph;
  std::vector<std::vector<graph::Tensor>> calibration;
};

}  // namespace tacit::app::api
