#include "session/owner/halves.h"

#include "graph/serialize.h"
#include "program/slots/key_manifest.h"
#include "session/owner/integers/plan.h"
#include "session/owner/slots/plan.h"

namespace tacit::session {
namespace {

/// The plan of a client's half.
std::string text_of(nlohmann::ordered_json plan, const std::vector<std::string>& warnings) {
  plan.erase("instructions");
  plan["warnings"] = warnings;
  // Expected errors are of the samples, and the halves are the same with ranges in their place.
  plan.erase("outputs");
  plan.erase("expected_errors");
  return plan.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Gives both the name and the parameters of the compilation, and binds them.
template <class HalvesOfScheme, class CompilationOfScheme>
HalvesOfScheme bound(HalvesOfScheme halves, const CompilationOfScheme& compilation) {
  halves.server.name = halves.client.name = compilation.name;
  halves.server.literal = halves.client.literal = compilation.model.parameters;
  runtime::bind(halves.server, halves.client);
  return halves;
}

}  // namespace

Halves halves_of(const Compilation& compilation) {
  const graph::CompiledModel& model = compilation.model;
  return bound(Halves{{{}, model.program},
                      {{},
                       model.client,
                       slots::key_manifest(model.program),
                       text_of(plan_json(compilation), compilation.warnings),
                       graph::to_bytes(model.parts)}},
               compilation);
}

IntegerHalves halves_of(const IntegerCompilation& compilation) {
  const graph::quant::CompiledIntegers& model = compilation.model;
  nlohmann::ordered_json plan = integer_plan_json(compilation, 1);  // the same bytes wherever it is compiled
  plan.erase("drawing");                                            // it shows instructions
  const std::vector<std::string> none;                              // they speak of weights, which are the server's
  return bound(IntegerHalves{{{}, model.program},
                             {{}, model.client, text_of(std::move(plan), none), graph::to_bytes(model.parts)}},
               compilation);
}

}  // namespace tacit::session
