#include "check/slots/insertion.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "check/slots/scope.h"
#include "program/slots/trace.h"
#include "program/slots/validations.h"
#include "program/visit.h"

namespace tacit::check {
namespace {

using program::Detail;
using program::Validate;
using program::ValueId;
using slots::Instruction;
using slots::Program;

// The stated error of a polynomial is measured on a grid; between its points it may be a little larger.
constexpr double kBetweenPoints = 1.1;

/// The nearest values that are tensors of the model and that a value depends on, in order.
std::vector<ValueId> nearest_tensors(const graph::CompiledModel& model, ValueId value) {
  std::set<ValueId> seen, nearest;
  std::vector<ValueId> pending{value};
  while (!pending.empty()) {
    const ValueId id = pending.back();
    pending.pop_back();
    for (const ValueId read : sources(model.program, id)) {
      if (!seen.insert(read).second) continue;
      if (model.meanings.at(read).tensor.empty()) {
        pending.push_back(read);
      } else {
        nearest.insert(read);
      }
    }
  }
  return {nearest.begin(), nearest.end()};
}

/// What a bootstrap in linear form leaves of the sine, in units of the value. What reads a folded one takes the sine
/// in.
double left_by_sine(const slots::Bootstrap& bootstrap) {
  if (bootstrap.schedule.form == params::BootstrapForm::folded) return 0;
  constexpr int kPoints = 64;
  double most = 0;
  for (int i = 1; i <= kPoints; ++i) {
    const double z = static_cast<double>(i) / kPoints;
    most = std::max(most, std::abs(bootstrap.schedule.result(z) - z));
  }
  return most;
}

/// The largest calibrated magnitude of the arguments, in the units of their tensors.
double largest_argument(const graph::CompiledModel& model, const std::vector<ValueId>& arguments) {
  double largest = 0;
  for (const ValueId id : arguments) {
    double smallest = HUGE_VAL;
    for (const double factor : model.meanings.at(id).factors) smallest = std::min(smallest, std::abs(factor));
    largest = std::max(largest, model.program.value(id).bound / smallest);
  }
  return largest;
}

double allowed(const graph::CompiledModel& model, const Validate& validate, const Request& request) {
  if (request.strict) return request.epsilon;
  double tolerance = std::pow(10.0, request.epsilon);
  std::set<std::string> polynomials;
  bool multiplies = false;
  for (const ValueId id : between(model.program, validate.arguments, validate.value)) {
    const Instruction& instruction = model.program.value(id);
    if (std::holds_alternative<slots::Polynomial>(instruction.operation)) polynomials.insert(instruction.node);
    multiplies = multiplies || std::holds_alternative<slots::Multiply>(instruction.operation);
    if (const auto* bootstrap = std::get_if<slots::Bootstrap>(&instruction.operation)) {
      double smallest = HUGE_VAL;
      for (const double factor : validate.meaning.factors) smallest = std::min(smallest, std::abs(factor));
      tolerance += kBetweenPoints * left_by_sine(*bootstrap) / smallest;
    }
  }
  // A quotient is a product with the reciprocal, whose error the other operand multiplies.
  const double gain = multiplies ? std::max(1.0, largest_argument(model, validate.arguments)) : 1;
  for (const graph::Approximation& approximation : model.approximations)
    if (polynomials.contains(approximation.node)) tolerance += kBetweenPoints * gain * approximation.max_error;
  return std::log10(tolerance);
}

/// Returns the values that are no operators of the network: inputs with their traces, outputs and validations.
std::vector<char> no_operators(const Program& program) {
  std::vector<char> none(program.instructions.size(), 0);
  for (ValueId id = 0; id < none.size(); ++id) {
    const bool ends = program::holds_any<slots::Output, Validate>(program.value(id).operation);
    none[id] = ends || slots::arrives(program, id) ? 1 : 0;
  }
  return none;
}

/// True if a pattern names the node of a value, or one that a bootstrap of several values refreshes with others.
bool named(const Program& program, ValueId id, const std::string& pattern) {
  const auto matches = [&](ValueId value) {
    return fnmatch(pattern.c_str(), program.value(value).node.c_str(), 0) == 0;
  };
  const auto* bootstrap = std::get_if<slots::Bootstrap>(&program.value(id).operation);
  return matches(id) || (bootstrap && std::ranges::any_of(bootstrap->inputs, [&](ValueId input) {
                           return matches(slots::refreshed_as(program, id, input));
                         }));
}

[[noreturn]] void refuse_pattern(const Program& program, const Request& request) {
  std::vector<std::string> names;
  const std::vector<char> none = no_operators(program);
  for (ValueId id = 0; id < none.size(); ++id) {
    const std::string& node = program.value(id).node;
    if (!none[id] && std::find(names.begin(), names.end(), node) == names.end()) names.push_back(node);
  }
  if (names.empty())
    base::refuse("'{}' computes nothing on ciphertexts, so that there is nothing to validate", program.name);
  constexpr std::size_t kShown = 12;
  const std::string more = names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
  if (names.size() > kShown) names.resize(kShown);
  base::refuse("no node that is computed on ciphertexts matches '{}'; there are {}{}", request.nodes,
               fmt::join(names, ", "), more);
}

}  // namespace

Request parse_request(std::string_view text, double epsilon) {
  Request request;
  request.epsilon = epsilon;
  const std::size_t colon = text.find(':');
  const auto detail = program::detail_named(text.substr(0, colon));
  if (!detail)
    base::refuse(
        "--validate {} must be nn, vector or instruction, and may be followed by a colon and a pattern "
        "over the names of nodes",
        text);
  request.detail = *detail;
  if (colon != std::string_view::npos) request.nodes = text.substr(colon + 1);
  if (request.nodes.empty())
    base::refuse("--validate {} has no pattern behind its colon; leave both out for all nodes", text);
  if (!(epsilon >= program::kLowestEpsilon && epsilon <= program::kHighestEpsilon))
    base::refuse("--epsilon {} must lie between {} and {}: the tolerance is 10 to its power", epsilon,
                 program::kLowestEpsilon, program::kHighestEpsilon);
  return request;
}

std::vector<Validate> validations(const graph::CompiledModel& model, const Request& request) {
  std::vector<Validate> result;
  const std::vector<char> none = no_operators(model.program);
  for (ValueId id = 0; id < model.program.instructions.size(); ++id) {
    const Instruction& instruction = model.program.value(id);
    if (none[id] || !named(model.program, id, request.nodes)) continue;
    Validate validate{id, request.detail, slots::most_length(instruction, request.detail), request.epsilon};
    if (request.detail == Detail::network) {
      if (model.meanings.at(id).tensor.empty()) continue;
      validate.arguments = nearest_tensors(model, id);
      validate.meaning = model.meanings[id];
      for (const ValueId argument : validate.arguments) validate.argument_meanings.push_back(model.meanings[argument]);
      validate.epsilon = allowed(model, validate, request);
    } else {
      validate.arguments = slots::operands(instruction.operation);
    }
    result.push_back(std::move(validate));
  }
  if (result.empty()) refuse_pattern(model.program, request);
  return result;
}

}  // namespace tacit::check
