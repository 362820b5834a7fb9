#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graph/passes/network.h"
#include "graph/quant/feature_grids.h"
#include "graph/quant/rounding.h"
#include "program/integers/client_interface.h"
#include "program/integers/program.h"

namespace tacit::graph::quant {

/// The precision of a quantised network.
struct Precision {
  Rounding rounding = Rounding::approximate;
  int bits = 6;                ///< bits of the argument of a table, and of the features that trees read
  int weight_bits = 6;         ///< bits of weights on results of tables, sign included: noise grows with them
  int result_weight_bits = 6;  ///< the same in sums that no table reads: noise affects their results more than rounding
  int input_bits = 16;  ///< bits of inputs that no tree reads: their ciphertexts are fresh, so that bits cost nothing
  int first_weight_bits = 12;  ///< bits of weights on fresh ciphertexts
  int result_bits = 16;        ///< bits of a table's results: a step of them is far below their noise
  /// Bits with exact rounding of inputs, and of weights on them, if a table reads the sum or the sum has results of
  /// tables. Every bit of a sum beyond the bits of a table costs a bootstrap, and noise must stay below the lowest bit.
  int coarse_input_bits = 6, coarse_weight_bits = 6;
  std::vector<char> whole_inputs{};  ///< by position: true for an input of integers; false if absent
  double margin = 0.5;               ///< share of its width by which a range of the samples is widened on either side
};

/// The meaning of the integers of a value: element e is scale[e] v + offset[e].
struct IntegerMeaning {
  layout::RepeatedReals scale{1}, offset{0};
  TensorId tensor = kNoTensor;   ///< tensor of the graph that the network was made of; none: an intermediate value
  std::vector<double> points{};  ///< for an input with borders instead: by element, the number for each of its integers
  /// The integers, by element, at which the rounding of weights does not change any sum of this value. None: zeros.
  std::vector<double> unrounded_at{};
  std::size_t addends = 1;  ///< integers side by side whose sum an element is
};

/// A quantised network.
struct Quantised {
  integers::Program program;
  integers::ClientInterface client;
  std::vector<IntegerMeaning> meanings{};  ///< by value of the program
  std::vector<std::string>
      warnings{};  ///< causes of imprecise results, with remedies; for the owner of the model: they show weights
  std::vector<char> whole_outputs{};  ///< by output: true if a step is one of its whole numbers and no step may be lost
};

/// The least number of bits of an output of a network.
inline constexpr int kLeastOutputBits = 8;
/// Returns the bits that an output of a network with tables of `bits` bits keeps. Its steps are finer than the boxes of
/// tables. After parameters are chosen, the output gets all bits that carry no noise. Results of trees keep all bits.
int output_bits(int bits);
/// Rounds the output at this position to bits from `step` on. `step` is at least the step of the output's operand.
void round_output(Quantised& quantised, std::size_t index, int step);

/// Turns a calibrated network into a program on integers. Values that mix elements become integer sums. All operators
/// between two sums become one table look-up per element. The weights of a row are scaled so that its calibrated range
/// fills the boxes of a table. `inputs` and `outputs` are names. `input_range` is public knowledge of the inputs.
/// `grids` are those of inputs that only trees read. Throws InputError naming the node if a range is not known or a
/// value has no integer form.
Quantised quantise(const passes::Network& network, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const Precision& precision,
                   const std::optional<std::pair<double, double>>& input_range, const FeatureGrids& grids = {});

}  // namespace tacit::graph::quant
