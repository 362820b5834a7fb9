#include "graph/quant/measured_elements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "base/error.h"
#include "program/integers/serialize.h"

namespace tacit::graph::quant {
namespace {

using passes::Network;
using passes::Value;
using passes::ValueId;

[[noreturn]] void refuse_ranges(const std::string& what) {
  base::refuse(
      "the ranges do not fit the network: {}; they were changed, or measured by another release: run 'tacit calibrate' "
      "again",
      what);
}

/// Returns the private inputs by position.
std::vector<ValueId> inputs_of(const Network& network) {
  std::vector<ValueId> inputs;
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (const auto* input = std::get_if<passes::Private>(&network.values[id].operation)) {
      inputs.resize(std::max(inputs.size(), input->input + 1));
      inputs[input->input] = id;
    }
  return inputs;
}

}  // namespace

std::vector<MeasuredElements> note_elements(const Network& network) {
  std::vector<MeasuredElements> noted;
  for (const Value& value : network.values) noted.push_back({value.node, value.element_ranges, value.element_means});
  return noted;
}

void restore_elements(Network& network, const std::vector<MeasuredElements>& noted, const FeatureGrids& grids) {
  if (noted.size() != network.values.size())
    refuse_ranges(fmt::format("they hold {} values, and the network has {}", noted.size(), network.values.size()));
  for (ValueId id = 0; id < network.values.size(); ++id) {
    Value& value = network.values[id];
    const MeasuredElements& elements = noted[id];
    const auto count = static_cast<std::size_t>(layout::element_count(value.shape));
    if (elements.node != value.node || elements.ranges.size() != count || elements.means.size() != count)
      refuse_ranges(
          fmt::format("value {} has {} elements and belongs to node '{}' ({})", id, count, value.node, value.op));
    value.element_ranges = elements.ranges;
    value.element_means = elements.means;
    value.range = {};
    const bool may_miss = grids.has(id) || grids.is_folded(id);
    for (std::size_t e = 0; e < count; ++e) {
      if (elements.ranges[e].known())
        value.range.include(elements.ranges[e]);
      else if (!may_miss)
        refuse_ranges(fmt::format("element {} of node '{}' ({}) has no range", e, value.node, value.op));
    }
  }
}

std::vector<MeasuredGrid> note_grids(const Network& network, const FeatureGrids& grids, int bits) {
  std::vector<MeasuredGrid> noted;
  const std::vector<ValueId> inputs = inputs_of(network);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!grids.has(inputs[i])) continue;
    FeatureGrid grid = grids.grid(inputs[i], bits);
    std::erase_if(grid.points, [](double point) { return std::isnan(point); });
    noted.push_back({i, bits, std::move(grid.borders.rising), std::move(grid.points)});
  }
  return noted;
}

void restore_grids(const Network& network, const std::vector<MeasuredGrid>& noted, FeatureGrids& grids) {
  const std::vector<ValueId> inputs = inputs_of(network);
  for (const MeasuredGrid& grid : noted)
    if (grid.input >= inputs.size() || !grids.has(inputs[grid.input]) ||
        !grids.take(inputs[grid.input], grid.bits, grid.borders, grid.points))
      refuse_ranges(fmt::format("a grid of {} bits for input {} is not one of it", grid.bits, grid.input));
}

base::Digest digest_of(const Quantised& quantised, const params::TfheLiteral& parameters) {
  const std::vector<std::uint8_t> program = integers::to_bytes(quantised.program),
                                  client = integers::to_bytes(quantised.client);
  const std::string literal = params::to_json(parameters);
  base::Sha256 hash;
  hash.update(std::as_bytes(std::span(program)))
      .update(std::as_bytes(std::span(client)))
      .update(std::as_bytes(std::span(literal)));
  return hash.finish();
}

void require_measured(const MeasuredProgram& measured, const Quantised& quantised,
                      const params::TfheLiteral& parameters) {
  if (measured.digest != digest_of(quantised, parameters) ||
      measured.neighbour_rates.size() != quantised.program.instructions.size())
    base::refuse(
        "the ranges say nothing about the program that they lead to: the range of the inputs (--input-range) is "
        "another, "
        "or they were changed, or measured by another release; run 'tacit calibrate' with the options that are given "
        "here");
}

const std::vector<double>& measured_errors(const MeasuredProgram& measured, std::size_t outputs) {
  if (measured.errors.size() != outputs)
    base::refuse(
        "the ranges hold errors of {} outputs, and the program has {}; they were changed: run 'tacit calibrate' again",
        measured.errors.size(), outputs);
  return measured.errors;
}

}  // namespace tacit::graph::quant
