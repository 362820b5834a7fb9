#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "graph/compile.h"
#include "program/slots/program.h"

namespace tacit::check {

/// The operators to validate, and the accuracy of the comparison.
struct Request {
  program::Detail detail = program::Detail::network;
  std::string nodes = "*";  ///< a shell pattern over the names of graph nodes
  double epsilon = -4;      ///< tolerance 10^epsilon, in units of the model (network) or of the values
  /// Compares strictly. Otherwise a function or a bootstrap may have a further error at network detail. For an
  /// approximated function it is the stated error of its polynomial. For a bootstrap in linear form it is the error of
  /// its sine.
  bool strict = false;
};

/// Parses "nn", "vector" or "instruction". A following ":pattern" selects nodes. Throws InputError.
Request parse_request(std::string_view text, double epsilon);

/// Returns one validation for every requested value, over all its elements (slots). At network detail these are the
/// values that are tensors of the model. Their arguments are the nearest such values that they depend on. Throws
/// InputError if no node's name matches, naming some existing nodes.
std::vector<program::Validate> validations(const graph::CompiledModel& model, const Request& request);

}  // namespace tacit::check
