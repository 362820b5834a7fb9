#pragma once

#include <functional>
#include <optional>

#include "base/feasible.h"
#include "graph/pass_control.h"
#include "graph/quant/quantise.h"
#include "params/tfhe_parameters.h"

namespace tacit::graph::quant {

/// A program, and parameters that hold for it.
struct Chosen {
  Quantised quantised;
  params::TfheLiteral parameters;
};

/// Returns the cheapest program with the cheapest parameters, by the modelled time of its bootstraps. These choices are
/// tried:
/// - With exact rounding, tables of more bits than `precision` states, up to kMostBits. They leave fewer bits to round
///   off.
/// - Tables that read one argument share a bootstrap, if parameters for that cost less than the bootstraps that they
///   save.
///
/// Results of programs that round approximately keep as many bits as the noise leaves. `fixed` are the user's
/// parameters. There is no choice in two cases:
/// - No parameters, or not these, satisfy a layer. The problem of the asked precision names it.
/// - The program is larger than the limit of programs that are read.
///
/// The explanation `search` receives a line for every candidate, with its price or with what it lacks.
base::Feasible<Chosen> cheapest(const Precision& precision, const std::function<Quantised(const Precision&)>& quantised,
                                double log2_failure, const std::optional<params::TfheLiteral>& fixed,
                                const PassControl& control = PassControl::all());

/// The smallest and the largest number of bits of a table.
inline constexpr int kFewestBits = 2, kMostBits = 8;

}  // namespace tacit::graph::quant
