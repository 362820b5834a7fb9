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

/// The cheapest parameters for the cheapest program, by the modelled time of its bootstraps. With exact rounding tables
/// of more bits than `precision` asks for are tried, up to kMostBits: they leave fewer bits to be rounded off. Tables
/// that read one argument share a bootstrap where parameters made for that cost less than the bootstraps they save.
/// Results of programs that round approximately keep as many bits as the noise leaves. `fixed` are the user's
/// parameters. Throws InputError naming the layer that no parameters, or not these, satisfy, and for programs
/// larger than any that is read.
Chosen cheapest(const Precision& precision, const std::function<Quantised(const Precision&)>& quantised,
                double log2_failure, const std::optional<params::TfheLiteral>& fixed);

/// Smallest and largest number of bits of a table.
inline constexpr int kFewestBits = 2, kMostBits = 8;

}  // namespace tacit::graph::quant
