#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "program/slots/program.h"

namespace tacit::graph::passes {

/// How a linear map is carried out, and what it multiplies.
struct PlannedMap {
  params::LinearSchedule schedule;
  layout::DiagonalCount diagonals;
};
/// The plan of a map that makes a value.
using MapPlan = std::function<PlannedMap(const layout::LinearMap&, ValueId)>;

/// Names for people in a program.
struct ProgramNames {
  std::string model;
  std::vector<std::string> inputs, outputs;  ///< in the order of the model
};

/// How bootstraps are carried out, by form; not read where the network has none.
struct BootstrapSchedules {
  params::BootstrapSchedule folded, linear;
};

/// Writes a normalised network with a layout per value as a program, without levels: one Linear an affine value,
/// carried out as planned, one Polynomial a function, one Multiply a product, one Bootstrap a refresh, and the inputs
/// and outputs in the order of the model. An affine value that multiplies elements where they are is
/// one MultiplyPlain. A function whose layout asks for zeros out of range makes the series less its value at 0,
/// which is added to the elements alone. `places` takes the program's value of every value of the network.
slots::Program emit(const Network& network, const std::vector<layout::Layout>& layouts, const MapPlan& plan,
                    const ProgramNames& names, const BootstrapSchedules& bootstraps,
                    std::vector<program::ValueId>& places);

}  // namespace tacit::graph::passes
