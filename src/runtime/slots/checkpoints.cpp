#include "runtime/slots/checkpoints.h"

#include <utility>

#include "program/slots/landing_rules.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

/// The stored form of values on slots.
struct StoredSlots {
  using Context = scheme::ckks::Context;
  using Program = slots::Program;
  using Value = CiphertextArray;
  static constexpr ArtefactScheme kScheme = ArtefactScheme::ckks;

  static CheckpointedProgram outline(const Program& program) {
    CheckpointedProgram outline;
    for (const slots::Instruction& instruction : program.instructions) {
      outline.turns.push_back(static_cast<program::ValueId>(outline.turns.size()));
      outline.operands.push_back(slots::operands(instruction.operation));
      outline.outputs.push_back(std::holds_alternative<slots::Output>(instruction.operation));
    }
    return outline;
  }
  static std::uint64_t most_bytes(const Context& context, const Program& program, program::ValueId id) {
    const slots::Instruction& made = program.value(id);
    return array_bytes(static_cast<std::uint64_t>(made.layout.ciphertexts()),
                       scheme::ckks::ciphertext_bytes(context, made.level, false));
  }
  static std::vector<std::byte> bytes_of(const Context& context, const Value& value) {
    return runtime::bytes_of(context, {&value, 1});
  }
  static Value value_of(const Context& context, base::ByteReader& from) {
    return std::move(arrays_of(context, 1, from).front());
  }
  static bool fits(const Program& program, program::ValueId id, const Value& value) {
    const slots::Instruction& instruction = program.value(id);
    bool fits = static_cast<layout::Index>(value.size()) == instruction.layout.ciphertexts();
    for (const scheme::ckks::Ciphertext& one : value)
      fits = fits && one.level == instruction.level && slots::same_scale(one.scale, instruction.scale);
    return fits;
  }
};

}  // namespace

base::Digest save_run(const scheme::ckks::Context& context, const Evaluated& of, const base::Digest& input,
                      const RunState& state, const Sink& sink) {
  return save_state<StoredSlots>(context, of, input, state, sink);
}

RunState load_run(const scheme::ckks::Context& context, const Evaluated& of, const slots::Program& program,
                  const base::Digest& input, const Source& source) {
  return load_state<StoredSlots>(context, of, program, input, source);
}

}  // namespace tacit::runtime
