#pragma once

#include <cstddef>
#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/feature_grids.h"
#include "graph/quant/measurements.h"
#include "graph/quant/quantise.h"
#include "params/tfhe_parameters.h"

namespace tacit::graph::quant {

/// Notes the ranges and means of the elements of a calibrated network.
std::vector<MeasuredElements> note_elements(const passes::Network& network);
/// Restores what `note_elements` noted. Throws InputError if the elements are those of another network, or if an
/// element is missing that only features of trees (`grids`) may miss.
void restore_elements(passes::Network& network, const std::vector<MeasuredElements>& noted, const FeatureGrids& grids);

/// Returns the grids of all inputs that have one, for tables of this number of bits.
std::vector<MeasuredGrid> note_grids(const passes::Network& network, const FeatureGrids& grids, int bits);
/// Gives the noted grids to the inputs. Throws InputError if a grid does not fit its input.
void restore_grids(const passes::Network& network, const std::vector<MeasuredGrid>& noted, FeatureGrids& grids);

/// Returns the digest of a program with its parameters, and with all that the client needs to encrypt and to read.
base::Digest digest_of(const Quantised& quantised, const params::TfheLiteral& parameters);
/// Throws InputError if samples were measured for another program.
void require_measured(const MeasuredProgram& measured, const Quantised& quantised,
                      const params::TfheLiteral& parameters);

/// Returns the errors of the outputs. Throws InputError if there are not as many as outputs.
const std::vector<double>& measured_errors(const MeasuredProgram& measured, std::size_t outputs);

}  // namespace tacit::graph::quant
