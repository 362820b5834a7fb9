#include "graph/quant/compile.h"

#include <utility>

#include "base/error.h"
#include "graph/pipeline.h"
#include "graph/quant/choose_parameters.h"
#include "graph/quant/integers_draft.h"

namespace tacit::graph::quant {

void require_options(const CompileOptions& options) {
  if (options.bits < kFewestBits || options.bits > kMostBits)
    base::refuse("tables of {} bits (--bits): {} to {} are supported", options.bits, kFewestBits, kMostBits);
  using Limits = params::TfheLimits;
  if (!(options.log2_failure >= Limits::kLeastLog2Failure && options.log2_failure <= Limits::kMostLog2Failure))
    base::refuse("a failure probability of 2^{} (--failure): 2^{} to 2^{} are supported", options.log2_failure,
                 Limits::kLeastLog2Failure, Limits::kMostLog2Failure);
  if (options.parameters) static_cast<void>(params::TfheParameters::check(*options.parameters));
  check(options.passes, Target::integers);
}

CompiledIntegers compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  require_options(options);
  IntegersDraft draft(graph, options, progress);
  run_passes(draft);
  return std::move(draft.compiled);
}

}  // namespace tacit::graph::quant
