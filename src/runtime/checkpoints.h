#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/byte_stream.h"
#include "base/error.h"
#include "program/validation.h"
#include "runtime/artefact.h"
#include "runtime/binding.h"
#include "runtime/description.h"
#include "runtime/sample_file.h"

namespace tacit::runtime {

/// The common facts of the runs of one evaluation.
struct Evaluated {
  std::string version{};
  Binding binding{};
  base::Digest keys{};  ///< root of the evaluation keys' artefact
};

/// The state of an unfinished run: the values that the rest of the program reads, and its computed outputs. Value is
/// the form of a tensor of ciphertexts in one scheme.
template <class Value>
struct RunStateOf {
  program::ValueId next = 0;                               ///< next instruction
  std::vector<std::pair<program::ValueId, Value>> values;  ///< by rising id
};

/// The part of a checkpoint that programs of every kind share: what it belongs to, and which values it holds.
struct CheckpointHead {
  program::ValueId next = 0;
  std::vector<program::ValueId> values;
};

/// The facts about a program that a checkpoint's head is held to.
struct CheckpointedProgram {
  /// By value, the instruction at whose turn it is made: itself, or an earlier one that makes several values.
  std::vector<program::ValueId> turns;
  std::vector<std::vector<program::ValueId>> operands;  ///< by instruction
  std::vector<bool> outputs;                            ///< by instruction
};

/// Returns the name of the section that holds a value.
std::string checkpoint_section(program::ValueId id);
/// Reads and checks the head, before any value is read. Throws as `load_state` does.
CheckpointHead read_checkpoint_head(const ArtefactReader& reader, const Source& source, const Evaluated& of,
                                    const CheckpointedProgram& program, const base::Digest& input);
void write_checkpoint_head(ArtefactWriter& writer, const Evaluated& of, const base::Digest& input,
                           const CheckpointHead& head);

/// Writes the state of a run on `input`. The artefact names version, model, keys and input, and holds only ciphertexts.
/// Stored is the stored form of a kind of program (runtime/slots/checkpoints.h).
template <class Stored>
base::Digest save_state(const typename Stored::Context& context, const Evaluated& of, const base::Digest& input,
                        const RunStateOf<typename Stored::Value>& state, const Sink& sink) {
  return write_artefact(sink, ArtefactKind::checkpoint, Stored::kScheme, [&](ArtefactWriter& writer) {
    CheckpointHead head{state.next, {}};
    for (const auto& [id, value] : state.values) head.values.push_back(id);
    write_checkpoint_head(writer, of, input, head);
    for (const auto& [id, value] : state.values)
      writer.add_section(checkpoint_section(id), SectionType::ciphertext, Stored::bytes_of(context, value));
  });
}

/// Reads the state of a run on `input`. Throws InputError on damage, on values that are not the program's, and if a
/// value is missing that the rest of the program reads. Throws KeyMismatch for another scheme, version, model, key set
/// or input, naming which.
template <class Stored>
RunStateOf<typename Stored::Value> load_state(const typename Stored::Context& context, const Evaluated& of,
                                              const typename Stored::Program& program, const base::Digest& input,
                                              const Source& source) {
  const ArtefactReader reader(source, ArtefactKind::checkpoint, Stored::kScheme);
  RunStateOf<typename Stored::Value> state;
  parsing(source.name(), [&] {
    const CheckpointHead head = read_checkpoint_head(reader, source, of, Stored::outline(program), input);
    state.next = head.next;
    for (const program::ValueId id : head.values) {
      const auto refuse = [&] {
        throw base::InputError("its " + checkpoint_section(id) + " is not as this program makes it");
      };
      const Section& section = reader.section(checkpoint_section(id), SectionType::ciphertext);
      if (section.bytes > Stored::most_bytes(context, program, id)) refuse();
      const std::vector<std::byte> bytes = reader.read(section);
      base::ByteReader from(bytes, checkpoint_section(id));
      state.values.emplace_back(id, Stored::value_of(context, from));
      from.expect_end();
      if (!Stored::fits(program, id, state.values.back().second)) refuse();
    }
  });
  return state;
}

/// A folder that keeps the runs of one evaluation after every layer, so that another process can continue them. A run
/// is a file. Ranks have no part in it: any number of them continues a run. Reading and writing are thread safe.
struct Checkpoints {
  std::filesystem::path folder;
  Evaluated of{};

  std::filesystem::path file(std::size_t run) const;

  /// Replaces the file of this run. The scheme is that of the context.
  template <class Context, class Value>
  void save(const Context& context, std::size_t run, const base::Digest& input, const RunStateOf<Value>& state) const {
    save_run(context, of, input, state, file(run));
  }
  /// Returns the state of a run; none if there is no file. Throws as `load_state` does.
  template <class Context, class Program>
  auto load(const Context& context, const Program& program, std::size_t run, const base::Digest& input) const
      -> std::optional<decltype(load_run(context, of, program, input, std::declval<Source>()))> {
    const std::filesystem::path path = file(run);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return std::nullopt;
    try {
      return load_run(context, of, program, input, path);
    } catch (const base::InputError& damage) {
      refuse_damage(damage);
    }
  }
  /// Removes the files of this many runs, and temporary files that killed processes left of them.
  void remove(std::size_t runs) const;

 private:
  [[noreturn]] static void refuse_damage(const base::InputError& damage);
};

}  // namespace tacit::runtime
