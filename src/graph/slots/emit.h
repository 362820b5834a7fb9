#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "program/slots/program.h"

namespace tacit::graph::passes {

/// The plan of a linear map: its schedule, and its diagonals.
struct PlannedMap {
  params::LinearSchedule schedule;
  layout::DiagonalCount diagonals;
};
/// Returns the plan of a map that makes a value.
using MapPlan = std::function<PlannedMap(const layout::LinearMap&, ValueId)>;

/// The names in a program that people read.
struct ProgramNames {
  std::string model;
  std::vector<std::string> inputs, outputs;  ///< in the order of the model
};

/// The schedules of bootstraps, by form. Not read if the network has none.
struct BootstrapSchedules {
  params::BootstrapSchedule folded, linear;
  params::CkksLiteral literal{};  ///< for the schedules of lookups
};

/// Writes a normalised network with a layout per value as a program, without levels. Inputs and outputs are in the
/// order of the model. Each value becomes one instruction:
/// - an affine value: one Linear, carried out as planned, or one MultiplyPlain if it only multiplies elements in place;
/// - a function: one Polynomial;
/// - a table: one Lookup;
/// - a product: one Multiply;
/// - a summed product: one Multiply, and one RotateSum for each of its rotations, and a Rotate for its turn;
/// - a refresh: one Bootstrap.
///
/// If the layout of a function asks for zeros out of range, the series p(x) - p(0) is evaluated, and so is a
/// table. An AddPlain then adds p(0) to the elements only. `places` receives the program's value of every value of the
/// network.
slots::Program emit(const Network& network, const std::vector<layout::Layout>& layouts, const MapPlan& plan,
                    const ProgramNames& names, const BootstrapSchedules& bootstraps,
                    std::vector<program::ValueId>& places);

}  // namespace tacit::graph::passes
