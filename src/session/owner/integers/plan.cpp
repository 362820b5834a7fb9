#include "session/owner/integers/plan.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "params/tfhe_security.h"
#include "params/tfhe_solver.h"
#include "program/integers/bootstraps.h"
#include "program/integers/drawing.h"
#include "program/integers/noise.h"
#include "program/integers/weight_rows.h"
#include "runtime/integers/prepared_integers.h"
#include "session/owner/client_steps.h"
#include "session/owner/integers/sharing.h"
#include "session/owner/ranges_parts.h"

namespace tacit::session {
namespace {

using integers::Instruction;
using integers::Lookup;
using integers::Program;
using integers::ValueId;
using Json = nlohmann::ordered_json;

/// Seconds of a product of a weight and a word of a ciphertext that is added to a sum: measured on a Zen 5 core at 4.4
/// GHz, 784 inputs and 512 sums (docs/bench.md).
constexpr double kProductSeconds = 0.17e-9;

/// Threads, and how much longer than on the default prices' machine their work takes.
struct Workers {
  int threads = 1;
  double slower = 1;
};

double seconds_of(const Instruction& made, std::size_t bootstraps, const params::TfheParameters& parameters,
                  const Workers& workers) {
  double seconds = 0;
  if (bootstraps > 0) {
    seconds = static_cast<double>(bootstraps) * params::lookup_cost(parameters.literal()).total();
  } else if (std::holds_alternative<integers::Linear>(made.operation)) {
    double entries = 0;
    for (const integers::WeightRows& rows : integers::weights_of(made.operation))
      entries += static_cast<double>(rows.entries());
    seconds = entries * static_cast<double>(parameters.large_lwe().value + 1) * kProductSeconds;
  }
  return workers.slower * seconds / std::max(1, workers.threads);
}

/// Ciphertexts of all inputs or all outputs.
template <class Operation>
std::size_t ciphertexts(const Program& program) {
  std::size_t count = 0;
  for (const Instruction& made : program.instructions)
    if (std::holds_alternative<Operation>(made.operation)) count += integers::elements(made);
  return count;
}

Json instructions_json(const graph::quant::CompiledIntegers& model, const params::TfheParameters& parameters,
                       const Workers& workers) {
  const Program& program = model.program;
  const std::vector<integers::NoiseNorms> norms = integers::noise_norms(program);
  const std::vector<double> deviations = integers::noise_deviations(program, parameters);
  const std::vector<double>& neighbours = model.neighbour_rates;
  const std::vector<std::size_t> bootstraps = integers::bootstrap_counts(program);
  Json list = Json::array();
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& made = program.value(id);
    const auto* lookup = std::get_if<Lookup>(&made.operation);
    const auto* round = std::get_if<integers::Round>(&made.operation);
    const std::size_t tables = lookup != nullptr ? lookup->tables.size() : 0;
    const integers::NoiseNorms& of = norms[lookup != nullptr ? lookup->input : id];
    list.push_back({{"index", id},
                    {"operation", integers::mnemonic(made.operation)},
                    {"node", made.node},
                    {"source", made.source},
                    {"operands", integers::operands(made.operation)},
                    {"shape", made.shape},
                    {"ciphertexts", integers::elements(made)},
                    {"bits", lookup != nullptr  ? integers::argument_bits(program.value(lookup->input))
                             : round != nullptr ? integers::argument_bits(program.value(round->input))
                                                : integers::argument_bits(made)},
                    {"tables", tables},
                    {"bootstraps", bootstraps[id]},
                    {"dropped_bits", round != nullptr ? round->dropped : 0},
                    {"rounded", lookup != nullptr && integers::rounds(program, *lookup)},
                    {"neighbour_rate", neighbours[id] > 0 ? Json(neighbours[id]) : Json(nullptr)},
                    {"exact", made.exact},
                    {"norm2", of.bootstraps},
                    {"log_noise", deviations[id] > 0 ? Json(std::log2(deviations[id])) : Json(nullptr)},
                    {"seconds", seconds_of(made, bootstraps[id], parameters, workers)}});
  }
  return list;
}

}  // namespace

namespace {

/// What inputs under a public key take and risk, beside those under the secret key.
Json public_key_json(const Program& program, const params::TfheParameters& parameters) {
  constexpr double kWordBytes = sizeof(std::uint64_t);
  const auto n = static_cast<double>(parameters.polynomial().value);
  double seeded = 0, packed = 0;
  for (const Instruction& made : program.instructions) {
    if (!std::holds_alternative<integers::Input>(made.operation)) continue;
    const auto count = static_cast<double>(integers::elements(made));
    seeded += kWordBytes * count + static_cast<double>(sizeof(base::Seed));
    packed += kWordBytes * (count + std::ceil(count / n) * static_cast<double>(parameters.large_lwe().value));
  }
  const double failure = integers::log2_failure_of_public_run(program, parameters);
  const auto refused = integers::why_no_public_key(program, parameters);
  return {{"secret_input_bytes", seeded},
          {"public_input_bytes", packed},
          {"log2_failure_of_run", std::isfinite(failure) ? Json(failure) : Json(nullptr)},
          {"refused", refused ? Json(refused->what) : Json(nullptr)}};
}

}  // namespace

Json integer_plan_json(const IntegerCompilation& compilation, int threads, const params::CostTable& shown) {
  const params::CostTable standard;
  const Program& program = compilation.model.program;
  const params::TfheParameters parameters = params::TfheParameters::check(compilation.model.parameters);
  Json instructions = instructions_json(compilation.model, parameters, {threads, shown.ntt_ns / standard.ntt_ns});
  double seconds = 0, neighbours = 0;
  std::size_t rounded = 0, rounding = 0;
  for (const Json& instruction : instructions) {
    seconds += instruction.at("seconds").get<double>();
    if (instruction.at("dropped_bits").get<int>() > 0) rounding += instruction.at("bootstraps").get<std::size_t>();
    if (!instruction.at("rounded").get<bool>()) continue;
    const auto count = instruction.at("ciphertexts").get<std::size_t>();
    rounded += count;
    if (!instruction.at("neighbour_rate").is_null())
      neighbours += static_cast<double>(count) * instruction.at("neighbour_rate").get<double>();
  }
  const double failure = integers::log2_failure_of_run(program, parameters);
  return {{"model", compilation.name},
          {"scheme", "tfhe"},
          {"security_bits", parameters.security_bits()},
          {"security_source", params::tfhe_security_source()},
          {"parameters", Json::parse(params::to_json(parameters.literal()))},
          {"batch", 1},
          {"bits", program.bits},
          {"lookups", integers::lookups(program)},
          {"bootstraps", integers::bootstraps(program)},
          {"rounding_bootstraps", rounding},
          {"tables_together", 1 << program.log_tables},
          {"exact", integers::is_exact(program)},
          {"rounded_lookups", rounded},
          {"neighbour_rate", rounded > 0 ? Json(neighbours / static_cast<double>(rounded)) : Json(nullptr)},
          {"ciphertexts", ciphertexts<integers::Input>(program)},
          {"output_ciphertexts", ciphertexts<integers::Output>(program)},
          {"log2_failure", parameters.literal().log2_failure},
          {"log2_failure_of_run", std::isfinite(failure) ? Json(failure) : Json(nullptr)},
          {"public_key", public_key_json(program, parameters)},
          {"shared_numbers", shared_numbers_json(program, parameters)},
          {"estimate",
           {{"seconds", seconds},
            {"run_seconds", seconds},
            {"threads", threads},
            {"machine", shown == standard ? "a Zen 5 of 4.4 GHz" : shown.machine},
            {"key_bytes", runtime::key_bytes(parameters)},
            {"weight_bytes", runtime::table_bytes(program, parameters) + runtime::weight_bytes(program)},
            {"ciphertext_bytes", runtime::value_bytes(program, parameters)},
            {"memory_bytes", runtime::memory_need(program, parameters)}}},
          {"client_steps", client_steps(compilation.model.parts)},
          {"outputs", expected_errors_json(compilation.graph, compilation.expected)},
          {"expected_errors", error_source_json(compilation.expected)},
          {"notes", compilation.graph.notes},
          {"warnings", compilation.all_warnings()},
          {"far_rows", ranges::far_rows_json(compilation.model.far_rows)},
          {"drawing", integers::to_mermaid(program)},
          {"instructions", std::move(instructions)}};
}

double planned_seconds(const IntegerCompilation& compilation) {
  return integer_plan_json(compilation, 1).at("estimate").at("seconds").get<double>();
}

}  // namespace tacit::session
