#include "runtime/slots/checkpoints.h"

#include <algorithm>
#include <system_error>
#include <variant>

#include "base/error.h"
#include "base/json_fields.h"
#include "program/slots/landing_rules.h"
#include "runtime/artefact.h"
#include "runtime/description.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

std::string section_name(program::ValueId id) { return "value " + std::to_string(id); }

/// Throws InputError unless all is there that the rest of the program reads, and all outputs of what is done.
void require_complete(const slots::Program& program, const RunState& state) {
  std::vector<bool> there(state.next);
  for (const auto& [id, array] : state.values) there[id] = true;
  const auto require = [&](program::ValueId id) {
    if (id < state.next && !there[id]) throw base::InputError("it lacks the " + section_name(id));
  };
  for (program::ValueId id = 0; id < program.instructions.size(); ++id) {
    const slots::Operation& operation = program.value(id).operation;
    if (id >= state.next)
      std::ranges::for_each(slots::operands(operation), require);
    else if (std::holds_alternative<slots::Output>(operation))
      require(id);
  }
}

/// Most bytes of a value as `save` writes it.
std::uint64_t most_bytes(const scheme::ckks::Context& context, const slots::Instruction& made) {
  return array_bytes(static_cast<std::uint64_t>(made.layout.ciphertexts()),
                     scheme::ckks::ciphertext_bytes(context, made.level, false));
}

/// A whole number from 0 to `most`.
program::ValueId number_from(const nlohmann::json& field, std::int64_t most) {
  const std::int64_t value = base::whole_number(field);
  if (value < 0 || value > most) throw base::InputError("it has no place in this program");
  return static_cast<program::ValueId>(value);
}

/// The values that a checkpoint holds. Each is there once, and no more than the program has made: nothing is read for
/// one that is named again.
std::vector<program::ValueId> value_ids(const nlohmann::json& list, program::ValueId next) {
  std::vector<program::ValueId> ids;
  for (const nlohmann::json& field : list) {
    const program::ValueId id = number_from(field, static_cast<std::int64_t>(next) - 1);
    if (!ids.empty() && id <= ids.back())
      base::refuse("it names the {} after the {}; the file was not written by Tacit", section_name(id),
                   section_name(ids.back()));
    ids.push_back(id);
  }
  return ids;
}

}  // namespace

RunState load_run(const scheme::ckks::Context& context, const Evaluated& of, const slots::Program& program,
                  const base::Digest& input, const Source& source) {
  const ArtefactReader reader(source, ArtefactKind::checkpoint);
  RunState state;
  parsing(source.name(), [&] {
    const base::HeldJson held = about(reader);
    const nlohmann::json& json = *held;
    const auto refuse = [&](const std::string& what) {
      throw base::KeyMismatch(source.name() + " is a checkpoint of " + what +
                              "; name another folder, or remove this one to begin anew");
    };
    if (const std::string version = json.at("version").get<std::string>(); version != of.version)
      refuse("tacit " + version + ", and this is " + of.version);
    const Binding binding = binding_from_json(json);
    base::Digest keys, of_input;
    from_hexadecimal(json.at("keys").get<std::string>(), keys);
    from_hexadecimal(json.at("input").get<std::string>(), of_input);
    if (binding.model != of.binding.model || binding.parameters != of.binding.parameters) refuse("another model");
    if (binding.key_set != of.binding.key_set || keys != of.keys) refuse("other keys");
    if (of_input != input) refuse("another run, on other inputs");
    const auto count = static_cast<std::int64_t>(program.instructions.size());
    state.next = number_from(json.at("next"), count);
    for (const program::ValueId id : value_ids(json.at("values"), state.next)) {
      const Section& section = reader.section(section_name(id), SectionType::ciphertext);
      const slots::Instruction& instruction = program.value(id);
      if (section.bytes > most_bytes(context, instruction))
        throw base::InputError("its " + section_name(id) + " is not as this program makes it");
      const std::vector<std::byte> bytes = reader.read(section);
      base::ByteReader from(bytes, section_name(id));
      CiphertextArray array = std::move(arrays_of(context, 1, from).front());
      from.expect_end();
      bool fits = static_cast<layout::Index>(array.size()) == instruction.layout.ciphertexts();
      for (scheme::ckks::Ciphertext& one : array)
        fits = fits && one.level == instruction.level && slots::same_scale(one.scale, instruction.scale);
      if (!fits) throw base::InputError("its " + section_name(id) + " is not as this program makes it");
      state.values.emplace_back(id, std::move(array));
    }
    require_complete(program, state);
  });
  return state;
}

base::Digest save_run(const scheme::ckks::Context& context, const Evaluated& of, const base::Digest& input,
                      const RunState& state, const Sink& sink) {
  return write_artefact(sink, ArtefactKind::checkpoint, ArtefactScheme::ckks, [&](ArtefactWriter& writer) {
    nlohmann::json json = to_json(of.binding);
    json["version"] = of.version;
    json["keys"] = base::hexadecimal(of.keys);
    json["input"] = base::hexadecimal(input);
    json["next"] = state.next;
    json["values"] = nlohmann::json::array();
    for (const auto& [id, array] : state.values) json["values"].push_back(id);
    writer.add_section(kAboutSection, SectionType::text, about_text(ArtefactKind::checkpoint, json));
    for (const auto& [id, array] : state.values)
      writer.add_section(section_name(id), SectionType::ciphertext, bytes_of(context, {&array, 1}));
  });
}

std::filesystem::path Checkpoints::file(std::size_t run) const {
  return folder / ("run-" + std::to_string(run) + ".checkpoint");
}

void Checkpoints::save(const scheme::ckks::Context& context, std::size_t run, const base::Digest& input,
                       const RunState& state) const {
  save_run(context, of, input, state, file(run));
}

std::optional<RunState> Checkpoints::load(const scheme::ckks::Context& context, const slots::Program& program,
                                          std::size_t run, const base::Digest& input) const {
  const std::filesystem::path path = file(run);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return std::nullopt;
  try {
    return load_run(context, of, program, input, path);
  } catch (const base::InputError& damage) {
    throw base::InputError(std::string(damage.what()) +
                           "; where no whole copy is kept, remove it: its run begins anew");
  }
}

void Checkpoints::remove(std::size_t runs) const {
  for (std::size_t run = 0; run < runs; ++run) remove_artefact(file(run));
}

}  // namespace tacit::runtime
