#include "runtime/checkpoints.h"

#include <algorithm>
#include <cstdint>

#include "base/json_fields.h"

namespace tacit::runtime {
namespace {

/// Throws InputError unless all is there that the rest of the program reads, and all outputs of what is done.
void require_complete(const CheckpointedProgram& program, const CheckpointHead& head) {
  std::vector<bool> there(program.turns.size());
  for (const program::ValueId id : head.values) there[id] = true;
  const auto require = [&](program::ValueId id) {
    if (program.turns[id] < head.next && !there[id]) throw base::InputError("it lacks the " + checkpoint_section(id));
  };
  for (program::ValueId id = 0; id < program.turns.size(); ++id) {
    if (id < head.next) {
      if (program.outputs[id]) require(id);
      continue;
    }
    // What was made before its turn is not made again.
    if (program.turns[id] != id) require(id);
    std::ranges::for_each(program.operands[id], require);
  }
}

/// A whole number from 0 to `most`.
program::ValueId number_from(const nlohmann::json& field, std::int64_t most) {
  const std::int64_t value = base::whole_number(field);
  if (value < 0 || value > most) throw base::InputError("it has no place in this program");
  return static_cast<program::ValueId>(value);
}

/// The values that a checkpoint holds. Each is there once, and no more than the program has made: nothing is read for
/// one that is named again.
std::vector<program::ValueId> value_ids(const nlohmann::json& list, const CheckpointedProgram& program,
                                        program::ValueId next) {
  std::vector<program::ValueId> ids;
  for (const nlohmann::json& field : list) {
    const program::ValueId id = number_from(field, static_cast<std::int64_t>(program.turns.size()) - 1);
    if (program.turns[id] >= next) throw base::InputError("it has no place in this program");
    if (!ids.empty() && id <= ids.back())
      base::refuse("it names the {} after the {}; the file was not written by Tacit", checkpoint_section(id),
                   checkpoint_section(ids.back()));
    ids.push_back(id);
  }
  return ids;
}

}  // namespace

std::string checkpoint_section(program::ValueId id) { return "value " + std::to_string(id); }

CheckpointHead read_checkpoint_head(const ArtefactReader& reader, const Source& source, const Evaluated& of,
                                    const CheckpointedProgram& program, const base::Digest& input) {
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
  CheckpointHead head;
  head.next = number_from(json.at("next"), static_cast<std::int64_t>(program.turns.size()));
  head.values = value_ids(json.at("values"), program, head.next);
  require_complete(program, head);
  return head;
}

void write_checkpoint_head(ArtefactWriter& writer, const Evaluated& of, const base::Digest& input,
                           const CheckpointHead& head) {
  nlohmann::json json = to_json(of.binding);
  json["version"] = of.version;
  json["keys"] = base::hexadecimal(of.keys);
  json["input"] = base::hexadecimal(input);
  json["next"] = head.next;
  json["values"] = head.values;
  writer.add_section(kAboutSection, SectionType::text, about_text(ArtefactKind::checkpoint, json));
}

std::filesystem::path Checkpoints::file(std::size_t run) const {
  return folder / ("run-" + std::to_string(run) + ".checkpoint");
}

void Checkpoints::refuse_damage(const base::InputError& damage) {
  throw base::InputError(std::string(damage.what()) + "; where no whole copy is kept, remove it: its run begins anew");
}

void Checkpoints::remove(std::size_t runs) const {
  for (std::size_t run = 0; run < runs; ++run) remove_artefact(file(run));
}

}  // namespace tacit::runtime
