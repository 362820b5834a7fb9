#include "session/owner/slots/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "base/byte_size.h"
#include "base/error.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "graph/slots/check_sharing.h"
#include "params/ckks_parameters.h"
#include "params/sharing.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "session/owner/client_steps.h"
#include "session/sentence.h"
#include "session/table.h"

namespace tacit::session {
namespace {

std::string threads_text(double threads) {
  return threads == 1 ? std::string("one core") : fmt::format("{:.0f} threads", threads);
}

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
Json sharing_json(const program::ClientInterface& client) {
  Json list = Json::array();
  const params::Sharing promise;
  for (const program::ClientOutput& output : client.outputs)
    if (const double noise = output.noise * std::abs(output.unit); noise > 0)
      list.push_back({{"output", output.name},
                      {"log_noise", std::log2(noise)},
                      {"bits", graph::passes::most_bits_to_share(noise, promise)},
                      {"statistical_bits", promise.statistical_bits},
                      {"decryptions", promise.decryptions}});
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
          {"bootstraps", made_by<slots::Bootstrap>(model.program)},
          {"diagonals", cost.diagonals},
          {"multiplications", cost.multiplications},
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
          {"sharing", sharing_json(model.client)},
          {"notes", compilation.graph.notes},
          {"warnings", compilation.warnings},
          {"instructions", instructions_json(model.program, cost)}};
}

void reading_plan(const std::string& text, const std::function<void(const Json&)>& body) {
  const Json plan = base::json_from<Json>(text, "the plan in the client's half");
  const auto refuse = [](const char* why) {
    throw base::InputError(
        fmt::format("the plan in the client's half is malformed ({}); compile the model again", why));
  };
  try {
    body(plan);
  } catch (const nlohmann::json::exception& error) {
    refuse(error.what());
  } catch (const base::InputError& error) {
    refuse(error.what());
  }
}

std::string plan_text(const Json& plan) {
  const auto number = [&](const char* field) { return plan.at(field).get<double>(); };
  const bool secure = number("security_bits") > 0;
  std::string text = fmt::format("Plan for {}\n", printable(plan.at("model").get<std::string>()));
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", name, printable(value));
  };
  line("scheme", fmt::format("CKKS, {}", secure ? fmt::format("{:.0f}-bit security", number("security_bits"))
                                                : "INSECURE parameters, for tests only"));
  line("parameters",
       fmt::format("{}: N = 2^{:.0f}, log QP {:.1f} of at most {:.0f}", plan.at("parameters").value("name", ""),
                   number("log_n"), number("log_qp"), number("max_log_qp")));
  line("levels", fmt::format("{:.0f}", number("levels")));
  const double batch = plan.value("batch", 1.0);  // missing in earlier files
  const std::string run = batch == 1 ? "an input" : fmt::format("a run of {:.0f} inputs", batch);
  if (number("bootstraps") > 0) line("bootstraps", fmt::format("{:.0f} {}", number("bootstraps"), run));
  line("rotations", fmt::format("{:.0f} {}, with {:.0f} keys", number("rotations"), run, number("rotation_keys")));
  line("ciphertexts", fmt::format("{:.0f} in, {:.0f} out", number("ciphertexts"), number("output_ciphertexts")));
  const Json& estimate = plan.at("estimate");
  const double seconds = estimate.at("seconds").get<double>();
  const auto estimated = [&](const char* field) { return estimate.at(field).get<double>(); };
  line("estimate",
       fmt::format("{:.3g} s an input{} on {} of {}, {} of keys, {} of weights, {} of ciphertexts", seconds,
                   batch == 1 ? "" : fmt::format(" ({:.3g} s {})", batch * seconds, run),
                   threads_text(estimate.value("threads", 1.0)), printable(estimate.at("machine").get<std::string>()),
                   base::byte_size_text(estimate.at("key_bytes").get<double>()),
                   base::byte_size_text(estimate.at("weight_bytes").get<double>()),
                   base::byte_size_text(estimate.at("ciphertext_bytes").get<double>())));
  if (estimate.contains("encode_seconds")) {  // missing in earlier files, as the other stages
    std::string stages = fmt::format("{:.3g} s to make keys, {:.3g} s to encode weights", estimated("key_seconds"),
                                     estimated("encode_seconds"));
    if (const double anew = estimated("encode_anew_seconds"); anew > 0)
      stages += fmt::format(", {:.3g} s of it anew in every run", anew);
    line("before a run", stages);
  }
  if (estimate.contains("least_memory_bytes"))  // missing in earlier files
    line("memory",
         fmt::format("{} beside the program itself; at least {}, with weights that are encoded anew in every run",
                     base::byte_size_text(estimate.at("memory_bytes").get<double>()),
                     base::byte_size_text(estimate.at("least_memory_bytes").get<double>())));
  for (const Json& a : plan.at("approximations"))
    line("approximated",
         fmt::format("{} '{}' by degree {} on [{:.4g}, {:.4g}], error at most {:.2g} ({})",
                     a.at("op").get<std::string>(), a.at("node").get<std::string>(), base::whole_number(a.at("degree")),
                     a.at("interval").at(0).get<double>(), a.at("interval").at(1).get<double>(),
                     a.at("max_error").get<double>(), a.at("reason").get<std::string>()));
  const Json& steps = plan.at("client_steps");
  if (const std::string before = client_text(steps, "before"); !before.empty())
    line("client", "runs in the clear, before encryption: " + before);
  if (const std::string after = client_text(steps, "after"); !after.empty())
    line("client", "runs in the clear, after decryption: " + after);
  for (const Json& output : plan.at("sharing")) {
    const std::int64_t bits = base::whole_number(output.at("bits"));
    line("sharing", fmt::format("'{}' has noise of 2^{:.1f}: {}", output.at("output").get<std::string>(),
                                output.at("log_noise").get<double>(),
                                bits < 0 ? "too much to share numbers; labels can be (decrypt --labels)"
                                         : fmt::format("{} bits behind the binary point can be shared (decrypt "
                                                       "--share {})",
                                                       bits, bits)));
  }
  for (const Json& note : plan.at("notes")) line("note", note.get<std::string>());
  for (const Json& warning : plan.at("warnings")) text += "  warning: " + printable(warning.get<std::string>()) + "\n";
  return text;
}

std::string instructions_text(const Json& plan) {
  Table table({"operation", "node", "level", "layout", "diagonals", "rotations", "degree", "ms"});
  for (const Json& i : plan.at("instructions")) {
    const auto positive = [&](const char* field) {
      const auto value = base::whole_number(i.at(field));
      return value ? fmt::to_string(value) : std::string();
    };
    const auto words = [&](const char* field) { return one_line(i.at(field).get<std::string>()); };
    table.add({words("operation"), words("node"), fmt::to_string(base::whole_number(i.at("level"))), words("layout"),
               positive("diagonals"), positive("rotations"), positive("degree"),
               fmt::format("{:.2f}", i.at("seconds").get<double>() * 1e3)});
  }
  return table.text();
}

}  // namespace tacit::session
