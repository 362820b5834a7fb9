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

/// How finely a network is quantised.
struct Precision {
  Rounding rounding = Rounding::approximate;
  int bits = 6;                ///< of the argument of a table, and of the features that trees read
  int weight_bits = 6;         ///< of weights on results of tables, sign included: noise grows with them
  int result_weight_bits = 6;  ///< the same in sums that no table reads: noise takes their results more than rounding
  int input_bits = 16;         ///< of inputs that no tree reads: their ciphertexts are fresh, so that bits cost nothing
  int first_weight_bits = 12;  ///< of weights on fresh ciphertexts
  int result_bits = 16;        ///< of a table's results: a step of them is far below their noise
  /// With exact rounding, of inputs and of weights on them where a table reads the sum, or results of tables are a part
  /// of it: every bit of a sum beyond those of a table costs a bootstrap, and noise must stay below the lowest.
  int coarse_input_bits = 6, coarse_weight_bits = 6;
  std::vector<char> whole_inputs{};  ///< by position: holds integers; none where absent
  double margin = 0.5;  ///< by which ranges that samples showed are widened, as a share of their width, on either side
};

/// What the integers of a value stand for: element e is scale[e] v + offset[e].
struct Meaning {
  layout::RepeatedReals scale{1}, offset{0};
  TensorId tensor = kNoTensor;   ///< of the graph that the network was made of; none: an intermediate
  std::vector<double> points{};  ///< of an input with borders instead: by element, what each of its integers stands for
  /// The integers, by element, at which the rounding of weights changes no sum of this value. None: zeros.
  std::vector<double> unrounded_at{};
};

/// What a network becomes.
struct Quantised {
  integers::Program program;
  integers::ClientInterface client;
  std::vector<Meaning> meanings{};      ///< by value of the program
  std::vector<std::string> warnings{};  ///< what makes results worse than they could be, and what to do; for the owner
                                        ///< of the model, since they speak of its weights
  std::vector<char> whole_outputs{};    ///< by output: a step is one of its whole numbers, and none may be lost
};

/// The fewest bits of an output of a network.
inline constexpr int kLeastOutputBits = 8;
/// Bits that an output of a network with tables of `bits` keeps, until parameters tell how many more carry no noise:
/// its steps are finer than the boxes of tables. Results of trees keep all.
int output_bits(int bits);
/// Lets an output, by its position, keep the bits from `step` on, which is at least the step of what it reads.
void round_output(Quantised& quantised, std::size_t index, int step);

/// Turns a calibrated network into a program on integers. Values that mix elements become integer sums, everything
/// between two of them one table look-up an element. Weights of a row are scaled so that its calibrated range fills the
/// boxes of a table. Names are those of inputs and outputs. `input_range` is public knowledge of the inputs. `grids`
/// are those of inputs that trees alone read. Throws InputError naming the node where a range is not known or a value
/// has no integer form.
Quantised quantise(const passes::Network& network, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, const Precision& precision,
                   const std::optional<std::pair<double, double>>& input_range, const FeatureGrids& grids = {});

}  // namespace tacit::graph::quant
