#include "graph/passes/batched.h"

#include <utility>

#include "layout/operators/repeated.h"

namespace tacit::graph::passes {
namespace {

using layout::Index;

/// Repeats a list that has an entry for every element, or is empty.
template <class T>
void repeat(std::vector<T>& list, Index times) {
  const std::vector<T> one = list;
  list.reserve(one.size() * static_cast<std::size_t>(times));
  for (Index t = 1; t < times; ++t) list.insert(list.end(), one.begin(), one.end());
}

/// Returns the blocks of a sample for a batch, whose samples share the blocks.
layout::ArraySharding beside(const layout::ArraySharding& sharding, std::size_t rank) {
  layout::ArraySharding::Spec spec = sharding.spec();
  spec.insert(spec.begin(), rank - spec.size(), layout::ArraySharding::kWhole);
  return {sharding.mesh(), std::move(spec)};
}

}  // namespace

Network batched(const Network& network, Index batch) {
  if (batch == 1) return network;
  Network result = network;
  for (Value& value : result.values) {
    const Index elements = layout::element_count(value.shape);
    value.shape = layout::side_by_side(value.shape, batch);
    layout::element_count(value.shape);  // refuses too many
    if (value.sharding) value.sharding = beside(*value.sharding, value.shape.size());
    for (layout::ArraySharding& offered : value.offered) offered = beside(offered, value.shape.size());
    repeat(value.element_ranges, batch);
    value.stretch = value.stretch.repeated(elements, batch);
    repeat(value.reached, batch);
    if (auto* input = std::get_if<Private>(&value.operation)) {
      repeat(input->units, batch);
    } else if (auto* affine = std::get_if<Affine>(&value.operation)) {
      for (AffineTerm& term : affine->terms) term.op = layout::repeated(term.op, batch);
      affine->bias = affine->bias.repeated(elements, batch);
    } else if (auto* contraction = std::get_if<Contraction>(&value.operation)) {
      contraction->samples = batch;
      contraction->left_steps.sample = layout::element_count(network.values[contraction->left].shape);
      contraction->right_steps.sample = layout::element_count(network.values[contraction->right].shape);
    }
  }
  return result;
}

std::vector<std::vector<Tensor>> batched(const std::vector<std::vector<Tensor>>& samples, Index batch) {
  if (batch == 1) return samples;
  std::vector<std::vector<Tensor>> groups;
  for (std::size_t begin = 0; begin < samples.size(); begin += static_cast<std::size_t>(batch)) {
    std::vector<Tensor> group = samples[begin];
    for (Tensor& tensor : group) tensor.shape = layout::side_by_side(tensor.shape, batch);
    for (std::size_t i = 1; i < static_cast<std::size_t>(batch); ++i) {
      const std::vector<Tensor>& next = samples[(begin + i) % samples.size()];
      for (std::size_t t = 0; t < group.size(); ++t)
        group[t].data.insert(group[t].data.end(), next[t].data.begin(), next[t].data.end());
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace tacit::graph::passes
