#include "app/api/slots/model_on_slots.h"

#include <algorithm>

#include "app/api/insecure.h"
#include "app/api/memory.h"
#include "app/api/planned.h"
#include "session/owner/plan_reading.h"
#include "session/owner/plan_text.h"

namespace tacit {
scheme::ckks::ContextPtr OnSlots::context_of(const Literal& literal, InsecureParameters insecure) {
  return scheme::ckks::Context::make(app::api::permitted(literal, insecure));
}

Plan OnSlots::plan(const ClientModel& model, const params::CkksParameters& parameters) {
  Plan plan;
  plan.security_bits = parameters.security_bits();
  plan.log_n = parameters.log_n();
  plan.log_qp = parameters.log_qp();
  session::reading_plan(model.plan, [&](nlohmann::ordered_json json) {
    json["security_bits"] = plan.security_bits;
    json["log_n"] = plan.log_n;
    json["log_qp"] = plan.log_qp;
    const auto count = [&](const char* field) { return app::api::planned_count(json, field); };
    plan.levels = static_cast<int>(std::min<std::int64_t>(count("levels"), 1 << 20));
    plan.rotations = count("rotations");
    plan.rotation_keys = count("rotation_keys");
    plan.bootstraps = count("bootstraps");
    plan.batch = model.interface.batch;
    json["batch"] = plan.batch;
    app::api::read_common(json, plan);
    plan.text = session::plan_text(json);
  });
  return plan;
}

std::shared_ptr<const runtime::PreparedProgram> OnSlots::prepare(const ServerModel& model, const ContextPtr& context,
                                                                 std::uint64_t memory_bytes, int clients,
                                                                 std::span<const ModelKeys> held, Progress& progress) {
  std::uint64_t held_bytes = 0;
  for (const ModelKeys& keys : held) held_bytes += form_of<KeysOn<OnSlots>>(keys).keys->bytes();
  auto prepared = std::make_shared<const runtime::PreparedProgram>(
      context, model.program,
      runtime::PrepareOptions{.memory = app::api::work_budget(memory_bytes).with_held(held_bytes),
                              .clients = clients,
                              .progress = &progress});
  prepared->encode();
  return prepared;
}

}  // namespace tacit
