#include "graph/quant/feature_ranges.h"

#include <algorithm>

#include "graph/quant/provenance.h"

namespace tacit::graph::quant {
namespace {

/// The share of the samples that is left out on either side.
constexpr double kLeftOut = 0.01;

}  // namespace

void narrow_tree_features(passes::Network& network, const std::vector<std::vector<Tensor>>& samples,
                          const FeatureGrids& grids) {
  const auto left_out = static_cast<std::size_t>(kLeftOut * static_cast<double>(samples.size()));
  if (left_out == 0) return;
  const Provenance provenance(network);
  for (passes::ValueId id = 0; id < network.values.size(); ++id) {
    const auto* trees = std::get_if<passes::Trees>(&network.values[id].operation);
    if (trees == nullptr || grids.covers(id)) continue;
    passes::Value& features = network.values[provenance.source(trees->input)];
    const auto* input = std::get_if<passes::Private>(&features.operation);
    if (input == nullptr) continue;
    for (std::size_t e = 0; e < features.element_ranges.size(); ++e) {
      std::vector<double> shown;
      for (const std::vector<Tensor>& sample : samples) shown.push_back(sample[input->input].data[e]);
      std::ranges::sort(shown);
      features.element_ranges[e] = {shown[left_out], shown[shown.size() - 1 - left_out]};
    }
  }
}

}  // namespace tacit::graph::quant
