#include <atomic>

#include "params/ckks_parameters.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"
#include "session/owner/engine.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

class SimulatedEngine final : public Engine {
 public:
  SimulatedEngine(const Compilation& compilation, const slots::ClearProgram& reading)
      : compilation_(compilation),
        reading_(reading),
        noise_(slots::modelled_noise(compilation.model.program,
                                     params::CkksParameters::check(compilation.model.parameters))) {}

  Inference infer(std::span<const graph::Tensor> sample) override {
    const Stopwatch watch;
    const graph::CompiledModel& model = compilation_.model;
    const std::vector<std::vector<double>> results =
        reading_.run(graph::numbers_of(graph::run_before(model.parts, sample)), {},
                     slots::ClearProgram::Noise{noise_, next_seed_++});
    Inference inference;
    inference.outputs = graph::run_after(model.parts, program::from_units(model.client, results));
    inference.evaluate_seconds = watch.seconds();
    return inference;
  }
  bool concurrent() const override { return true; }
  double keygen_seconds() const override { return 0; }
  double encode_seconds() const override { return 0; }
  std::uint64_t key_bytes() const override { return 0; }

 private:
  const Compilation& compilation_;
  const slots::ClearProgram& reading_;
  slots::NoiseModel noise_;
  std::atomic<std::uint64_t> next_seed_{1};
};

}  // namespace

std::unique_ptr<Engine> make_simulated_engine(const Compilation& compilation, const slots::ClearProgram& reading) {
  return std::make_unique<SimulatedEngine>(compilation, reading);
}

}  // namespace tacit::session
