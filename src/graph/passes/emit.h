#pragma once

#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "program/program.h"

namespace tacit::graph::passes {

/// Writes a normalised network with a layout per value as a program, without levels: one Linear an affine value (an Add
/// or Subtract where it only adds values in its own layout), one Polynomial a function, one Multiply a product, and the
/// inputs and outputs in the order of the model.
program::Program emit(const Network& network, const std::vector<layout::Layout>& layouts,
                      const std::vector<std::string>& input_names, const std::vector<std::string>& output_names,
                      const std::string& model);

}  // namespace tacit::graph::passes
