#include "session/owner/compiled_network.h"

#include "program/slots/clear_program.h"
#include "program/slots/rank_plan.h"
#include "session/owner/halves.h"
#include "session/owner/machine_costs.h"
#include "session/owner/rank_plan.h"
#include "session/owner/slots/plan.h"
#include "session/owner/slots/range_monitor.h"

namespace tacit::session {
namespace {

class NetworkOnSlots final : public CompiledNetwork {
 public:
  NetworkOnSlots(Compilation compilation, CompileOptions options)
      : compilation_(std::move(compilation)),
        options_(std::move(options)),
        reading_(compilation_.model.program),
        monitor_(compilation_, reading_) {}

  const CompilationHead& head() const override { return compilation_; }
  const graph::ClientParts& parts() const override { return compilation_.model.parts; }
  std::int64_t batch() const override { return compilation_.model.client.batch; }
  nlohmann::ordered_json plan() const override { return plan_json(compilation_, shown_costs(compilation_, options_)); }
  nlohmann::ordered_json plan_of_ranks(std::int64_t ranks, const params::Interconnect& network) const override {
    const graph::CompiledModel& model = compilation_.model;
    return rank_plan_json(
        slots::plan_ranks(model.program, model.parameters, shown_costs(compilation_, options_), network, ranks),
        network);
  }
  HalvesRoots save_halves(const std::filesystem::path& server, const std::filesystem::path& client) const override {
    const Halves halves = halves_of(compilation_);
    return {runtime::save(halves.server, server), runtime::save(halves.client, client)};
  }
  std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                std::span<const std::vector<graph::Tensor>> samples) override {
    return monitor_.check(first, samples);
  }
  std::vector<RangeExcess> excesses() const override { return monitor_.excesses(); }
  std::unique_ptr<Engine> encrypted(const base::MemoryBudget& memory, base::Progress& progress,
                                    std::size_t runs) const override {
    return make_encrypted_engine(compilation_, memory, progress, runs);
  }
  std::unique_ptr<Engine> simulated() const override { return make_simulated_engine(compilation_, reading_); }

 private:
  Compilation compilation_;
  CompileOptions options_;
  slots::ClearProgram reading_;
  RangeMonitor monitor_;
};

}  // namespace

std::unique_ptr<CompiledNetwork> network_on_slots(Compilation compilation, const CompileOptions& options) {
  return std::make_unique<NetworkOnSlots>(std::move(compilation), options);
}

}  // namespace tacit::session
