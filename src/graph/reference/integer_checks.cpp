#include "graph/reference/integer_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

#include "base/error.h"
#include "graph/attribute.h"
#include "graph/declaration.h"
#include "graph/integers.h"

namespace tacit::graph::reference {
namespace {

bool holds_lost_integer(const Tensor& tensor) {
  if (!tensor.integral || !tensor.texts.empty()) return false;
  return std::ranges::any_of(tensor.data, [](double value) { return std::abs(value) > kLargestInteger; });
}

/// True for an input that says how far a Slice goes, where "to the end" is written as the largest integer.
bool ends_slice(const Node& node, std::size_t input) { return node.op == "Slice" && (input == 1 || input == 2); }

/// True if results may hold lost integers of operands.
bool passes_lost_integers(const Node& node) {
  static const std::set<std::string> kToo{"Cast", "GatherElements", "Where"};
  return is(node.op, Class::movement) || kToo.contains(node.op);
}

/// What is moved may be texts as well; what says where to is numbers.
bool moves(const Node& node, std::size_t input) {
  const Operator* op = find_operator(node.op);
  return op != nullptr && op->input(input)->texts && passes_lost_integers(node);
}

}  // namespace

void refuse_lost_integers(const Node& node, std::span<const Tensor* const> inputs, bool passed_on) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != nullptr && !(passed_on && moves(node, i)) && !ends_slice(node, i) &&
        holds_lost_integer(*inputs[i]))
      refuse(node, fmt::format("its input {} holds an integer beyond 2^53, up to which integers are exact here; only a "
                               "Slice may start or end at one, which means to the end",
                               i));
}

void check_integers(const Node& node, const Tensor& result, IntegerType type) {
  if (!result.integral || !result.texts.empty()) return;
  const IntegerRange range = range_of(type);
  for (const double value : result.data) {
    if (range.contains(value) && value == std::trunc(value)) continue;
    if (std::abs(value) == kLostInteger && passes_lost_integers(node)) continue;
    if (std::abs(value) == kLostInteger)
      refuse(node, fmt::format("it makes an integer of type {} beyond 2^53, up to which integers are exact here",
                               name_of(type)));
    refuse(node, fmt::format("it makes {} of integers of type {}, which hold {} to {}; what becomes of it differs "
                             "between runtimes, so cast to a wider type first",
                             value, name_of(type), range.lowest, range.highest));
  }
}

void check_integer_input(const TensorInfo& expected, const Tensor& given) {
  if (!expected.integral || expected.text) return;
  const IntegerRange range = range_of(expected.integers);
  for (std::size_t i = 0; i < given.data.size(); ++i) {
    const double value = given.data[i];
    if (value != std::trunc(value))
      base::refuse(
          "input '{}' takes integers ({}), and element {} of what was given is none; round it, or give the "
          "model an input of floating-point numbers",
          expected.name, name_of(expected.integers), i);
    if (!range.contains(value))
      base::refuse("input '{}' takes integers from {} to {} ({}), and element {} of what was given lies outside",
                   expected.name, range.lowest, range.highest, name_of(expected.integers), i);
  }
}

}  // namespace tacit::graph::reference
