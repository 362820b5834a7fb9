#include "session/owner/slots/cross_fit.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "graph/reference/run.h"
#include "program/slots/clear_program.h"
#include "session/owner/compilation.h"
#include "session/owner/engine.h"

namespace tacit::session {
namespace {

/// What one input was answered, plaintext and simulated; no simulated answer where a value left its interval, or where
/// the client's part refused it.
struct Answered {
  std::vector<graph::Tensor> plain;
  std::optional<std::vector<graph::Tensor>> simulated;
};

/// The samples that calibrate for one part: of the other parts, evenly where they are too many.
std::vector<std::vector<graph::Tensor>> samples_for(std::int64_t part, const Dataset& data,
                                                    const CrossFitRequest& request) {
  std::vector<std::int64_t> rows;
  for (std::int64_t row = request.first; row < request.end; ++row)
    if ((row - request.first) % request.parts != part) rows.push_back(row);
  const auto others = static_cast<std::int64_t>(rows.size());
  const std::int64_t taken = std::min(others, request.most_samples);
  std::vector<std::vector<graph::Tensor>> samples;
  for (std::int64_t i = 0; i < taken; ++i)
    samples.push_back(data.sample(rows[static_cast<std::size_t>(i * others / taken)]));
  return samples;
}

class CrossFitting {
 public:
  CrossFitting(const std::string& name, const graph::Graph& graph, const Dataset& data, const CrossFitRequest& request)
      : name_(name),
        graph_(graph),
        data_(data),
        request_(request),
        answered_(static_cast<std::size_t>(request.end - request.first)) {}

  CrossFit run(const graph::CompileOptions& options, base::Progress& progress) {
    CrossFit result{Scoreboard(graph_), {}, {}, {}};
    for (std::int64_t part = 0; part < request_.parts; ++part) {
      graph::CompileOptions with_samples = options;
      with_samples.calibration = samples_for(part, data_, request_);
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
  void answer(std::int64_t part, const Compilation& compilation, std::vector<RangeExcess>& excesses,
              base::Progress& progress) {
    const slots::ClearProgram reading(compilation.model.program);
    RangeMonitor monitor(compilation, reading);
    const std::unique_ptr<Engine> engine = make_simulated_engine(compilation, reading);
    std::vector<std::size_t> inputs;
    for (auto i = static_cast<std::size_t>(part); i < answered_.size(); i += static_cast<std::size_t>(request_.parts))
      inputs.push_back(i);
    progress.begin("simulating a part", inputs.size());
    base::parallel_for(0, inputs.size(), [&](std::size_t k) {
      Answered& answered = answered_[inputs[k]];
      const std::int64_t row = request_.first + static_cast<std::int64_t>(inputs[k]);
      const std::vector<graph::Tensor> sample = data_.sample(row);
      answered.plain = graph::reference::run(graph_, sample);
      if (!monitor.check(row, {&sample, 1}).front()) {
        Inference inference = engine->infer({&sample, 1});
        if (!inference.refusals.front()) answered.simulated = std::move(inference.outputs.front());
      }
      progress.advance(1);
    });
    progress.end();
    for (RangeExcess& excess : monitor.excesses()) excesses.push_back(std::move(excess));
  }

  void count(CrossFit& result) const {
    std::vector<CrossFitPart*> with_answer;
    for (std::size_t i = 0; i < answered_.size(); ++i) {
      CrossFitPart& part = result.parts[i % result.parts.size()];
      const std::int64_t row = request_.first + static_cast<std::int64_t>(i);
      ++part.inputs;
      if (!answered_[i].simulated || result.scores.nan_in(*answered_[i].simulated, answered_[i].plain)) {
        ++part.misses;
        result.scores.miss(row);
        continue;
      }
      const auto label =
          request_.labels.empty() ? std::nullopt : std::optional(request_.labels[static_cast<std::size_t>(row)]);
      result.scores.add(*answered_[i].simulated, answered_[i].plain, label);
      with_answer.push_back(&part);
    }
    // Numbers agree by the range of all of them.
    for (std::size_t k = 0; k < with_answer.size(); ++k)
      if (result.scores.agrees(k)) ++with_answer[k]->agreeing;
  }

  const std::string& name_;
  const graph::Graph& graph_;
  const Dataset& data_;
  const CrossFitRequest& request_;
  std::vector<Answered> answered_;  // by input
};

}  // namespace

CrossFit cross_fit(const std::string& name, const graph::Graph& graph, const Dataset& data,
                   const CrossFitRequest& request, const graph::CompileOptions& options, base::Progress& progress) {
  const std::int64_t inputs = request.end - request.first;
  if (request.parts < 2 || request.parts > inputs)
    base::refuse("--cross-fit {}: {} inputs are divided into at least 2 parts and at most as many as there are inputs",
                 request.parts, inputs);
  if (request.most_samples < 1) base::refuse("--calibrate-count {} must be at least 1", request.most_samples);
  return CrossFitting(name, graph, data, request).run(options, progress);
}

}  // namespace tacit::session
