#include "session/owner/slots/cross_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"

namespace tacit::session {
namespace {

/// What one input was answered, plaintext and simulated, or why it has no answer: a value left its interval, or the
/// client's part refused it.
struct Answered {
  std::vector<graph::Tensor> plain, simulated;
  std::optional<std::string> miss;
};

/// The samples that calibrate for one part: of the other parts, evenly where they are too many.
std::vector<std::vector<graph::Tensor>> samples_for(std::size_t part, const ScoredInputs& inputs,
                                                    const CrossFitRequest& request) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < inputs.count; ++i)
    if (i % static_cast<std::size_t>(request.parts) != part) rows.push_back(i);
  const std::size_t taken = std::min(rows.size(), static_cast<std::size_t>(request.most_samples));
  std::vector<std::vector<graph::Tensor>> samples;
  for (std::size_t i = 0; i < taken; ++i) samples.push_back(inputs.sample(rows[i * rows.size() / taken]));
  return samples;
}

class CrossFitting {
 public:
  CrossFitting(const std::string& name, const graph::Graph& graph, const ScoredInputs& inputs,
               const CrossFitRequest& request)
      : name_(name), graph_(graph), inputs_(inputs), request_(request), answered_(inputs.count) {}

  CrossFit run(const graph::CompileOptions& options, base::Progress& progress) {
    CrossFit result{Scoreboard(graph_), {}, {}, {}, {}, {}};
    for (std::size_t part = 0; part < static_cast<std::size_t>(request_.parts); ++part) {
      graph::CompileOptions with_samples = options;
      with_samples.calibration = samples_for(part, inputs_, request_);
      const Compilation compilation = compile_graph(name_, graph_, with_samples, progress);
      CrossFitPart scored;
      scored.samples = static_cast<std::int64_t>(with_samples.calibration.size());
      scored.parameters = compilation.model.parameters.name;
      result.warnings.insert(compilation.warnings.begin(), compilation.warnings.end());
      answer(part, compilation, result.excesses, progress);
      result.parts.push_back(std::move(scored));
    }
    count(result);
    return result;
  }

 private:
  std::int64_t number(std::size_t i) const { return inputs_.first + static_cast<std::int64_t>(i); }

  void answer(std::size_t part, const Compilation& compilation, std::vector<RangeExcess>& excesses,
              base::Progress& progress) {
    const slots::ClearProgram reading(compilation.model.program);
    RangeMonitor monitor(compilation, reading);
    const std::unique_ptr<Engine> engine = make_simulated_engine(compilation, reading);
    std::vector<std::size_t> inputs;
    for (std::size_t i = part; i < answered_.size(); i += static_cast<std::size_t>(request_.parts)) inputs.push_back(i);
    progress.begin("simulating a part", inputs.size());
    base::parallel_for(0, inputs.size(), [&](std::size_t k) {
      const std::size_t i = inputs[k];
      Answered& answered = answered_[i];
      const std::vector<graph::Tensor> sample = inputs_.sample(i);
      answered.plain = graph::reference::run(graph_, sample);
      if (const auto excess = monitor.check(number(i), {&sample, 1}).front()) {
        answered.miss = miss_text(*excess);
      } else {
        Inference inference = engine->infer({&sample, 1});
        if (inference.refusals.front())
          answered.miss = fmt::format("input {}: {}", number(i), *inference.refusals.front());
        else
          answered.simulated = std::move(inference.outputs.front());
      }
      progress.advance(1);
    });
    progress.end();
    for (RangeExcess& excess : monitor.excesses()) excesses.push_back(std::move(excess));
  }

  void count(CrossFit& result) {
    std::vector<CrossFitPart*> with_answer;
    for (std::size_t i = 0; i < answered_.size(); ++i) {
      Answered& answered = answered_[i];
      CrossFitPart& part = result.parts[i % result.parts.size()];
      ++part.inputs;
      if (!answered.miss) {
        if (const auto nan = result.scores.nan_in(answered.simulated, answered.plain)) {
          answered.miss = fmt::format("input {}: {}", number(i), *nan);
          answered.simulated.clear();
        }
      }
      if (answered.miss) {
        ++part.misses;
        result.scores.miss(number(i));
      } else {
        result.scores.add(answered.simulated, answered.plain, inputs_.label ? inputs_.label(i) : std::nullopt);
        with_answer.push_back(&part);
      }
      result.misses.push_back(std::move(answered.miss));
      result.answers.push_back(std::move(answered.simulated));
    }
    // Numbers agree by the range of all of them.
    for (std::size_t k = 0; k < with_answer.size(); ++k)
      if (result.scores.agrees(k)) ++with_answer[k]->agreeing;
  }

  const std::string& name_;
  const graph::Graph& graph_;
  const ScoredInputs& inputs_;
  const CrossFitRequest& request_;
  std::vector<Answered> answered_;  // by input
};

}  // namespace

CrossFit cross_fit(const std::string& name, const graph::Graph& graph, const ScoredInputs& inputs,
                   const CrossFitRequest& request, const graph::CompileOptions& options, base::Progress& progress) {
  if (request.parts < 2 || std::cmp_greater(request.parts, inputs.count))
    base::refuse("--cross-fit {}: {} inputs are divided into at least 2 parts and at most as many as there are inputs",
                 request.parts, inputs.count);
  if (request.most_samples < 1) base::refuse("--calibrate-count {} must be at least 1", request.most_samples);
  return CrossFitting(name, graph, inputs, request).run(options, progress);
}

}  // namespace tacit::session
