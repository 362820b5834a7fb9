#pragma once

#include <set>
#include <type_traits>
#include <utility>

#include "base/progress.h"
#include "graph/graph.h"
#include "graph/pass_control.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/network.h"
#include "graph/passes/recognise.h"

namespace tacit::graph::passes {

/// A model that is being compiled: the forms that the passes of both compilers read and write. The table of passes
/// (graph/pipeline.h) says which pass makes which form.
struct Draft {
  const Graph& model;  ///< as it was imported
  const PassControl& control;
  base::Progress& progress;
  PartyChoices choices;       ///< who may run operators, and whether the server has tables
  Graph graph{};              ///< the model as passes have rewritten it; only its encrypted part after `parties`
  Parties parties{};          ///< the encrypted part as it was given to the server, and the client's parts
  Recognised recognised{};    ///< the encrypted part with functions as single nodes
  std::set<TensorId> kept{};  ///< tensors that remain values of the network when linear operators are composed
  Network network{};
};

// The passes that both compilers share. Each has a row in the table of passes.

/// Replaces operators that are made of simpler ones (write_out.h).
void write_out_model(Draft& draft);
/// Gives operators to the server and to the client (assign_parties.h).
void part_model(Draft& draft);
/// Makes a single node of every function of one variable (recognise.h).
void recognise_functions(Draft& draft);
/// Makes the network of the encrypted part (linearise.h).
void linearise_graph(Draft& draft);
/// Composes neighbouring linear operators, except at the kept tensors (fold.h).
void fold_network(Draft& draft);

/// Makes a pass of a function that rewrites graphs.
template <auto rewrite>
void on_graph(Draft& draft) {
  draft.graph = rewrite(std::move(draft.graph));
}
/// Makes a pass of a function that rewrites networks, or changes them in place.
template <auto rewrite>
void on_network(Draft& draft) {
  if constexpr (std::is_void_v<decltype(rewrite(draft.network))>)
    rewrite(draft.network);
  else
    draft.network = rewrite(std::move(draft.network));
}

}  // namespace tacit::graph::passes
