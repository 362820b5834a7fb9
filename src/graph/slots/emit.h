#pragma once

#include <functional>
#include <string>
#include <vector>

#include "graph/passes/network.h"
#include "program/slots/cost.h"
#include "program/slots/program.h"

namespace tacit::graph::passes {

/// How the linear map that makes a value is carried out.
using MapSchedule = std::function<params::LinearSchedule(const layout::LinearMap&, ValueId)>;

/// Names for people in a program.
struct ProgramNames {
  std::string model;
  std::vector<std::string> inputs, outputs;  ///< in the order of the model
};

/// How bootstraps are carried out, by form; not read where the network has none.
struct BootstrapSchedules {
  params::BootstrapSchedule folded, linear;
};

/// Writes a normalised network with a layout per value as a program, without levels: one Linear an affine value, with
/// the schedule given, one Polynomial a function, one Multiply a product, one Bootstrap a refresh, and the
/// inputs and outputs in the order of the model. `places` takes the program's value of every value of the network.
slots::Program emit(const Network& network, const std::vector<layout::Layout>& layouts, const MapSchedule& schedule,
                    const ProgramNames& names, const BootstrapSchedules& bootstraps = {},
                    std::vector<program::ValueId>* places = nullptr);

}  // namespace tacit::graph::passes
