#include "runtime/integers/integer_checkpoints.h"

#include "program/integers/bootstraps.h"
#include "scheme/tfhe/serialize.h"

namespace tacit::runtime {
namespace {

/// The stored form of values on integers.
struct StoredIntegers {
  using Context = scheme::tfhe::Context;
  using Program = integers::Program;
  using Value = scheme::tfhe::LweCiphertexts;
  static constexpr ArtefactScheme kScheme = ArtefactScheme::tfhe;

  static CheckpointedProgram outline(const Program& program) {
    const integers::Makers makers(program);
    CheckpointedProgram outline;
    for (program::ValueId id = 0; id < program.instructions.size(); ++id) {
      const integers::Operation& operation = program.value(id).operation;
      outline.turns.push_back(makers.of(id));
      outline.operands.push_back(integers::operands(operation));
      outline.outputs.push_back(std::holds_alternative<integers::Output>(operation));
    }
    return outline;
  }
  static std::uint64_t most_bytes(const Context& context, const Program& program, program::ValueId id) {
    return scheme::tfhe::ciphertexts_bytes(context, integers::elements(program.value(id)));
  }
  static std::vector<std::byte> bytes_of(const Context& context, const Value& value) {
    const std::vector<std::uint8_t> bytes = scheme::tfhe::serialize(context, value);
    const auto view = std::as_bytes(std::span(bytes));
    return {view.begin(), view.end()};
  }
  static Value value_of(const Context& context, base::ByteReader& from) {
    return scheme::tfhe::deserialize_ciphertexts(context, from.take(from.left()));
  }
  static bool fits(const Program& program, program::ValueId id, const Value& value) {
    return value.count() == integers::elements(program.value(id));
  }
};

}  // namespace

base::Digest save_run(const scheme::tfhe::Context& context, const Evaluated& of, const base::Digest& input,
                      const IntegerRunState& state, const Sink& sink) {
  return save_state<StoredIntegers>(context, of, input, state, sink);
}

IntegerRunState load_run(const scheme::tfhe::Context& context, const Evaluated& of, const integers::Program& program,
                         const base::Digest& input, const Source& source) {
  return load_state<StoredIntegers>(context, of, program, input, source);
}

}  // namespace tacit::runtime
