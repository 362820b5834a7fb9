#pragma once

#include <span>
#include <string>
#include <vector>

#include "program/program.h"

namespace tacit::program {

/// What a client must know to feed one input of a program. Holds no weights.
struct ClientInput {
  std::string name;
  layout::Layout layout;  ///< how the tensor is packed; layout.shape() is the tensor's shape
  int level = 0;          ///< to encrypt at
  double scale = 0;
  double lowest = 0, highest = 0;  ///< accepted values, margin included; equal = any finite value
  std::vector<double> units{};     ///< what is encrypted is unit * element, one per logical element; empty = all 1
};

/// A tensor in the units that are encrypted: unit * element. `units` is empty or as long as the tensor (InternalError).
std::vector<double> in_units(std::span<const double> units, std::vector<double> tensor);

/// One thing a client does to a decrypted output, in order: operators that only post-process.
struct PostStep {
  std::string op;  ///< "scale" (multiply by values[0]), "softmax", "log_softmax", "sigmoid", "argmax", "labels"
  int axis = -1;
  std::vector<double> values;  ///< the factor of "scale"; the labels of "labels"
};

/// What a client must know to read one output.
struct ClientOutput {
  std::string name;
  layout::Layout layout;           ///< of the program's output
  std::size_t program_output = 0;  ///< which output of the program is read
  std::vector<PostStep> steps;
  layout::Shape final_shape;       ///< after the steps
  double lowest = 0, highest = 0;  ///< accepted decrypted values before the steps, margin included; equal = any
  int level = 0;                   ///< that the program ends at; a result at another is not this program's
  double scale = 0;                ///< that the result is decoded with
  double noise = 0;                ///< modelled deviation of the decrypted values before the steps; 0 = not known
};

/// The client's half of a compiled model.
struct ClientInterface {
  std::vector<ClientInput> inputs;
  std::vector<ClientOutput> outputs;
};

/// The shape of an output's tensor after its steps; the axis of an "argmax" stays, with extent 1. Throws InputError
/// naming the output if a step is unknown or does not fit.
layout::Shape shape_after_steps(const ClientOutput& output);

/// Runs the steps of an output on its decrypted tensor (row-major in output.layout.shape()). Throws InputError
/// as shape_after_steps does, or if the tensor has another size.
std::vector<double> post_process(const ClientOutput& output, std::vector<double> decrypted);

}  // namespace tacit::program
