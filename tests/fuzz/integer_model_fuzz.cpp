#include <nlohmann/json.hpp>

#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "params/tfhe_solver.h"
#include "program/integers/clear_program.h"
#include "program/integers/noise.h"
#include "program/integers/serialize.h"
#include "program/integers/small_program_for_test.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/prepared_integers.h"

namespace tacit::fuzz {

using runtime::ArtefactKind;
using runtime::IntegerClientModel;
using runtime::IntegerServerModel;

namespace {

std::pair<IntegerServerModel, IntegerClientModel> halves() {
  const integers::Program program = integers::small_program();
  runtime::IntegerModelHead head;
  head.name = "small";
  head.literal = params::solve(integers::requirements(program, -64));
  integers::ClientInterface interface;
  const integers::Instruction &in = program.instructions.front(), &out = program.instructions.back();
  interface.inputs.push_back(
      {"x", in.shape, in.step, {layout::RepeatedReals(1), layout::RepeatedReals(0), 0, 3}, false});
  interface.outputs.push_back(
      {"y", out.shape, out.step, {layout::RepeatedReals(1), layout::RepeatedReals(0), out.lowest, out.highest}});
  IntegerServerModel server{head, program};
  IntegerClientModel client{head, interface, "{}", {1, 2, 3, 250}};
  runtime::bind(server, client);
  return {std::move(server), std::move(client)};
}

Part* part_named(Artefact& artefact, std::string_view name) {
  for (Part& part : artefact.parts)
    if (part.name == name) return &part;
  return nullptr;
}

/// Writes the id of the content into the description, where there is one.
void state_own_id(Artefact& artefact) {
  Part* const about = part_named(artefact, "about");
  if (about == nullptr) return;
  auto json = nlohmann::json::parse(about->bytes, nullptr, false);
  if (!json.is_object()) return;
  try {
    base::Digest other{};
    const std::string digits = json.at("other_half").get<std::string>();
    for (std::size_t i = 0; i < other.size(); ++i)
      other[i] = static_cast<std::uint8_t>(std::stoul(digits.substr(2 * i, 2), nullptr, 16));
    const auto hash = params::TfheParameters::check(params::tfhe_literal_from(json.at("parameters"))).hash();
    if (Part* const program = part_named(artefact, "program")) {
      IntegerServerModel server;
      server.program = integers::program_from_bytes(program->bytes);
      json["model"] = base::hexadecimal(runtime::model_id(hash, content_of(server), other));
    } else if (Part* const interface = part_named(artefact, "interface"), * const parts = part_named(artefact, "parts");
               interface != nullptr && parts != nullptr) {
      IntegerClientModel client;
      client.interface = integers::client_interface_from_bytes(interface->bytes);
      client.parts = parts->bytes;
      json["model"] = base::hexadecimal(runtime::model_id(hash, other, content_of(client)));
    }
    about->bytes = bytes_of(json.dump());
  } catch (const std::exception&) {  // damaged: the reader says how
  }
}

void use(const IntegerServerModel& model) {
  const auto parameters = params::TfheParameters::check(model.literal);
  constexpr double kFewBytes = 1 << 26;
  if (runtime::value_bytes(model.program, parameters) + runtime::table_bytes(model.program, parameters) +
          runtime::weight_bytes(model.program) >
      kFewBytes)
    return;
  const runtime::PreparedIntegers prepared(scheme::tfhe::Context::make(parameters), model.program);
  require(prepared.program().instructions.size() == model.program.instructions.size(), "a program is prepared");
}
void use(const IntegerClientModel& model) {
  for (const integers::ClientOutput& output : model.interface.outputs)
    require(layout::element_count(output.shape) > 0, "an output has elements");
}

template <class Half>
void check_half(const Half& model, Half (*load)(const runtime::Source&)) {
  static const base::TemporaryFolder folder;
  const auto path = folder.path() / "again";
  save(model, path);
  const Half again = load(path);
  require(again.id == model.id && content_of(again) == content_of(model), "a half reads as it was written");
  use(model);
}

}  // namespace

std::string_view target_name() { return "integer_model"; }

std::vector<Bytes> seeds() {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "half";
  std::vector<Bytes> all;
  const auto keep = [&](const auto& half) {
    save(half, path);
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  };
  const auto [server, client] = halves();
  keep(server);
  keep(client);
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  return mutate_artefact(from, other, random, mutate_part, random.one_in(16) ? nullptr : state_own_id);
}

/// A half is of the model that it names, survives a round trip, and is prepared or refused.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  if (runtime::artefact_kind(file.path()) == ArtefactKind::client_model)
    check_half<IntegerClientModel>(runtime::load_integer_client_model(file.path()), runtime::load_integer_client_model);
  else
    check_half<IntegerServerModel>(runtime::load_integer_server_model(file.path()), runtime::load_integer_server_model);
}

}  // namespace tacit::fuzz
