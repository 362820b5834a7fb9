#include "session/owner/compiled_network.h"

#include <optional>

#include "base/parallel.h"
#include "program/integers/clear_program.h"
#include "program/integers/rank_plan.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/halves.h"
#include "session/owner/integers/engines.h"
#include "session/owner/integers/plan.h"
#include "session/owner/integers/range_monitor.h"
#include "session/owner/machine_costs.h"
#include "session/owner/rank_plan.h"

namespace tacit::session {
namespace {

class NetworkOnIntegers final : public CompiledNetwork {
 public:
  explicit NetworkOnIntegers(IntegerCompilation compilation)
      : compilation_(std::move(compilation)),
        reading_(compilation_.model.program),
        monitor_(compilation_.model, reading_) {}

  const CompilationHead& head() const override { return compilation_; }
  const graph::ClientParts& parts() const override { return compilation_.model.parts; }
  std::int64_t batch() const override { return 1; }
  nlohmann::ordered_json plan() const override {
    return integer_plan_json(compilation_, base::thread_limit(), machine_costs());
  }

  nlohmann::ordered_json plan_of_ranks(std::int64_t ranks, const params::Interconnect& network) const override {
    const integers::Program& program = compilation_.model.program;
    const params::TfheParameters parameters = params::TfheParameters::check(compilation_.model.parameters);
    std::vector<double> seconds;
    const nlohmann::ordered_json alone = plan();
    for (const nlohmann::ordered_json& instruction : alone.at("instructions"))
      seconds.push_back(instruction.at("seconds").get<double>());
    return rank_plan_json(
        integers::plan_ranks(program, parameters, seconds, runtime::memory_need(program, parameters), network, ranks),
        network);
  }
  HalvesRoots save_halves(const std::filesystem::path& server, const std::filesystem::path& client) const override {
    const IntegerHalves halves = halves_of(compilation_);
    return {runtime::save(halves.server, server), runtime::save(halves.client, client)};
  }

  std::vector<std::optional<RangeExcess>> check(std::int64_t first,
                                                std::span<const std::vector<graph::Tensor>> samples) override {
    return monitor_.check(first, samples);
  }
  std::vector<RangeExcess> excesses() const override { return monitor_.excesses(); }

  std::unique_ptr<Engine> encrypted(const base::MemoryBudget& memory, base::Progress& progress,
                                    std::size_t runs) const override {
    return make_integer_engine(compilation_.model, memory, progress, runs);
  }
  std::unique_ptr<Engine> simulated() const override {
    return make_simulated_integer_engine(compilation_.model, reading_);
  }

 private:
  IntegerCompilation compilation_;
  integers::ClearProgram reading_;
  IntegerRangeMonitor monitor_;
};

}  // namespace

std::unique_ptr<CompiledNetwork> network_on_integers(IntegerCompilation compilation) {
  return std::make_unique<NetworkOnIntegers>(std::move(compilation));
}

}  // namespace tacit::session
