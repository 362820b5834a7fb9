#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/compile.h"
#include "program/slots/program.h"

namespace tacit::check {

/// Which operators to validate, and how closely.
struct Request {
  program::Detail detail = program::Detail::network;
  std::string nodes = "*";  ///< a shell pattern over the names of graph nodes
  double epsilon = -4;      ///< tolerance 10^epsilon, in units of the model (network) or of the values
  /// At network detail a function that is approximated may also be off by what compilation states for its polynomial,
  /// and a bootstrap in linear form by what its sine leaves. A strict request allows them no more than any operator.
  bool strict = false;
};

/// "nn", "vector" or "instruction", with ":pattern" behind it where only some nodes are meant. Throws InputError.
Request parse_request(std::string_view text, double epsilon);

/// One validation for every value that the request means, over all its elements (slots). At network detail these are
/// the values that are tensors of the model; the arguments of each are the nearest such values that it depends on.
/// Throws InputError where no node's name matches, naming some that are there.
std::vector<program::Validate> validations(const graph::CompiledModel& model, const Request& request);

}  // namespace tacit::check
