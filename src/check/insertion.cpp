#include "check/insertion.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/error.h"
#include "program/validation.h"

namespace tacit::check {
namespace {

using program::Detail;
using program::Instruction;
using program::Program;
using program::Validate;
using program::ValueId;

// The stated error of a polynomial is measured on a grid; between its points it may be a little larger.
constexpr double kBetweenPoints = 1.1;

/// The values that are tensors of the model and that a value depends on directly, and the nodes of the polynomials on the
/// way, its own included.
struct Neighbourhood {
  std::vector<ValueId> arguments;
  std::set<std::string> polynomials;
};

Neighbourhood neighbourhood(const graph::CompiledModel& model, ValueId value) {
  Neighbourhood result;
  std::set<ValueId> seen;
  std::vector<ValueId> pending{value};
  while (!pending.empty()) {
    const ValueId id = pending.back();
    pending.pop_back();
    const Instruction& instruction = model.program.value(id);
    if (std::holds_alternative<program::Polynomial>(instruction.operation))
      result.polynomials.insert(instruction.node);
    for (const ValueId read : program::operands(instruction.operation)) {
      if (!seen.insert(read).second) continue;
      if (model.meanings.at(read).tensor.empty()) {
        pending.push_back(read);
      } else {
        result.arguments.push_back(read);
      }
    }
  }
  std::sort(result.arguments.begin(), result.arguments.end());
  return result;
}

double allowed(const graph::CompiledModel& model, const Neighbourhood& around, const Request& request) {
  if (request.strict) return request.epsilon;
  double tolerance = std::pow(10.0, request.epsilon);
  for (const graph::Approximation& approximation : model.approximations)
    if (around.polynomials.contains(approximation.node)) tolerance += kBetweenPoints * approximation.max_error;
  return std::log10(tolerance);
}

bool is_operator(const Instruction& instruction) {
  return !std::holds_alternative<program::Input>(instruction.operation) &&
         !std::holds_alternative<program::Output>(instruction.operation) &&
         !std::holds_alternative<Validate>(instruction.operation);
}

[[noreturn]] void refuse_pattern(const Program& program, const Request& request) {
  std::vector<std::string> names;
  for (const Instruction& instruction : program.instructions)
    if (is_operator(instruction) && std::find(names.begin(), names.end(), instruction.node) == names.end())
      names.push_back(instruction.node);
  constexpr std::size_t kShown = 12;
  const std::string more = names.size() > kShown ? fmt::format(" and {} more", names.size() - kShown) : "";
  if (names.size() > kShown) names.resize(kShown);
  throw base::InputError(fmt::format("no node that is computed on ciphertexts matches '{}'; there are {}{}",
                                     request.nodes, fmt::join(names, ", "), more));
}

}  // namespace

Request parse_request(std::string_view text, double epsilon) {
  Request request;
  request.epsilon = epsilon;
  const std::size_t colon = text.find(':');
  const auto detail = program::detail_named(text.substr(0, colon));
  if (!detail)
    throw base::InputError(fmt::format("--validate {} must be nn, vector or instruction, and may be followed by a colon "
                                       "and a pattern over the names of nodes",
                                       text));
  request.detail = *detail;
  if (colon != std::string_view::npos) request.nodes = text.substr(colon + 1);
  if (request.nodes.empty())
    throw base::InputError(fmt::format("--validate {} has no pattern behind its colon; leave both out for all nodes", text));
  if (!(epsilon >= program::kLowestEpsilon && epsilon <= program::kHighestEpsilon))
    throw base::InputError(fmt::format("--epsilon {} must lie between {} and {}: the tolerance is 10 to its power", epsilon,
                                       program::kLowestEpsilon, program::kHighestEpsilon));
  return request;
}

std::vector<Validate> validations(const graph::CompiledModel& model, const Request& request) {
  std::vector<Validate> result;
  for (ValueId id = 0; id < model.program.instructions.size(); ++id) {
    const Instruction& instruction = model.program.value(id);
    if (!is_operator(instruction) || fnmatch(request.nodes.c_str(), instruction.node.c_str(), 0) != 0) continue;
    Validate validate{id, request.detail, program::most_length(instruction, request.detail), request.epsilon};
    if (request.detail == Detail::network) {
      if (model.meanings.at(id).tensor.empty()) continue;
      const Neighbourhood around = neighbourhood(model, id);
      validate.epsilon = allowed(model, around, request);
      validate.arguments = around.arguments;
      validate.meaning = model.meanings[id];
      for (const ValueId argument : around.arguments) validate.argument_meanings.push_back(model.meanings[argument]);
    } else {
      validate.arguments = program::operands(instruction.operation);
    }
    result.push_back(std::move(validate));
  }
  if (result.empty()) refuse_pattern(model.program, request);
  return result;
}

}  // namespace tacit::check
