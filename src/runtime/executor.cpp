#include "runtime/executor.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "program/execute.h"
#include "program/key_manifest.h"
#include "program/memory_plan.h"
#include "program/validation.h"
#include "runtime/bootstrappers.h"
#include "runtime/encoded_weights.h"
#include "runtime/encrypted_evaluator.h"
#include "runtime/required_keys.h"

namespace tacit::runtime {

using program::Instruction;
using program::ValueId;
using scheme::ckks::Ciphertext;

struct Executor::Impl {
  scheme::ckks::ContextPtr context;
  program::Program program;
  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys;
  ExecutorOptions options;
  std::optional<Bootstrappers> bootstrappers;
  std::optional<EncryptedEvaluator> evaluator;
  std::optional<EncodedWeights> weights;
  std::vector<ValueId> inputs;
  MemoryUse memory;

  base::Progress& progress() const {
    return options.progress != nullptr ? *options.progress : base::Progress::silent();
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw base::InputError("program '" + program.name + "': " + what);
  }

  void check_program() const {
    const params::CkksParameters& parameters = context->parameters();
    program::verify(program);
    if (program.slots != static_cast<layout::Index>(parameters.slots()))
      refuse(fmt::format("it is laid out for {} slots and the parameter set {} has {}", program.slots,
                         parameters.literal().name, parameters.slots()));
    for (const Instruction& instruction : program.instructions) {
      if (instruction.level < 0 || instruction.level > parameters.max_level() || !(instruction.scale > 0) ||
          !std::isfinite(instruction.scale))
        refuse(fmt::format("{}: level {} or its scale is outside the parameter set {} with {} levels",
                           instruction.source, instruction.level, parameters.literal().name, parameters.max_level()));
      if (std::holds_alternative<program::Validate>(instruction.operation)) continue;
      const int before = program::operand_level(instruction);
      for (const ValueId read : program::operands(instruction.operation))
        if (program.instructions[read].level < before)
          refuse(fmt::format("{}: it reads a value at level {} and needs level {}", instruction.source,
                             program.instructions[read].level, before));
    }
    Bootstrappers::check(program, parameters);
    require_keys(program::key_manifest(program), keys->manifest());
  }

  void check_inputs(std::span<const CiphertextArray> arrays) const {
    constexpr double kScaleTolerance = 0x1p-30;
    if (arrays.size() != inputs.size())
      refuse(fmt::format("it has {} inputs and {} were given", inputs.size(), arrays.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Instruction& instruction = program.instructions[inputs[i]];
      const std::string& name = std::get<program::Input>(instruction.operation).name;
      if (arrays[i].size() != static_cast<std::size_t>(instruction.layout.ciphertexts()))
        refuse(fmt::format("input '{}' has {} ciphertexts and {} are needed", name, arrays[i].size(),
                           instruction.layout.ciphertexts()));
      for (const Ciphertext& ciphertext : arrays[i]) {
        if (ciphertext.parameters != context->parameters().hash())
          throw base::KeyMismatch("input '" + name + "' is encrypted under another parameter set than " +
                                  context->parameters().literal().name + " of program '" + program.name + "'");
        if (ciphertext.level < instruction.level || ciphertext.level > context->parameters().max_level())
          refuse(fmt::format("input '{}' is at level {} and the program needs level {}", name, ciphertext.level,
                             instruction.level));
        if (!(std::abs(ciphertext.scale / instruction.scale - 1) <= kScaleTolerance))
          refuse(fmt::format("input '{}' has scale 2^{:.3f} and the program needs 2^{:.3f}", name,
                             std::log2(ciphertext.scale), std::log2(instruction.scale)));
      }
    }
  }
};

Executor::Executor(scheme::ckks::ContextPtr context, program::Program program,
                   std::shared_ptr<const scheme::ckks::EvaluationKeys> keys, ExecutorOptions options)
    : impl_(std::make_unique<Impl>(Impl{.context = context,
                                        .program = std::move(program),
                                        .keys = keys,
                                        .options = options,
                                        .bootstrappers = {},
                                        .evaluator = {},
                                        .weights = {},
                                        .inputs = {},
                                        .memory = {}})) {
  if (keys->parameters() != context->parameters().hash())
    throw base::KeyMismatch("the evaluation keys are of another parameter set than " +
                            context->parameters().literal().name + " of program '" + impl_->program.name + "'");
  impl_->check_program();
  for (ValueId id = 0; id < impl_->program.instructions.size(); ++id)
    if (std::holds_alternative<program::Input>(impl_->program.instructions[id].operation)) impl_->inputs.push_back(id);
  if (options.threads > 0) base::set_thread_limit(options.threads);
  impl_->memory.keys = keys->bytes();
  impl_->memory.values = static_cast<std::uint64_t>(
      program::value_bytes(impl_->program, params::Account(context->parameters().literal()), base::thread_limit()));
}

Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;

const program::Program& Executor::program() const { return impl_->program; }
MemoryUse Executor::memory() const { return impl_->memory; }

void Executor::prepare() {
  if (impl_->weights) return;
  MemoryUse& memory = impl_->memory;
  const base::MemoryBudget& budget = impl_->options.memory;
  const std::uint64_t taken = memory.keys + memory.values;
  if (taken >= budget.available())
    impl_->refuse(budget.shortfall("keys and ciphertexts need", static_cast<double>(taken)));
  impl_->bootstrappers.emplace(impl_->context, impl_->program);
  memory.transforms = impl_->bootstrappers->bytes();
  impl_->evaluator.emplace(impl_->context, impl_->keys, &*impl_->bootstrappers);
  impl_->weights.emplace(impl_->program, *impl_->evaluator);
  try {
    impl_->weights->encode(budget, taken + memory.transforms, impl_->progress());
  } catch (...) {
    impl_->weights.reset();
    throw;
  }
  memory.weights = impl_->weights->total_bytes();
  memory.held_weights = impl_->weights->held_bytes();
  memory.largest_unheld = impl_->weights->largest_unheld_bytes();
}

RunResult Executor::run(std::span<const CiphertextArray> inputs, Observer* observer) {
  if (observer == nullptr && program::has_validations(impl_->program))
    impl_->refuse(
        "it contains validations, which only tacit validate carries out, with the secret key; compile it without");
  impl_->check_inputs(inputs);
  prepare();
  base::Progress& progress = impl_->progress();
  progress.begin("evaluate", impl_->program.instructions.size());
  std::vector<program::ArrayPtr> arrays;
  for (const CiphertextArray& input : inputs) arrays.push_back(array_of(input));
  RunResult result;
  auto start = std::chrono::steady_clock::now();
  const program::Watch after_each = [&](ValueId id, program::ArrayPtr& value,
                                        std::span<const program::ArrayPtr> operands) {
    result.seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    if (observer != nullptr) observer->carried_out(id, impl_->program.value(id), operands, value);
    progress.advance();
    start = std::chrono::steady_clock::now();
  };
  for (const program::ArrayPtr& output :
       program::execute(impl_->program, *impl_->evaluator, *impl_->weights, arrays, after_each)) {
    CiphertextArray& ciphertexts = result.outputs.emplace_back();
    for (const auto& one : ciphertexts_of(output)) ciphertexts.push_back(*one);
  }
  progress.end();
  return result;
}

}  // namespace tacit::runtime
