#include "graph/quant/compile.h"

#include <utility>

#include "base/error.h"
#include "graph/pipeline.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/integers_draft.h"

namespace tacit::graph::quant {

CompiledIntegers compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  if (options.bits < kFewestBits || options.bits > kMostBits)
    base::refuse("tables of {} bits (--bits): {} to {} are supported", options.bits, kFewestBits, kMostBits);
  check(options.passes, Target::integers);
  IntegersDraft draft(graph, options, progress);
  run_passes(draft);
  return std::move(draft.compiled);
}

}  // namespace tacit::graph::quant
