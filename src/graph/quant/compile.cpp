#include "graph/quant/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "graph/passes/assign_parties.h"
#include "graph/passes/calibrate.h"
#include "graph/passes/fold.h"
#include "graph/passes/linearise.h"
#include "graph/passes/operator_kind.h"
#include "graph/passes/recognise.h"
#include "graph/passes/write_out.h"
#include "graph/passes/write_out_maxima.h"
#include "graph/quant/join_sums.h"
#include "graph/quant/quantise.h"
#include "params/tfhe_solver.h"
#include "program/integers/noise.h"

namespace tacit::graph::quant {
namespace {

bool moves_alone(const Graph& before) {
  return std::ranges::all_of(before.nodes, [](const Node& node) { return passes::is_movement(node.op); });
}

/// Of a network without lookups: ciphertexts of the set of 4 bits are small and have little noise.
constexpr const char* kLinearSet = "T4";

/// The cheapest set, or the user's, and results with as many bits as its noise leaves.
params::TfheLiteral choose_parameters(Quantised& quantised, const CompileOptions& options) {
  const auto requirements = [&] { return integers::requirements(quantised.program, options.log2_failure); };
  params::TfheLiteral literal;
  if (options.parameters) {
    literal = *options.parameters;
  } else if (integers::lookups(quantised.program) == 0) {
    literal = params::named_tfhe_literal(kLinearSet);
  } else {
    literal = params::solve(requirements());
  }
  const params::TfheParameters parameters = params::TfheParameters::check(literal);
  integers::require_holds(quantised.program, parameters);
  // Results keep the bits that the noise leaves.
  std::size_t index = 0;
  for (integers::ValueId id = 0; id < quantised.program.instructions.size(); ++id) {
    const integers::Instruction made = quantised.program.value(id);
    const auto* output = std::get_if<integers::Output>(&made.operation);
    if (output == nullptr) continue;
    for (int step = quantised.program.value(output->input).step; step < made.step; ++step) {
      round_output(quantised, index, step);
      const auto all = requirements();
      if (std::ranges::all_of(all, [&](const params::LookupRequirement& r) {
            return params::log2_failure(parameters.shape(), r) <= r.log2_failure;
          }))
        break;
      round_output(quantised, index, made.step);
    }
    ++index;
  }
  return literal;
}

}  // namespace

CompiledIntegers compile(const Graph& graph, const CompileOptions& options, base::Progress& progress) {
  if (options.bits < kFewestBits || options.bits > kMostBits)
    throw base::InputError(
        fmt::format("tables of {} bits (--bits): {} to {} are supported", options.bits, kFewestBits, kMostBits));
  passes::Parties parties =
      passes::assign_parties(passes::write_out(graph),
                             {.before = options.client_before, .keep_private = options.keep_private, .tables = true});
  std::vector<std::vector<Tensor>> samples = options.calibration;
  try {
    for (std::vector<Tensor>& sample : samples) sample = run_before(parties.client, sample);
  } catch (const base::InputError& error) {
    throw base::InputError(fmt::format("calibration data: {}", error.what()));
  }
  std::optional<std::pair<double, double>> input_range = options.input_range;
  if (!moves_alone(parties.client.before)) input_range.reset();

  const passes::Recognised recognised = passes::recognise(passes::write_out_maxima(parties.encrypted));
  passes::require_samples(recognised, samples);
  passes::Network network = write_out_products(passes::fold(passes::linearise(recognised)));
  network = join_sums(network);
  passes::calibrate(network, samples, progress);
  if (samples.empty() && input_range) passes::bound_by_intervals(network, *input_range);

  Precision precision;
  precision.bits = options.bits;
  precision.weight_bits = std::max(options.bits, 4);
  constexpr std::size_t kManySamples = 256;
  if (samples.size() < kManySamples) precision.margin *= 1.5;
  std::vector<std::string> inputs, outputs;
  for (const TensorId id : parties.encrypted.inputs) inputs.push_back(parties.encrypted.tensors[id].name);
  for (const TensorId id : parties.encrypted.outputs) outputs.push_back(parties.encrypted.tensors[id].name);
  Quantised quantised = quantise(network, inputs, outputs, precision, input_range);
  quantised.program.name = graph.name;
  integers::verify(quantised.program);
  CompiledIntegers compiled;
  compiled.parameters = choose_parameters(quantised, options);
  compiled.program = std::move(quantised.program);
  compiled.client = std::move(quantised.client);
  compiled.meanings = std::move(quantised.meanings);
  compiled.parts = std::move(parties.client);
  compiled.encrypted = std::move(parties.encrypted);
  return compiled;
}

}  // namespace tacit::graph::quant
