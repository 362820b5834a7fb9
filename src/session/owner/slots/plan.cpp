#include "session/owner/slots/plan.h"

#include <bit>
#include <cmath>

#include "base/random.h"
#include "graph/labels.h"
#include "graph/slots/check_sharing.h"
#include "params/ckks_parameters.h"
#include "params/sharing.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "session/owner/client_steps.h"
#include "session/owner/ranges_parts.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;
using slots::Instruction;
using slots::Program;

Json instructions_json(const Program& program, const slots::ProgramCost& cost) {
  Json list = Json::array();
  for (std::size_t i = 0; i < program.instructions.size(); ++i) {
    const Instruction& instruction = program.instructions[i];
    const slots::InstructionCost& price = cost.instructions.at(i);
    const auto* polynomial = std::get_if<slots::Polynomial>(&instruction.operation);
    list.push_back({{"index", i},
                    {"operation", slots::mnemonic(instruction.operation)},
                    {"node", instruction.node},
                    {"source", instruction.source},
                    {"operands", slots::operands(instruction.operation)},
                    {"layout", instruction.layout.to_string()},
                    {"ciphertexts", instruction.layout.ciphertexts()},
                    {"level", instruction.level},
                    {"log_scale", std::log2(instruction.scale)},
                    {"bound", instruction.bound},
                    {"diagonals", price.diagonals},
                    {"rotations", price.rotations},
                    {"multiplications", price.multiplications},
                    {"degree", polynomial ? polynomial->schedule.degree : 0},
                    {"seconds", price.seconds},
                    {"key_switch_seconds", price.key_switch_seconds},
                    {"weight_bytes", price.weight_bytes},
                    {"weight_seconds", price.weight_seconds}});
  }
  return list;
}

/// How many bits behind the binary point others may see of each output whose noise is known.
Json sharing_json(const program::ClientInterface& client, bool has_labels) {
  Json list = Json::array();
  const params::Sharing promise;
  for (const program::ClientOutput& output : client.outputs)
    if (const double noise = output.noise * std::abs(output.unit); noise > 0)
      list.push_back({{"output", output.name},
                      {"log_noise", std::log2(noise)},
                      {"bits", graph::passes::most_bits_to_share(noise, promise)},
                      {"statistical_bits", promise.statistical_bits},
                      {"decryptions", promise.decryptions},
                      {"labels", has_labels}});
  return list;
}

/// Ciphertexts that instructions of one kind make.
template <class Operation>
std::int64_t made_by(const Program& program) {
  std::int64_t count = 0;
  for (const Instruction& instruction : program.instructions)
    if (std::holds_alternative<Operation>(instruction.operation)) count += instruction.layout.ciphertexts();
  return count;
}

/// The bytes of the ciphertexts of a run under either key. Under the secret key a seed stands for one of two halves.
Json public_key_json(const graph::CompiledModel& model, const params::CkksParameters& parameters) {
  double first = 0, second = 0, seeds = 0;
  for (const program::ClientInput& input : model.client.inputs) {
    const auto count = static_cast<double>(input.layout.ciphertexts());
    seeds += count * static_cast<double>(sizeof(base::Seed));
    const double words = std::exp2(parameters.log_n());
    for (int level = 0; level <= input.level; ++level) {
      const auto bits = static_cast<int>(std::bit_width(parameters.q()[static_cast<std::size_t>(level)]));
      const double each = input.log_gap > 0 ? bits : 8 * ((bits + 7) / 8);
      first += count * std::ldexp(words, -input.log_gap) * each / 8;
      second += count * words * each / 8;
    }
  }
  return {{"secret_input_bytes", std::ceil(first) + seeds}, {"public_input_bytes", std::ceil(first) + second}};
}

}  // namespace

Json plan_json(const Compilation& compilation) { return plan_json(compilation, compilation.costs); }

double planned_seconds(const Compilation& compilation) {
  return plan_json(compilation).at("estimate").at("seconds").get<double>();
}

Json plan_json(const Compilation& compilation, const params::CostTable& shown) {
  const graph::CompiledModel& model = compilation.model;
  const params::CkksParameters parameters = params::CkksParameters::check(model.parameters);
  Json approximations = Json::array();
  for (const graph::Approximation& a : model.approximations)
    approximations.push_back({{"node", a.node},
                              {"op", a.op},
                              {"degree", a.degree},
                              {"interval", {a.lowest, a.highest}},
                              {"max_error", a.max_error},
                              {"share", a.share},
                              {"reason", a.reason}});
  slots::ProgramCost cost = slots::price(model.program, model.parameters, shown);
  double anew = 0;
  for (const std::size_t i : model.encoded_anew.instructions) {
    anew += cost.instructions.at(i).weight_seconds;
    cost.instructions[i].seconds += cost.instructions[i].weight_seconds;
  }
  const double run_seconds = cost.seconds + anew;
  const params::KeyManifest keys = slots::key_manifest(model.program);
  return {{"model", compilation.name},
          {"scheme", "ckks"},
          {"security_bits", parameters.security_bits()},
          {"log_n", parameters.log_n()},
          {"log_qp", parameters.log_qp()},
          {"max_log_qp", params::max_log_qp(parameters.log_n(), 128)},
          {"levels", slots::total_depth(model.program)},
          {"parameters", Json::parse(params::to_json(model.parameters))},
          {"rotations", cost.rotations},
          {"rotation_keys", keys.rotations.size() + keys.raised_rotations.size()},
          {"batch", model.client.batch},
          {"ciphertexts", made_by<slots::Input>(model.program)},
          {"output_ciphertexts", made_by<slots::Output>(model.program)},
          {"bootstraps", made_by<slots::Bootstrap>(model.program) + made_by<slots::Lookup>(model.program)},
          {"diagonals", cost.diagonals},
          {"multiplications", cost.multiplications},
          {"public_key", public_key_json(model, parameters)},
          {"estimate",
           {{"seconds", run_seconds / static_cast<double>(model.client.batch)},
            {"run_seconds", run_seconds},
            {"key_seconds", cost.key_seconds},
            {"encode_seconds", cost.encode_seconds},
            {"encode_anew_seconds", anew},
            {"threads", shown.threads},
            {"machine", shown.machine},
            {"key_bytes", cost.memory.keys},
            {"weight_bytes", cost.memory.weights + cost.memory.transforms},
            {"ciphertext_bytes", cost.memory.values},
            {"memory_bytes", cost.memory.peak()},
            {"least_memory_bytes", cost.memory.least()}}},
          {"approximations", std::move(approximations)},
          {"client_steps", client_steps(model.parts)},
          {"sharing", sharing_json(model.client, graph::has_labels(model.parts))},
          {"outputs", expected_errors_json(compilation.graph, compilation.expected)},
          {"expected_errors", error_source_json(compilation.expected)},
          {"notes", compilation.graph.notes},
          {"warnings", compilation.all_warnings()},
          {"far_rows", ranges::far_rows_json(model.far_rows)},
          {"instructions", instructions_json(model.program, cost)}};
}

}  // namespace tacit::session
