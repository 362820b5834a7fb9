#include "program/slots/program.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/error.h"
#include "program/array.h"
#include "program/slots/padding.h"
#include "program/slots/validations.h"
#include "program/visit.h"

namespace tacit::slots {
namespace {

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

layout::Index positions(const GatherPart& part) {
  return std::accumulate(part.extents.begin(), part.extents.end(), layout::Index{1}, std::multiplies<>());
}

/// True if numbers repeat a whole number of times over the elements of a tensor.
bool fits(const layout::RepeatedReals& numbers, std::size_t elements) {
  const std::size_t period = numbers.values().size() * static_cast<std::size_t>(numbers.run());
  return numbers.values().size() == 1 || (period <= elements && elements % period == 0);
}

/// True if the tables and the series of a lookup have the size of its form.
bool fits(const Lookup& lookup) {
  const params::LookupSchedule& schedule = lookup.schedule;
  const params::BootstrapForm form = schedule.form();
  return params::is_of_lookups(form) && schedule.entries >= params::kFewestEntries &&
         schedule.entries <= params::most_entries(form) &&
         schedule.polynomial == params::series_schedule(form, schedule.entries) &&
         std::ranges::all_of(lookup.tables, [&](const std::vector<double>& table) {
           return table.size() == static_cast<std::size_t>(schedule.entries) &&
                  std::ranges::all_of(table, [](double entry) { return std::isfinite(entry); });
         });
}

/// True if every position of a part is one of `count` ciphertexts.
bool fits(const GatherPart& part, layout::Index count) {
  constexpr layout::Index kMost = layout::Index{1} << 31;
  if (part.extents.size() != part.strides.size() ||
      part.extents.size() > static_cast<std::size_t>(program::View::kMaxRank) || part.offset < 0 ||
      part.offset >= count)
    return false;
  layout::Index last = part.offset, all = 1;
  for (std::size_t i = 0; i < part.extents.size(); ++i) {
    const layout::Index extent = part.extents[i], stride = part.strides[i];
    if (extent < 1 || extent > kMost || stride < 0 || stride > kMost) return false;
    last += (extent - 1) * stride;
    all *= extent;
    if (last >= count || all > kMost) return false;
  }
  return true;
}

void verify_layouts(const Program& program, ValueId id) {
  const Instruction& instruction = program.instructions[id];
  const auto need = [&](bool holds, const char* why) {
    if (!holds) broken(program, id, why);
  };
  const auto layout_of = [&](ValueId value) -> const layout::Layout& { return program.value(value).layout; };
  const auto elements = static_cast<std::size_t>(layout::element_count(instruction.layout.shape()));
  const auto pairwise = [&](const auto& pair) {
    need(layout_of(pair.left).same_places(instruction.layout) && layout_of(pair.right).same_places(instruction.layout),
         "operands and result must share one layout");
  };
  const auto unary = [&](ValueId input) {
    need(layout_of(input).same_places(instruction.layout), "operand and result must share one layout");
  };
  const auto elements_of = [](const layout::Layout& layout) {
    return static_cast<std::size_t>(layout::element_count(layout.shape()));
  };
  const auto same_count = [&](ValueId input) {
    need(layout_of(input).ciphertexts() == instruction.layout.ciphertexts(),
         "operand and result must have equally many ciphertexts");
  };
  const auto transforms = [&](const params::BootstrapSchedule& schedule) {
    for (const auto* factors : {&schedule.slots_to_coefficients, &schedule.coefficients_to_slots})
      for (const params::DftFactor& factor : *factors)
        need(fits(factor.schedule, program.slots), "a transform's schedule does not fit the slots");
  };
  const auto summed = [&](ValueId input, layout::Index terms) {
    need(terms >= 1 && layout_of(input).ciphertexts() % terms == 0 &&
             layout_of(input).ciphertexts() / terms == instruction.layout.ciphertexts(),
         "the result must have one ciphertext for every sum");
    if (terms == 1) unary(input);
  };
  need(instruction.layout.slots() == program.slots, "the layout is for another number of slots");
  std::visit(
      program::Overloaded{
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
          [&](const Multiply& operation) {
            summed(operation.left, operation.terms);
            need(layout_of(operation.left).same_places(layout_of(operation.right)),
                 "the operands must share one layout");
          },
          [&](const Add& operation) { pairwise(operation); }, [&](const Subtract& operation) { pairwise(operation); },
          [&](const AddPlain& operation) {
            unary(operation.input);
            need(fits(operation.addend, elements), "addend of another size");
          },
          [&](const MultiplyPlain& operation) {
            summed(operation.input, operation.terms);
            need(fits(operation.factor, elements_of(layout_of(operation.input))), "factor of another size");
          },
          [&](const Sum& operation) { summed(operation.input, operation.terms); },
          [&](const Rotate& operation) { same_count(operation.input); },
          [&](const RotateSum& operation) {
            same_count(operation.input);
            need(std::none_of(operation.steps.begin(), operation.steps.end(),
                              [&](std::int64_t steps) { return steps % program.slots == 0; }),
                 "a sum of rotations rotates by 0");
          },
          [&](const Drop& operation) { unary(operation.input); },
          [&](const Gather& gather) {
            layout::Index count = 0;
            for (const GatherPart& part : gather.parts) {
              need(fits(part, layout_of(part.input).ciphertexts()), "a part reaches beyond its value");
              count += positions(part);
            }
            need(count == instruction.layout.ciphertexts(),
                 "gathers another number of ciphertexts than its layout has");
          },
          [&](const Output& operation) { unary(operation.input); },
          [&](const Validate& validate) {
            if (const std::string why = why_not(program, id, validate); !why.empty()) broken(program, id, why);
          },
          [&](const Bootstrap& operation) {
            layout::Index count = 0;
            for (const ValueId input : operation.inputs) count += layout_of(input).ciphertexts();
            need(!operation.inputs.empty() && count == instruction.layout.ciphertexts(),
                 "a bootstrap makes as many ciphertexts as it reads");
            if (operation.inputs.size() == 1) unary(operation.inputs[0]);
            need(!params::is_of_lookups(operation.schedule.form), "a bootstrap has a form that only lookups read");
            transforms(operation.schedule);
          },
          [&](const Lookup& operation) {
            layout::Index count = 0;
            for (const ValueId input : operation.inputs) count += layout_of(input).ciphertexts();
            const std::size_t tables = operation.tables.size();
            need(!operation.inputs.empty() && tables >= 1 && tables <= kMostTables &&
                     count * static_cast<layout::Index>(tables) == instruction.layout.ciphertexts(),
                 "a lookup makes as many ciphertexts of each table as it reads");
            if (operation.inputs.size() == 1 && tables == 1) unary(operation.inputs[0]);
            need(fits(operation), "a table or its series has another size than the form allows");
            transforms(operation.schedule.bootstrap);
          }},
      instruction.operation);
}

void verify_padding(const Program& program) {
  const std::vector<Padding> padding = padding_of(program);
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Operation& operation = program.value(id).operation;
    if (program::holds_any<Polynomial, Bootstrap, Lookup>(operation))
      for (const ValueId read : operands(operation))
        if (padding[read] == Padding::unknown)
          broken(program, id,
                 fmt::format("slots of %{} that hold no element may hold numbers of any size, which would leave its "
                             "interval and destroy the ciphertext: a mask must come before it",
                             read));
    if (const auto* linear = std::get_if<Linear>(&operation))
      for (const LinearTerm& term : linear->terms)
        if (padding[term.input] > Padding::as_declared && term.map.in.has_padding(layout::Fill::zero) &&
            !std::holds_alternative<Linear>(program.value(term.input).operation))
          broken(program, id,
                 fmt::format("takes zeros from slots of %{} that hold no element and are not zero", term.input));
  }
}

}  // namespace

void rename_operands(Operation& operation, const std::function<ValueId(ValueId)>& name) {
  program::each_operand(operation, [&](ValueId& id) { id = name(id); });
}

ValueId Program::computed_by(ValueId id) const {
  const auto* gather = std::get_if<Gather>(&value(id).operation);
  return gather && gather->parts.size() == 1 ? computed_by(gather->parts[0].input) : id;
}

std::optional<ValueId> refreshed_from(const Program& program, ValueId id) {
  const ValueId by = program.computed_by(id);
  const auto* bootstrap = std::get_if<Bootstrap>(&program.value(by).operation);
  if (!bootstrap) return std::nullopt;
  if (by == id) return bootstrap->inputs.size() == 1 ? std::optional(bootstrap->inputs[0]) : std::nullopt;
  const GatherPart& part = std::get<Gather>(program.value(id).operation).parts[0];
  const std::vector<layout::Index> one_by_one{1};
  layout::Index first = 0;
  for (const ValueId input : bootstrap->inputs) {
    const layout::Index count = program.value(input).layout.ciphertexts();
    if (part.input == by && part.offset == first && part.extents == std::vector{count} && part.strides == one_by_one)
      return input;
    first += count;
  }
  return std::nullopt;
}

ValueId refreshed_as(const Program& program, ValueId bootstrap, ValueId input) {
  if (refreshed_from(program, bootstrap)) return bootstrap;
  for (ValueId id = bootstrap + 1; id < program.instructions.size(); ++id)
    if (program.computed_by(id) == bootstrap && refreshed_from(program, id) == input) return id;
  return bootstrap;
}

std::optional<ValueId> copied_from(const Program& program, ValueId id) {
  const Operation& operation = program.value(id).operation;
  if (const auto* multiply = std::get_if<MultiplyPlain>(&operation))
    return multiply->terms == 1 && multiply->factor.all_equal(1) ? std::optional(multiply->input) : std::nullopt;
  const auto* linear = std::get_if<Linear>(&operation);
  if (linear == nullptr || linear->terms.size() != 1 || linear->bias) return std::nullopt;
  const auto factor = linear->terms[0].map.op->diagonal();
  return factor && factor->all_equal(1) ? std::optional(linear->terms[0].input) : std::nullopt;
}

const params::BootstrapSchedule* bootstrap_of(const Operation& operation) {
  if (const auto* bootstrap = std::get_if<Bootstrap>(&operation)) return &bootstrap->schedule;
  const auto* lookup = std::get_if<Lookup>(&operation);
  return lookup ? &lookup->schedule.bootstrap : nullptr;
}

int highest_refreshed_level(const Operation& operation) {
  if (const auto* lookup = std::get_if<Lookup>(&operation)) return lookup->schedule.output_level();
  return std::get<Bootstrap>(operation).schedule.output_level;
}

int depth(const Operation& operation) {
  return std::visit(program::Overloaded{[](const Linear&) { return 1; }, [](const Multiply&) { return 1; },
                                        [](const MultiplyPlain&) { return 1; }, [](const Drop&) { return 1; },
                                        [](const Polynomial& polynomial) { return polynomial.schedule.depth; },
                                        [](const auto&) { return 0; }},
                    operation);
}

int operand_level(const Instruction& instruction) {
  if (const auto* bootstrap = bootstrap_of(instruction.operation)) return bootstrap->input_level;
  return instruction.level + depth(instruction.operation);
}

const char* mnemonic(const Operation& operation) {
  static constexpr std::array kMnemonics{
      "input",  "linear",   "polynomial", "multiply", "add",        "subtract", "add_plain", "multiply_plain", "rotate",
      "output", "validate", "bootstrap",  "sum",      "rotate_sum", "drop",     "gather",    "lookup"};
  static_assert(kMnemonics.size() == std::variant_size_v<Operation>);
  return kMnemonics[operation.index()];
}

void verify(const Program& program) {
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    for (const ValueId read : operands(program.instructions[id].operation))
      if (read >= id) {
        broken(program, id, fmt::format("reads %{}, which is not defined yet", read));
      } else if (const Operation& made = program.instructions[read].operation;
                 program::holds_any<Output, Validate>(made)) {
        broken(program, id, fmt::format("reads %{}, which is no value but an {}", read, mnemonic(made)));
      }
    verify_layouts(program, id);
  }
  verify_padding(program);
}

int total_depth(const Program& program) {
  std::vector<int> consumed(program.instructions.size(), 0);
  int deepest = 0;
  for (ValueId id = 0; id < program.instructions.size(); ++id) {
    const Operation& operation = program.instructions[id].operation;
    if (bootstrap_of(operation)) continue;
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
    std::visit(
        program::Overloaded{
            [&](const Input& input) { text += fmt::format(" \"{}\"", input.name); },
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
              text += fmt::format(" degree {} babies 2^{}", polynomial.schedule.degree, polynomial.schedule.log_baby);
            },
            [&](const Rotate& rotate) { text += fmt::format(" by {}", rotate.steps); },
            [&](const RotateSum& rotate) { text += fmt::format(" by {}", fmt::join(rotate.steps, ",")); },
            [&](const Sum& sum) { text += fmt::format(" terms {}", sum.terms); },
            [&](const Multiply& product) {
              if (product.terms > 1) text += fmt::format(" terms {}", product.terms);
            },
            [&](const MultiplyPlain& product) {
              if (product.terms > 1) text += fmt::format(" terms {}", product.terms);
            },
            [&](const Gather& gather) {
              for (const GatherPart& part : gather.parts)
                text += fmt::format(" [{} + {} x {}]", part.offset, fmt::join(part.extents, ","),
                                    fmt::join(part.strides, ","));
            },
            [&](const Validate& validate) {
              text += fmt::format(" {} length {} epsilon {}", name(validate.detail), validate.length, validate.epsilon);
              if (!validate.meaning.tensor.empty()) text += fmt::format(" \"{}\"", validate.meaning.tensor);
            },
            [&](const Bootstrap& bootstrap) {
              text += fmt::format(" ratio 2^{} {} from level {} to {}", bootstrap.schedule.log_ratio,
                                  bootstrap.schedule.form == params::BootstrapForm::folded ? "folded" : "linear",
                                  bootstrap.schedule.input_level, bootstrap.schedule.output_level);
            },
            [&](const Lookup& lookup) {
              text += fmt::format(" tables {} entries {} {} from level {} to {}", lookup.tables.size(),
                                  lookup.schedule.entries,
                                  lookup.schedule.form() == params::BootstrapForm::half ? "half" : "whole",
                                  lookup.schedule.input_level(), lookup.schedule.output_level());
            },
            [](const auto&) {}},
        instruction.operation);
    text += fmt::format(" : {} level {}  # {}\n", instruction.layout.to_string(), instruction.level, instruction.node);
  }
  return text;
}

}  // namespace tacit::slots
