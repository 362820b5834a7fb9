#pragma once

#include <functional>
#include <optional>

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
/// parameters. Throws InputError naming the layer that no parameters, or not these, satisfy. Throws InputError for a
/// program larger than the limit of programs that are read.
Chosen cheapest(const Precision& precision, const std::function<Quantised(const Precision&)>& quantised,
                double log2_failure, const std::optional<params::TfheLiteral>& fixed);

/// The smallest and the largest number of bits of a table.
inline constexpr int kFewestBits = 2, kMostBits = 8;

}  // namespace tacit::graph::quant
