#include "graph/passes/draft.h"

#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/write_out.h"

namespace tacit::graph::passes {

void write_out_model(Draft& draft) { draft.graph = write_out(draft.model); }

void part_model(Draft& draft) {
  draft.parties = assign_parties(draft.graph, draft.choices);
  draft.graph = draft.parties.encrypted;
}

void recognise_functions(Draft& draft) { draft.recognised = recognise(draft.graph, draft.choices.tables); }

void linearise_graph(Draft& draft) { draft.network = linearise(draft.recognised); }

void fold_network(Draft& draft) { draft.network = fold(draft.network, draft.kept); }

}  // namespace tacit::graph::passes
