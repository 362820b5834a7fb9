#include "graph/declaration.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <ranges>

#include "graph/attribute.h"
#include "graph/reference/operator_call.h"

namespace tacit::graph {
namespace {

/// The operands of one side of a signature.
std::vector<Operand> operands_of(std::string_view text) {
  std::vector<Operand> operands;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const auto marked = [&](char mark) { return word.find(mark) != std::string_view::npos; };
    operands.push_back({word.substr(0, word.find_first_of("?*~")), marked('?'), marked('*'), marked('~')});
  }
  return operands;
}

const std::map<std::string_view, Operator>& table() {
  static const auto* operators = [] {
    constexpr std::string_view kArrow = "->";
    auto* all = new std::map<std::string_view, Operator>;
    for (const std::span<const Declaration> family : reference::families())
      for (const Declaration& declared : family) {
        const std::size_t arrow = declared.signature.find(kArrow);
        const std::string_view outputs =
            arrow == std::string_view::npos ? "y" : declared.signature.substr(arrow + kArrow.size());
        all->emplace(declared.name,
                     Operator{declared, operands_of(declared.signature.substr(0, arrow)), operands_of(outputs)});
      }
    return all;
  }();
  return *operators;
}

std::string_view name_of(AttributeType type) {
  constexpr std::string_view kNames[] = {"an integer", "a number", "a text",  "integers",
                                         "numbers",    "texts",    "a tensor"};
  return kNames[static_cast<std::size_t>(type)];
}

bool is_flag(const AttributeDeclaration& declared) { return declared.lowest == 0 && declared.highest == 1; }

void check_bounds(const Node& node, const AttributeDeclaration& declared, std::int64_t value) {
  if (value >= declared.lowest && value <= declared.highest) return;
  refuse(node, fmt::format("attribute '{}' holds {}{}", declared.name, value,
                           is_flag(declared) ? "; it must be 0 or 1"
                                             : fmt::format(", outside [{}, {}]", declared.lowest, declared.highest)));
}

void check_attribute(const Node& node, const AttributeDeclaration& declared, const Attribute& attribute) {
  if (attribute.index() != static_cast<std::size_t>(declared.type))
    refuse(node, fmt::format("attribute '{}' has the wrong type: it takes {}", declared.name, name_of(declared.type)));
  if (const auto* integer = std::get_if<std::int64_t>(&attribute)) check_bounds(node, declared, *integer);
  if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute))
    for (const std::int64_t integer : *integers) check_bounds(node, declared, integer);
  if (const auto* text = std::get_if<std::string>(&attribute);
      text != nullptr && !declared.choices.empty() && !choice_of(declared.choices, *text))
    refuse(node,
           fmt::format("attribute '{}': '{}' is none of {}", declared.name, text->substr(0, 64), declared.choices));
}

std::string names_of(std::span<const AttributeDeclaration> attributes) {
  const auto names = attributes | std::views::transform(&AttributeDeclaration::name);
  return attributes.empty() ? "none" : fmt::to_string(fmt::join(names, ", "));
}

void check_attributes(const Node& node, const Operator& op) {
  for (const auto& [name, attribute] : node.attributes) {
    const AttributeDeclaration* declared = op.attribute(name);
    if (declared == nullptr)
      refuse(node, fmt::format("attribute '{}' is not known for this operator; its attributes: {}", name,
                               names_of(op.attributes)));
    check_attribute(node, *declared, attribute);
  }
  for (const AttributeDeclaration& declared : op.attributes)
    if (declared.required && !has_attribute(node, std::string(declared.name)))
      refuse(node, fmt::format("attribute '{}' is missing", declared.name));
}

}  // namespace

const AttributeDeclaration* Operator::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &AttributeDeclaration::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::optional<std::size_t> Operator::place(std::string_view input) const {
  const auto found = std::ranges::find(inputs, input, &Operand::name);
  return found == inputs.end() ? std::nullopt : std::optional<std::size_t>(found - inputs.begin());
}

const Operand* Operator::input(std::size_t index) const {
  if (index < inputs.size()) return &inputs[index];
  return joins() ? &inputs.back() : nullptr;
}

bool Operator::keeps_rows_apart() const {
  switch (is) {
    case Class::function:
    case Class::step:
    case Class::extreme:
    case Class::piece:
    case Class::arithmetic:
    case Class::cast: return true;
    default: return has(kRowWise | kAlongAxis | kFromAxis);
  }
}

std::optional<std::size_t> choice_of(std::string_view choices, std::string_view text) {
  for (std::size_t place = 0; !choices.empty(); ++place) {
    const std::size_t end = std::min(choices.find(", "), choices.size());
    if (choices.substr(0, end) == text) return place;
    choices.remove_prefix(std::min(end + 2, choices.size()));
  }
  return std::nullopt;
}

const Operator* find_operator(std::string_view op) {
  const auto found = table().find(op);
  return found == table().end() ? nullptr : &found->second;
}

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> all;
  for (const auto& [name, op] : table()) all.push_back(&op);
  return all;
}

bool is(std::string_view op, Class asked) {
  const Operator* found = find_operator(op);
  return found != nullptr && found->is == asked;
}

bool has_trait(std::string_view op, Traits asked) {
  const Operator* found = find_operator(op);
  return found != nullptr && found->has(asked);
}

void check_declared(const Node& node, const Operator& op, const std::vector<bool>& given) {
  check_attributes(node, op);
  if (!given.empty() && op.input(given.size() - 1) == nullptr)
    refuse(node, fmt::format("it has {} inputs; it takes {}", given.size(), to_text(op.inputs)));
  for (std::size_t i = 0; i < std::max(given.size(), op.inputs.size()); ++i)
    if (!op.input(i)->optional && !(i < given.size() && given[i]))
      refuse(node,
             fmt::format("its input {} ('{}') is missing; it takes {}", i, op.input(i)->name, to_text(op.inputs)));
}

void check_declared(const Node& node) {
  const Operator* op = find_operator(node.op);
  if (op == nullptr) return;
  std::vector<bool> given;
  for (const TensorId id : node.inputs) given.push_back(id != kNoTensor);
  check_declared(node, *op, given);
  if (node.outputs.size() > op->outputs.size() && !op->outputs.back().repeated)
    refuse(node, fmt::format("it has {} outputs; it makes {}", node.outputs.size(), to_text(op->outputs)));
}

std::string_view slots_form(const Declaration& op) {
  if (!op.slots.empty()) return op.slots;
  switch (op.is) {
    case Class::function: return "a polynomial on the calibrated range";
    case Class::extreme:
      return "of encrypted values and constants, by the magnitude of a - b, which is a polynomial on the calibrated "
             "range";
    case Class::maxima:
      return "of pairs, by the magnitude of a - b, which is a polynomial on the calibrated range; exact where the "
             "client runs it";
    case Class::arithmetic: return "affine; joins its neighbours";
    case Class::movement: return "moves elements; joins its neighbours";
    case Class::piece:
      return "pieces of one encrypted value, a polynomial on the calibrated range; others by the client";
    case Class::linear: return "a matrix";
    case Class::trees: return "none; with --scheme tfhe";
    default: return "the client runs it: on the inputs, or behind the last layer";
  }
}

std::string_view integers_form(const Declaration& op) {
  if (!op.integers.empty()) return op.integers;
  switch (op.is) {
    case Class::function:
    case Class::step: return "a table";
    case Class::extreme:
    case Class::maxima: return "a table of a - b for each pair";
    case Class::piece: return "in the table of one encrypted value; of two, sums and tables";
    case Class::arithmetic: return "a sum; of one encrypted value a part of its table";
    case Class::product: return "a table of one encrypted value; of two, tables of a + b and a - b";
    case Class::linear: return "a sum";
    case Class::trees: return "tables of comparisons";
    default: return kAsOnSlots;
  }
}

std::string to_text(const std::vector<Operand>& operands) {
  std::string text;
  for (const Operand& operand : operands)
    text += fmt::format("{}{}{}{}", text.empty() ? "" : ", ", operand.optional ? "optionally " : "", operand.name,
                        operand.repeated ? " ..." : "");
  return text;
}

}  // namespace tacit::graph
