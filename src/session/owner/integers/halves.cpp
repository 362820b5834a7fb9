#include "session/owner/integers/halves.h"

#include "graph/serialize.h"
#include "session/owner/integers/plan.h"

namespace tacit::session {

IntegerHalves halves_of(const IntegerCompilation& compilation) {
  const graph::quant::CompiledIntegers& model = compilation.model;
  nlohmann::ordered_json plan = integer_plan_json(compilation, 1);  // the same bytes wherever it is compiled
  plan.erase("instructions");
  plan.erase("drawing");                               // it shows them
  plan["warnings"] = nlohmann::ordered_json::array();  // they speak of weights, which are the server's
  runtime::IntegerModelHead head;
  head.name = compilation.name;
  head.literal = model.parameters;
  IntegerHalves halves{{head, model.program},
                       {head, model.client, plan.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                        graph::to_bytes(model.parts)}};
  runtime::bind(halves.server, halves.client);
  return halves;
}

}  // namespace tacit::session
