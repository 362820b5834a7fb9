#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graph/quant/compile.h"
#include "session/owner/compiled_network.h"

namespace tacit::session {

/// A network on integers, and how long import and compilation took.
struct IntegerCompilation {
  std::string name;
  graph::Graph graph;
  graph::quant::CompiledIntegers model;
  double seconds = 0;
  std::vector<std::string> warnings{};
};

std::unique_ptr<CompiledNetwork> network_on_integers(IntegerCompilation compilation);

}  // namespace tacit::session
