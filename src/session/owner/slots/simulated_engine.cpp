#include <atomic>

#include "graph/client_answers.h"
#include "params/ckks_parameters.h"
#include "program/slots/clear_program.h"
#include "program/slots/noise_model.h"
#include "session/owner/engine.h"
#include "session/owner/run_inputs.h"
#include "session/stopwatch.h"

namespace tacit::session {
namespace {

class SimulatedEngine final : public Engine {
 public:
  SimulatedEngine(const Compilation& compilation, const slots::ClearProgram& reading)
      : compilation_(compilation),
        client_(compilation.model.parts),
        reading_(reading),
        noise_(slots::modelled_noise(compilation.model.program,
                                     params::CkksParameters::check(compilation.model.parameters))) {}

  Inference infer(std::span<const std::vector<graph::Tensor>> samples) override {
    const Stopwatch watch;
    const graph::CompiledModel& model = compilation_.model;
    const std::vector<std::vector<double>> results = program::from_units(
        model.client, reading_.run(run_inputs(model, samples), {}, slots::ClearProgram::Noise{noise_, next_seed_++}));
    Inference inference;
    inference.refusals.resize(samples.size());
    for (std::size_t s = 0; s < samples.size(); ++s) try {
        inference.outputs.push_back(graph::answers_of(client_, program::of_sample(model.client, results, s),
                                                      graph::kept_tensors(model.parts, samples[s])));
      } catch (const base::InputError& error) {
        inference.refusals[s] = error.what();
        inference.outputs.emplace_back();
      }
    inference.evaluate_seconds = watch.seconds();
    return inference;
  }
  bool concurrent() const override { return true; }

 private:
  const Compilation& compilation_;
  const graph::ClientRun client_;
  const slots::ClearProgram& reading_;
  slots::NoiseModel noise_;
  std::atomic<std::uint64_t> next_seed_{1};
};

}  // namespace

std::unique_ptr<Engine> make_simulated_engine(const Compilation& compilation, const slots::ClearProgram& reading) {
  return std::make_unique<SimulatedEngine>(compilation, reading);
}

}  // namespace tacit::session
