#include "program/slots/execute.h"

#include <string>
#include <utility>

#include "base/error.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

using layout::Index;

Landing landing_of(const Instruction& instruction) { return {instruction.level, instruction.scale}; }

/// Where an instruction of depth 1 reads a value.
Landing read_by(const Instruction& reader, const Instruction& operand) { return {reader.level + 1, operand.scale}; }

/// The slots of the ciphertexts that hold a tensor, packed when a reading first looks at them.
SlotsOf packed(const layout::Layout& layout, const layout::RepeatedReals& tensor) {
  return [&layout, &tensor, slots = std::vector<std::vector<double>>()](Index member) mutable {
    if (slots.empty()) slots = layout.pack(tensor.expanded(layout::element_count(layout.shape())));
    return slots[static_cast<std::size_t>(member)];
  };
}

}  // namespace

bool has_weights(const Operation& operation) { return program::holds_any<Linear, AddPlain, MultiplyPlain>(operation); }

InstructionWeights encode_weights(const Program& program, ValueId id, Evaluator& evaluator) {
  const Instruction& instruction = program.value(id);
  const Landing to = landing_of(instruction);
  const Index count = instruction.layout.ciphertexts();
  InstructionWeights weights;
  if (const auto* linear = std::get_if<Linear>(&instruction.operation)) {
    for (const LinearTerm& term : linear->terms)
      weights.maps.push_back(evaluator.encode_map({term.map, term.schedule, term.diagonals},
                                                  read_by(instruction, program.value(term.input)), to));
    if (linear->bias) weights.plain = evaluator.encode_addend(count, packed(instruction.layout, *linear->bias), to);
  } else if (const auto* add = std::get_if<AddPlain>(&instruction.operation)) {
    weights.plain = evaluator.encode_addend(count, packed(instruction.layout, add->addend), to);
  } else if (const auto* multiply = std::get_if<MultiplyPlain>(&instruction.operation)) {
    const Instruction& operand = program.value(multiply->input);
    weights.plain = evaluator.encode_factor(operand.layout.ciphertexts(), packed(operand.layout, multiply->factor),
                                            read_by(instruction, operand), to);
  }
  return weights;
}

KeptWeights::KeptWeights(const Program& program, Evaluator& evaluator)
    : program_(program), evaluator_(evaluator), kept_(program.instructions.size()) {}

std::shared_ptr<const InstructionWeights> KeptWeights::of(ValueId id) {
  auto& weights = kept_.at(id);
  if (!weights) weights = std::make_shared<const InstructionWeights>(encode_weights(program_, id, evaluator_));
  return weights;
}

void KeptWeights::encode_all() {
  for (ValueId id = 0; id < program_.instructions.size(); ++id)
    if (has_weights(program_.value(id).operation)) of(id);
}

namespace {

ArrayPtr call(const Program& program, ValueId id, Evaluator& evaluator, Weights& weights,
              std::span<const ArrayPtr> operands) {
  const Instruction& instruction = program.value(id);
  const Landing to = landing_of(instruction);
  const auto operand = [&](std::size_t i) { return View::whole(operands[i]); };
  const auto all = [&] {
    std::vector<View> views;
    for (const ArrayPtr& array : operands) views.push_back(View::whole(array));
    return views;
  };
  return std::visit(
      program::Overloaded{
          [&](const Input&) { return evaluator.gather(all(), to); },
          [&](const Output&) { return evaluator.gather(all(), to); }, [&](const Validate&) { return ArrayPtr(); },
          [&](const Add&) { return evaluator.add(operand(0), operand(1), to); },
          [&](const Subtract&) { return evaluator.subtract(operand(0), operand(1), to); },
          [&](const AddPlain&) { return evaluator.add_plain(operand(0), View::whole(weights.of(id)->plain), to); },
          [&](const Sum& sum) { return evaluator.sum(operand(0), sum.terms, to); },
          [&](const Multiply& product) { return evaluator.multiply_sum(operand(0), operand(1), product.terms, to); },
          [&](const MultiplyPlain& product) {
            return evaluator.multiply_plain_sum(operand(0), View::whole(weights.of(id)->plain), product.terms, to);
          },
          [&](const Rotate& rotate) { return evaluator.rotate(operand(0), rotate.steps, to); },
          [&](const RotateSum& rotate) { return evaluator.rotate_sum(operand(0), rotate.steps, to); },
          [&](const Drop&) { return evaluator.drop(operand(0), to); },
          [&](const Gather& gather) {
            std::vector<View> views;
            for (std::size_t p = 0; p < gather.parts.size(); ++p) {
              const GatherPart& part = gather.parts[p];
              View& view = views.emplace_back();
              view.array = operands[p];
              view.offset = part.offset;
              for (std::size_t i = 0; i < part.extents.size(); ++i)
                view.add_dimension(part.extents[i], part.strides[i]);
            }
            return evaluator.gather(views, to);
          },
          [&](const Linear&) {
            const auto encoded = weights.of(id);
            std::vector<MappedView> terms;
            for (std::size_t t = 0; t < operands.size(); ++t) terms.push_back({operand(t), encoded->maps[t]});
            return evaluator.linear(terms, encoded->plain, to);
          },
          [&](const Polynomial& polynomial) {
            return evaluator.polynomial(operand(0), polynomial.coefficients, polynomial.schedule, to);
          },
          [&](const Bootstrap& bootstrap) { return evaluator.bootstrap(all(), bootstrap.schedule, to); },
          [&](const Lookup& lookup) { return evaluator.look_up(all(), lookup.tables, lookup.schedule, to); }},
      instruction.operation);
}

}  // namespace

ArrayPtr carry_out(const Program& program, ValueId id, Evaluator& evaluator, Weights& weights,
                   std::span<const ArrayPtr> operands) {
  try {
    return call(program, id, evaluator, weights, operands);
  } catch (const base::InternalError& error) {
    const Instruction& instruction = program.value(id);
    throw base::InternalError(instruction.source + ": " + mnemonic(instruction.operation) + ": " + error.what());
  }
}

namespace {

class SlotReading final : public program::ReadingOf<Program, Input, Output> {
 public:
  SlotReading(const Program& program, Evaluator& evaluator, Weights& weights)
      : ReadingOf(program), evaluator_(evaluator), weights_(weights) {}
  void carry_out(ValueId id, std::span<const ArrayPtr> operands, std::span<ArrayPtr> values) override {
    values[id] = slots::carry_out(program_, id, evaluator_, weights_, operands);
  }

 private:
  Evaluator& evaluator_;
  Weights& weights_;
};

}  // namespace

std::unique_ptr<program::Reading> reading_of(const Program& program, Evaluator& evaluator, Weights& weights) {
  return std::make_unique<SlotReading>(program, evaluator, weights);
}

std::vector<ArrayPtr> execute(const Program& program, Evaluator& evaluator, Weights& weights,
                              std::vector<ArrayPtr> inputs, const Watch& watch) {
  SlotReading reading(program, evaluator, weights);
  program::Execution execution(reading, std::move(inputs));
  while (!execution.done()) execution.step(watch);
  return execution.take_outputs();
}

}  // namespace tacit::slots
