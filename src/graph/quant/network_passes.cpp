#include "graph/quant/network_passes.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "graph/passes/far_rows.h"
#include "graph/quant/element_bounds.h"
#include "graph/quant/feature_ranges.h"
#include "graph/quant/integers_draft.h"
#include "graph/quant/join_sums.h"
#include "graph/quant/known_interval.h"
#include "graph/quant/measured_elements.h"
#include "graph/quant/pass_texts.h"
#include "graph/quant/split_inputs.h"

namespace tacit::graph::quant {
namespace {

/// Throws InputError if all samples are the same, because they then show no range.
void require_different(const std::vector<std::vector<Tensor>>& samples, const Graph& encrypted) {
  if (samples.empty() || encrypted.inputs.empty()) return;
  for (std::size_t i = 0; i < encrypted.inputs.size(); ++i)
    for (const std::vector<Tensor>& sample : samples)
      if (sample.at(i).data != samples.front().at(i).data) return;
  base::refuse(
      "node '{}': {}, so that {} not show what range this input and the sums behind it take: give samples "
      "that differ (--calibrate), or --input-range without samples",
      encrypted.tensors[encrypted.inputs.at(0)].name,
      samples.size() == 1 ? std::string("there is one calibration sample")
                          : fmt::format("all {} calibration samples are the same", samples.size()),
      samples.size() == 1 ? "it does" : "they do");
}

FeatureGrids grids_of(const IntegersDraft& draft) {
  return FeatureGrids(draft.network, draft.samples, roundings_of(draft.network, draft.parties.encrypted));
}

/// Returns how samples are read. Features of trees may be missing.
passes::SampleReading reading_of(const IntegersDraft& draft) {
  return {.elements = passes::ToldApart::everything,
          .may_miss = [&](passes::ValueId id) { return draft.grids.has(id) || draft.grids.is_folded(id); }};
}

/// Gives every element its range and its mean: measured ones, those of the samples, or bounds.
void find_elements(IntegersDraft& draft, const std::vector<MeasuredElements> Measurements::*measured) {
  draft.grids = grids_of(draft);
  if (draft.options.measured)
    restore_elements(draft.network, *draft.options.measured.*measured, draft.grids);
  else if (draft.by_intervals())
    bound_elements(draft.network, *draft.interval);
  else
    passes::calibrate(draft.network, draft.samples, draft.progress, reading_of(draft));
}

}  // namespace

void take_client_samples(IntegersDraft& draft) {
  draft.samples = samples_behind(draft.parties.client, draft.options.calibration);
  require_different(draft.samples, draft.parties.encrypted);
  draft.interval = known_interval(draft.parties.client, draft.options.input_range);
}

void require_samples_of_functions(IntegersDraft& draft) {
  if (!draft.by_intervals() && !draft.options.measured) passes::require_samples(draft.recognised, draft.samples);
}

void split_inputs(IntegersDraft& draft) {
  Graph& encrypted = draft.parties.encrypted;
  ClientParts& client = draft.parties.client;
  for (const TensorId id : encrypted.inputs) draft.inputs.push_back(encrypted.tensors[id].name);
  draft.grids = grids_of(draft);
  for (const std::size_t origin :
       split_shared_inputs(draft.network, draft.grids, roundings_of(draft.network, encrypted))) {
    draft.inputs.push_back(draft.inputs.at(origin) + " (compared)");
    std::vector<TensorId>& made = client.before.outputs;  // those that are kept come last
    made.insert(made.end() - static_cast<std::ptrdiff_t>(client.kept), TensorId{made.at(origin)});
    encrypted.inputs.push_back(encrypted.inputs.at(origin));
    for (std::vector<Tensor>& sample : draft.samples) sample.push_back(sample.at(origin));
  }
  draft.grids = grids_of(draft);
}

void set_far_rows_aside(IntegersDraft& draft) {
  FarRows& far = draft.compiled.far_rows;
  if (const auto& measured = draft.options.measured) {
    far = measured->far_rows;
  } else if (!draft.by_intervals()) {
    passes::Network tried = draft.network;  // its ranges may come from rows that are set aside
    far = passes::calibrate_on_ordinary(tried, draft.samples, draft.options.trim, draft.options.first_sample,
                                        draft.interval, draft.progress, reading_of(draft))
              .far;
  }
  draft.control.tell("set-rows-aside", [&] { return far_rows_text(far); });
}

void write_out_products_of_two(IntegersDraft& draft) {
  if (!has_products_to_write_out(draft.network)) return;
  find_elements(draft, &Measurements::factors);
  if (Measurements* const record = draft.record()) record->factors = note_elements(draft.network);
  draft.network = write_out_products(draft.network);
}

void find_ranges(IntegersDraft& draft) {
  find_elements(draft, &Measurements::values);
  if (const auto& measured = draft.options.measured) restore_grids(draft.network, measured->grids, draft.grids);
}

void narrow_features(IntegersDraft& draft) {
  if (draft.by_intervals() || draft.options.measured) return;
  const bool tells = draft.control.explains("narrow-features");
  const passes::Network before = tells ? draft.network : passes::Network();
  narrow_tree_features(draft.network, draft.samples, draft.grids);
  if (tells) draft.control.explain("narrow-features", changed_ranges_text(before, draft.network));
}

}  // namespace tacit::graph::quant
