#include "app/api/simulation.h"

#include "app/api/model_impl.h"

namespace tacit::app::api {

std::vector<Tensors> answers_of(session::Engine& engine, const graph::Graph& graph, std::span<const Tensors> inputs,
                                std::size_t batch, Progress& progress) {
  const runtime::BatchedInputs batched{inputs.size(), batch};
  std::vector<Tensors> answers;
  progress.begin("simulating", inputs.size());
  for (std::size_t run = 0; run < batched.samples(); ++run) {
    std::vector<std::vector<graph::Tensor>> samples;
    for (const Tensors& input : inputs.subspan(run * batch, batched.of(run)))
      samples.push_back(sample_of(graph, input, "an input"));
    session::Inference inference = engine.infer(samples);
    for (const std::optional<std::string>& refusal : inference.refusals)
      if (refusal) throw InputError(*refusal);
    for (std::vector<graph::Tensor>& outputs : inference.outputs) answers.push_back(numbers_of(std::move(outputs)));
    progress.advance(samples.size());
  }
  progress.end();
  return answers;
}

}  // namespace tacit::app::api
