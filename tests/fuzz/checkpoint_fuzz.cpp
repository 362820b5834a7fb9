#include <algorithm>
#include <fstream>
#include <numeric>

#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "program/integers/bootstraps.h"
#include "program/integers/small_program_for_test.h"
#include "program/slots/program.h"
#include "runtime/integers/integer_checkpoints.h"
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

/// A program on integers whose second lookup is made with the first.
const integers::Program& integer_program() {
  static const integers::Program one = integers::sharing_program(1);
  return one;
}

const scheme::tfhe::Context& integer_context() {
  static const scheme::tfhe::ContextPtr one =
      scheme::tfhe::Context::make(params::TfheParameters::check(tiny_tfhe_literal()));
  return *one;
}

/// The checkpoints of one run with these parameters. Their folder is in the machine's memory if it has one.
struct Kept {
  base::TemporaryFolder folder;
  Checkpoints checkpoints{folder.path(), {"1"}};
  explicit Kept(const params::ParameterHash& parameters) { checkpoints.of.binding.parameters = parameters; }

  template <class Context, class State>
  Bytes bytes_of(const Context& context, const State& state) const {
    checkpoints.save(context, 0, {}, state);
    const std::vector<char> bytes = base::read_file(checkpoints.file(0));
    return {bytes.begin(), bytes.end()};
  }

  /// A state that was loaded is one that a run of the program reaches, and can be saved.
  template <class Context, class Program>
  void check(const Context& context, const Program& program, const std::vector<program::ValueId>& turns,
             std::span<const std::uint8_t> bytes) const {
    const auto path = checkpoints.file(0);
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const auto state = checkpoints.load(context, program, 0, {});
    require(state.has_value(), "a checkpoint that is there is read or refused");
    require(state->next <= program.instructions.size(), "a run goes on within its program");
    for (std::size_t i = 0; i < state->values.size(); ++i) {
      require(turns[state->values[i].first] < state->next, "a value was made before the instruction that comes next");
      require(i == 0 || state->values[i - 1].first < state->values[i].first, "a value is there once");
    }
    checkpoints.save(context, 0, {}, *state);
  }
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

/// A run of each program before and after each instruction, with all values.
std::vector<Bytes> seeds() {
  const Kept on_slots(tiny_set().context->parameters().hash());
  std::vector<Bytes> all;
  for (program::ValueId next = 0; next <= program().instructions.size(); ++next) {
    runtime::RunState state{next, {}};
    for (program::ValueId id = 0; id < next; ++id) state.values.emplace_back(id, value_of(id));
    all.push_back(on_slots.bytes_of(*tiny_set().context, state));
  }
  const params::TfheParameters& parameters = integer_context().parameters();
  const Kept on_integers(parameters.hash());
  const integers::Makers makers(integer_program());
  for (program::ValueId next = 0; next <= integer_program().instructions.size(); ++next) {
    runtime::IntegerRunState state{next, {}};
    for (program::ValueId id = 0; id < integer_program().instructions.size(); ++id) {
      if (makers.of(id) >= next) continue;
      scheme::tfhe::LweCiphertexts value(parameters.large_lwe(), integers::elements(integer_program().value(id)),
                                         parameters.hash());
      for (std::size_t i = 0; i < value.count(); ++i) std::ranges::fill(value[i], i);
      state.values.emplace_back(id, std::move(value));
    }
    all.push_back(on_integers.bytes_of(integer_context(), state));
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

void check(std::span<const std::uint8_t> bytes) {
  static const Kept on_slots(tiny_set().context->parameters().hash());
  static const Kept on_integers(integer_context().parameters().hash());
  const auto source = runtime::Source::memory(std::as_bytes(bytes));
  if (runtime::artefact_scheme(source) == runtime::ArtefactScheme::ckks) {
    std::vector<program::ValueId> turns(program().instructions.size());
    std::iota(turns.begin(), turns.end(), program::ValueId{0});
    on_slots.check(*tiny_set().context, program(), turns, bytes);
  } else {
    const integers::Makers makers(integer_program());
    std::vector<program::ValueId> turns;
    for (program::ValueId id = 0; id < integer_program().instructions.size(); ++id) turns.push_back(makers.of(id));
    on_integers.check(integer_context(), integer_program(), turns, bytes);
  }
}

}  // namespace tacit::fuzz
