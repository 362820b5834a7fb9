#pragma once

#include <tacit/model.h>

#include "graph/graph.h"
#include "session/owner/engine.h"

namespace tacit::app::api {

/// Returns the answers of an engine to inputs of a graph, `batch` per run.
std::vector<Tensors> answers_of(session::Engine& engine, const graph::Graph& graph, std::span<const Tensors> inputs,
                                std::size_t batch, Progress& progress);

}  // namespace tacit::app::api
