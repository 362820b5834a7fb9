#include "program/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "program/validation.h"

namespace tacit::program {
namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

template <class Pair>
std::vector<ValueId> both(const Pair& pair) {
  return {pair.left, pair.right};
}

[[noreturn]] void broken(const Program& program, ValueId id, const std::string& why) {
  throw base::InternalError(
      fmt::format("program '{}': %{} ({}): {}", program.name, id, program.instructions[id].node, why));
}

bool same_size(const layout::Shape& shape, const layout::Layout& layout) {
  return layout::element_count(shape) == layout::element_count(layout.shape());
}

bool fits(const params::LinearSchedule& schedule, layout::Index slots) {
  const auto inside = [&](std::int64_t rotation) { return rotation >= 0 && rotation < slots; };
  for (const params::DiagonalStep& step : schedule.steps)
    if (!inside(step.diagonal) || !inside(step.baby) || !inside(step.giant) ||
        (step.baby + step.giant) % slots != step.diagonal)
      return false;
  return std::all_of(schedule.folds.begin(), schedule.folds.end(),
                     [&](std::int64_t fold) { return fold > 0 && fold < slots; });
}

void verify_layouts(const Program& program, ValueId id) {
  const Instruction& instruction = program.instructions[id];
  const auto need = [&](bool holds, const char* why) {
    if (!holds) broken(program, id, why);
  };
  const auto layout_of = [&](ValueId value) -> const layout::Layout& { return program.value(value).layout; };
  const auto elements = static_cast<std::size_t>(layout::element_count(instruction.layout.shape()));
  const auto pairwise = [&](const auto& pair) {
    need(layout_of(pair.left) == instruction.layout && layout_of(pair.right) == instruction.layout,
         "operands and result must share one layout");
  };
  const auto unary = [&](ValueId input) {
    need(layout_of(input) == instruction.layout, "operand and result must share one layout");
  };
  need(instruction.layout.slots() == program.slots, "the layout is for another number of slots");
  std::visit(
      Overloaded{
          [&](const Input& input) {
            need(input.units.empty() || input.units.size() == elements, "units of another size");
          },
          [&](const Linear& linear) {
            need(!linear.terms.empty(), "a linear instruction needs a term");
            for (const LinearTerm& term : linear.terms) {
              need(term.map.op != nullptr, "a term has no operator");
              need(same_size(term.map.op->in_shape(), term.map.in) && same_size(term.map.op->out_shape(), term.map.out),
                   "a term's operator has another size than its layouts");
              need(fits(term.schedule, program.slots), "a term's schedule does not fit the slots");
              need(term.map.in == layout_of(term.input), "a term's input lies in another layout");
              need(term.map.out == instruction.layout, "a term's output lies in another layout");
            }
          },
          [&](const Polynomial& polynomial) {
            unary(polynomial.input);
            need(static_cast<int>(polynomial.coefficients.size()) == polynomial.schedule.degree + 1,
                 "as many coefficients as the schedule's degree plus one");
          },
          [&](const Multiply& operation) { pairwise(operation); }, [&](const Add& operation) { pairwise(operation); },
          [&](const Subtract& operation) { pairwise(operation); },
          [&](const AddPlain& operation) {
            unary(operation.input);
            need(operation.addend.size() == elements, "addend of another size");
          },
          [&](const MultiplyPlain& operation) {
            unary(operation.input);
            need(operation.factor.size() == elements, "factor of another size");
          },
          [](const Rotate&) {}, [&](const Output& operation) { unary(operation.input); },
          [&](const Validate& validate) {
            if (const std::string why = why_not(program, id, validate); !why.empty()) broken(program, id, why);
          },
          [&](const Bootstrap& operation) {
            unary(operation.input);
            for (const auto* factors :
                 {&operation.schedule.slots_to_coefficients, &operation.schedule.coefficients_to_slots})
              for (const params::DftFactor& factor : *factors)
                need(fits(factor.schedule, program.slots), "a transform's schedule does not fit the slots");
          }},
      instruction.operation);
}

}  // namespace

std::vector<ValueId> operands(const Operation& operation) {
  return std::visit(
      Overloaded{[](const Input&) { return std::vector<ValueId>{}; },
                 [](const Linear& linear) {
                   std::vector<ValueId> inputs;
                   for (const LinearTerm& term : linear.terms) inputs.push_back(term.input);
                   return inputs;
                 },
                 [](const Validate& validate) {
                   std::vector<ValueId> reads{validate.value};
                   reads.insert(reads.end(), validate.arguments.begin(), validate.arguments.end());
                   return reads;
                 },
                 [](const Multiply& pair) { return both(pair); }, [](const Add& pair) { return both(pair); },
                 [](const Subtract& pair) { return both(pair); },
                 [](const auto& unary) { return std::vector<ValueId>{unary.input}; }},
      operation);
}

std::vector<ValueId> last_uses(const Program& program) {
  std::vector<ValueId> last(program.instructions.size());
  std::iota(last.begin(), last.end(), ValueId{0});
  for (ValueId id = 0; id < program.instructions.size(); ++id)
    for (const ValueId read : operands(program.instructions[id].operation)) last.at(read) = id;
  return last;
}

int depth(const Operation& operation) {
  return std::visit(
      Overloaded{[](const Linear&) { return 1; }, [](const Multiply&) { return 1; },
                 [](const MultiplyPlain&) { return 1; },
                 [](const Polynomial& polynomial) { return polynomial.schedule.depth; }, [](const auto&) { return 0; }},
      operation);
}

int operand_level(const Instruction& instruction) {
  if (const auto* bootstrap = std::get_if<Bootstrap>(&instruction.operation)) return bootstrap->schedule.input_level;
  return instruction.level + depth(instruction.operation);
}

const char* mnemonic(const Operation& operation) {
  return std::visit(
      Overloaded{[](const Input&) { return "input"; }, [](const Linear&) { return "linear"; },
                 [](const Polynomial&) { return "polynomial"; }, [](const Multiply&) { return "multiply"; },
                 [](const Add&) { return "add"; }, [](const Subtract&) { return "subtract"; },
                 [](const AddPlain&) { return "add_plain"; }, [](const MultiplyPlain&) { return "multiply_plain"; },
                 [](const Rotate&) { return "rotate"; }, [](const Output&) { return "output"; },
                 [](const Validate&) { return "validate"; }, [](const Bootstrap&) { return "bootstrap"; }},
      operation);
}

void verify(const Program& program) {
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    for (const ValueId read : operands(program.instructions[id].operation))
      if (read >= id) broken(program, id, fmt::format("reads %{}, which is not defined yet", read));
    verify_layouts(program, id);
  }
}

int total_depth(const Program& program) {
  std::vector<int> consumed(program.instructions.size(), 0);
  int deepest = 0;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Operation& operation = program.instructions[id].operation;
    if (std::holds_alternative<Bootstrap>(operation)) continue;
    for (const ValueId read : operands(operation)) consumed[id] = std::max(consumed[id], consumed[read]);
    consumed[id] += depth(operation);
    deepest = std::max(deepest, consumed[id]);
  }
  return deepest;
}

std::string to_text(const Program& program) {
  std::string text = fmt::format("program {} slots {}\n", program.name, program.slots);
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Instruction& instruction = program.instructions[id];
    text += fmt::format("%{} = {}", id, mnemonic(instruction.operation));
    for (const ValueId read : operands(instruction.operation)) text += fmt::format(" %{}", read);
    std::visit(Overloaded{[&](const Input& input) { text += fmt::format(" \"{}\"", input.name); },
                          [&](const Output& output) { text += fmt::format(" \"{}\"", output.name); },
                          [&](const Linear& linear) {
                            std::size_t diagonals = 0, folds = 0;
                            for (const LinearTerm& term : linear.terms) {
                              diagonals += term.schedule.steps.size();
                              folds += term.schedule.folds.size();
                            }
                            text += fmt::format(" diagonals {} folds {}", diagonals, folds);
                          },
                          [&](const Polynomial& polynomial) {
                            text += fmt::format(" degree {} babies 2^{}", polynomial.schedule.degree,
                                                polynomial.schedule.log_baby);
                          },
                          [&](const Rotate& rotate) { text += fmt::format(" by {}", rotate.steps); },
                          [&](const Validate& validate) {
                            text += fmt::format(" {} length {} epsilon {}", name(validate.detail), validate.length,
                                                validate.epsilon);
                            if (!validate.meaning.tensor.empty())
                              text += fmt::format(" \"{}\"", validate.meaning.tensor);
                          },
                          [&](const Bootstrap& bootstrap) {
                            text += fmt::format(" ratio 2^{} {} from level {} to {}", bootstrap.schedule.log_ratio,
                                                bootstrap.schedule.form == params::BootstrapForm::folded   ? "folded"
                                                : bootstrap.schedule.form == params::BootstrapForm::linear ? "linear"
                                                                                                           : "classic",
                                                bootstrap.schedule.input_level, bootstrap.schedule.output_level);
                          },
                          [](const auto&) {}},
               instruction.operation);
    text += fmt::format(" : {} level {}  # {}\n", instruction.layout.to_string(), instruction.level, instruction.node);
  }
  return text;
}

}  // namespace tacit::program
