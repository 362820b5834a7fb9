#include <fstream>

#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "program/slots/program.h"
#include "runtime/slots/checkpoints.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "small_program.h"
#include "tiny_set.h"

namespace tacit::fuzz {

using runtime::Checkpoints;

namespace {

const slots::Program& program() {
  static const slots::Program one = small_programs(tiny_set().context->parameters()).front();
  return one;
}

/// Those of one run in a folder of the machine's memory, where it has one.
struct Kept {
  base::TemporaryFolder folder;
  Checkpoints checkpoints{folder.path(), {"1"}};
  Kept() { checkpoints.of.binding.parameters = tiny_set().context->parameters().hash(); }
};

runtime::CiphertextArray value_of(program::ValueId id) {
  const TinySet& set = tiny_set();
  const slots::Instruction& made = program().value(id);
  const std::vector<double> numbers(static_cast<std::size_t>(program().slots), 0.25);
  const scheme::ckks::Encryptor encryptor(set.context, set.secret);
  runtime::CiphertextArray array;
  for (layout::Index i = 0; i < made.layout.ciphertexts(); ++i)
    array.push_back(encryptor.encrypt(scheme::ckks::Encoder(set.context).encode(numbers, made.level, made.scale)));
  return array;
}

}  // namespace

std::string_view target_name() { return "checkpoint"; }

/// A run before and after each instruction, with all values.
std::vector<Bytes> seeds() {
  const Kept kept;
  const auto count = static_cast<program::ValueId>(program().instructions.size());
  std::vector<Bytes> all;
  for (program::ValueId next = 0; next <= count; ++next) {
    runtime::RunState state{next, {}};
    for (program::ValueId id = 0; id < next; ++id) state.values.emplace_back(id, value_of(id));
    kept.checkpoints.save(*tiny_set().context, 0, {}, state);
    const std::vector<char> bytes = base::read_file(kept.checkpoints.file(0));
    all.emplace_back(bytes.begin(), bytes.end());
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

/// What was loaded is what a run of the program has made so far, and can be saved.
void check(std::span<const std::uint8_t> bytes) {
  static const Kept kept;
  const auto path = kept.checkpoints.file(0);
  std::filesystem::remove(path);
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  const auto state = kept.checkpoints.load(*tiny_set().context, program(), 0, {});
  require(state.has_value(), "a checkpoint that is there is read or refused");
  require(state->next <= program().instructions.size(), "a run goes on within its program");
  for (std::size_t i = 0; i < state->values.size(); ++i) {
    require(state->values[i].first < state->next, "a value was made before the instruction that comes next");
    require(i == 0 || state->values[i - 1].first < state->values[i].first, "a value is there once");
  }
  kept.checkpoints.save(*tiny_set().context, 0, {}, *state);
}

}  // namespace tacit::fuzz
