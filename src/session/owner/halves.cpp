#include "session/owner/halves.h"

#include "graph/serialize.h"
#include "program/slots/key_manifest.h"
#include "session/owner/slots/plan.h"

namespace tacit::session {

Halves halves_of(const Compilation& compilation) {
  const graph::CompiledModel& model = compilation.model;
  nlohmann::ordered_json plan = plan_json(compilation);
  plan.erase("instructions");
  runtime::ModelHead head;
  head.name = compilation.name;
  head.literal = model.parameters;
  Halves halves{{head, model.program},
                {head, model.client, slots::key_manifest(model.program),
                 plan.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace), graph::to_bytes(model.parts)}};
  runtime::bind(halves.server, halves.client);
  return halves;
}

}  // namespace tacit::session
