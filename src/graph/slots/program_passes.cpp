#include "graph/slots/program_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include "base/percent_text.h"
#include "graph/passes/text_forms.h"
#include "graph/slots/check_magnitudes.h"
#include "graph/slots/slots_draft.h"

namespace tacit::graph::passes {
namespace {

// Returns what people are told of series that are lower than samples ask for. `why` is the refusal of higher ones.
std::string lowered_degrees(const ChosenDegrees& chosen, const std::string& why) {
  const auto worst = std::ranges::max_element(chosen.approximations, {}, &Approximation::share);
  std::string text = fmt::format(
      "polynomials have lower degrees than the samples ask for, so that a parameter set fits: the worst, of degree {} "
      "for {} '{}', is off by up to {} of the function's largest value",
      worst->degree, worst->op, worst->node, base::percent_text(worst->share));
  if (chosen.changed > 0) text += fmt::format(", and {} of the answers change", base::percent_text(chosen.changed));
  return text + ". With the degrees asked for: " + why;
}

// Lowers the highest degrees by a level, because no set has the levels (`why`). Returns false if that is not allowed.
bool make_coarser(SlotsDraft& draft, const std::string& why) {
  const CompileOptions& options = draft.options;
  if (!options.calibrated() || options.measured || options.parameters) return false;
  std::optional<Sharper> coarse = coarser(draft.network, draft.chosen, *draft.answers, options);
  if (!coarse) return false;
  draft.network = std::move(coarse->network);
  draft.chosen = std::move(coarse->chosen);
  draft.compiled.degree_warning = lowered_degrees(draft.chosen, why);
  return true;
}

// Heads the candidates of a network with these series in the explanation of the search.
void tell_series(const SlotsDraft& draft, const char* name, const ChosenDegrees& chosen) {
  if (chosen.approximations.empty()) return;
  draft.control.tell("search", [&] {
    const auto [least, most] =
        std::ranges::minmax(chosen.approximations | std::views::transform(&Approximation::degree));
    return least == most ? fmt::format("{} of degree {}:\n", name, least)
                         : fmt::format("{} of degrees {} to {}:\n", name, least, most);
  });
}

void lower_finer(SlotsDraft& draft, const std::optional<std::int64_t>& samples) {
  FinerSeries& finer = *draft.finer;
  finer.tried = true;
  const Sharper& series = finer.series;
  tell_series(draft, "finer series", series.chosen);
  base::Feasible<Batch> batch = choose_batch(draft, {series.network, series.chosen.outputs, series.network}, samples);
  if (batch)
    finer.batch = *std::move(batch);
  else
    finer.lacking = batch.problem().reason();
}

bool costs_at_most(double times, const Batch& finer, const Batch& coarser) {
  const slots::ProgramCost &fine = finer.lowered.cost, &coarse = coarser.lowered.cost;
  return fine.seconds <= times * coarse.seconds && fine.memory.peak() <= times * coarse.memory.peak();
}

// Returns the finer series, and what became of them, in comparison to the series of the draft.
std::string verdict(const SlotsDraft& draft, bool worth) {
  const FinerSeries& finer = *draft.finer;
  std::string seconds = finer.lacking;
  if (finer.batch) seconds = fmt::format("{:.4g} s", finer.batch->lowered.cost.seconds);
  if (finer.batch && draft.batch) seconds += fmt::format(" instead of {:.4g}", draft.batch->lowered.cost.seconds);
  const ChosenDegrees& series = finer.series.chosen;
  const bool by_answers = draft.chosen.changed > 0;
  const auto judged = [&](const ChosenDegrees& by) { return base::percent_text(by_answers ? by.changed : by.off, 3); };
  return fmt::format("{}{} {} instead of {}, {}: {}\n", to_text(series.approximations), judged(series),
                     by_answers ? "of answers changed" : "off at most", judged(draft.chosen), seconds,
                     worth ? "taken" : "left");
}

}  // namespace

void fit_series(SlotsDraft& draft) {
  draft.chosen = draft.options.measured ? restore_degrees(draft.network, draft.options)
                                        : choose_degrees(draft.network, *draft.answers, draft.options, draft.progress);
  draft.control.tell("degrees", [&] { return to_text(draft.chosen.approximations); });
}

void fit_finer_series(SlotsDraft& draft) {
  if (auto series = sharper(draft.network, draft.chosen, *draft.answers, draft.options, draft.progress))
    draft.finer = FinerSeries{*std::move(series)};
}

void search_programs(SlotsDraft& draft) {
  if (draft.finer && !is_of_use(draft.chosen)) lower_finer(draft, draft.options.batch);
  if (draft.finer && draft.finer->batch) return;
  do {
    if (draft.finer || draft.lacking) tell_series(draft, draft.lacking ? "coarser series" : "series", draft.chosen);
    base::Feasible<Batch> batch =
        choose_batch(draft, {draft.network, draft.chosen.outputs, draft.checked()}, draft.options.batch);
    if (batch) {
      draft.batch = *std::move(batch);
      return;
    }
    draft.lacking = batch.problem();
  } while (draft.lacking->lack == base::Infeasible::Lack::levels && make_coarser(draft, draft.lacking->sentence()));
}

void price_finer_series(SlotsDraft& draft) {
  if (!draft.finer || !(draft.batch || draft.finer->batch)) return;
  FinerSeries& finer = *draft.finer;
  Calibration* const record = draft.record();
  const std::vector<double> allowed = record ? record->allowed_noise : std::vector<double>();
  if (!finer.tried) lower_finer(draft, draft.batch->samples());
  const bool worth = finer.batch && (!draft.batch || costs_at_most(price_of_answers(finer.series.chosen, draft.chosen),
                                                                   *finer.batch, *draft.batch));
  draft.control.tell("sharper-degrees", [&] { return verdict(draft, worth); });
  if (worth) {
    draft.batch = std::move(finer.batch);
    draft.network = std::move(finer.series.network);
    draft.chosen = std::move(finer.series.chosen);
  } else if (record) {
    record->allowed_noise = allowed;
  }
}

void take_parameters(SlotsDraft& draft) {
  if (!draft.batch) draft.lacking->refuse();
  draft.control.tell("parameters", [&] { return params::to_json(draft.batch->lowered.literal) + "\n"; });
}

void take_program(SlotsDraft& draft) {
  CompiledModel& compiled = draft.compiled;
  const Lowered& lowered = draft.batch->lowered;
  if (draft.options.measured) compiled.degree_warning = draft.options.measured->degree_warning;
  if (Calibration* const record = draft.record()) {
    record_degrees(draft.network, draft.chosen, *record);
    record->degree_warning = compiled.degree_warning;
  }
  compiled.approximations = draft.chosen.approximations;
  compiled.answers_changed = draft.chosen.changed;
  compiled.far_rows = draft.exact.far;
  compiled.memory = lowered.cost.memory;
  compiled.encoded_anew = slots::encoded_anew(lowered.cost, static_cast<double>(draft.options.memory.available()));
  for (const auto& [pass, text] : lowered.decisions) draft.control.tell(pass, [&] { return text; });
  tell_sharding(draft);
}

void check_program(SlotsDraft& draft) {
  check_magnitudes(draft.batch->bounded, draft.batch->lowered, draft.options.calibrated());
}

}  // namespace tacit::graph::passes
