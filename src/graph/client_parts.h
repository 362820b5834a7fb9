#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/reference/run.h"

namespace tacit::graph {

/// An operator that the client runs in the clear.
struct ClientNode {
  std::string name, op;
  bool before = false;       ///< on the inputs; else on decrypted values
  std::int64_t learned = 0;  ///< numbers of the model that the client gets to see with it
};

/// What a client runs by itself, in the clear and exactly, by the reference run.
struct ClientParts {
  Graph before;                   ///< from the model's inputs to the tensors that are encrypted
  Graph after;                    ///< from the tensors that are decrypted to the model's outputs
  std::vector<ClientNode> nodes;  ///< of both, in order
  /// The last outputs of `before` are the last inputs of `after`: so many tensors that the client keeps, since the
  /// model hands them out as they are. They are never encrypted.
  std::size_t kept = 0;
};

/// The tensors to encrypt, from the model's inputs, and the model's outputs, from the decrypted tensors (row-major), of
/// which integers are rounded to whole numbers and reals to their element type.
/// Throw InputError as reference::run does, for fractions where the model takes integers, say; `run_after` also for an
/// integer that came back further than kMostNoiseOfIntegers from a whole number, or outside its type.
/// `observer` is told what the nodes of `after` make.
inline constexpr double kMostNoiseOfIntegers = 0.25;
std::vector<Tensor> run_before(const ClientParts& parts, std::span<const Tensor> inputs);
std::vector<Tensor> run_after(const ClientParts& parts, std::span<const std::vector<double>> decrypted,
                              std::span<const Tensor> kept = {}, const reference::NodeObserver& observer = {});

/// The tensors that the client keeps of the model's inputs; none for most models. Throws as run_before.
std::vector<Tensor> kept_tensors(const ClientParts& parts, std::span<const Tensor> inputs);
/// The same of several samples.
std::vector<std::vector<Tensor>> kept_tensors(const ClientParts& parts, std::span<const std::vector<Tensor>> samples);
/// The parts without kept tensors, and without the outputs that they are.
ClientParts without_kept(const ClientParts& parts);
/// The names of the outputs that are kept tensors.
std::vector<std::string> kept_outputs(const ClientParts& parts);

/// Calibration samples as `before` leaves them. Throws InputError as run_before, for calibration data.
std::vector<std::vector<Tensor>> samples_behind(const ClientParts& client, std::vector<std::vector<Tensor>> samples);
/// Whether `before` only moves elements, so that a range of the inputs is one of what is encrypted.
bool only_moves(const ClientParts& client);

/// The names of an output's columns where the model states them: the labels of a ZipMap, or of a classifier with as
/// many labels as the output has elements. Empty where it does not.
std::vector<std::string> column_names(const Graph& after, std::size_t output);

}  // namespace tacit::graph
