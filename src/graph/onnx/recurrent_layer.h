#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "graph/onnx/node_change.h"

namespace tacit::graph::onnx {

/// An activation of a recurrent layer, by the name of its function ("ScaledTanh").
struct Activation {
  std::string function;
  double alpha = 0, beta = 0;

  bool operator==(const Activation&) const = default;
};

/// One direction of a recurrent layer. The weights of one gate follow those of another, in ONNX's order.
struct Direction {
  bool reversed = false;
  std::vector<Activation> activations{};
  Tensor input_weights{};                              ///< [gates * hidden, inputs]
  Tensor recurrent_weights{};                          ///< [gates * hidden, hidden]
  std::vector<double> input_bias{}, recurrent_bias{};  ///< by gate and unit
  std::vector<double> peepholes{};                     ///< of i, o and f by unit; empty if there are none
};

/// An LSTM, GRU or RNN node whose attributes and constants have been read and checked.
struct RecurrentLayer {
  /// Reads the node, and takes its attributes off. Refuses the node if its weights or lengths are not constants.
  explicit RecurrentLayer(NodeChange& change);

  bool is(const char* op) const { return operator_ == op; }
  /// True if all samples have the full length.
  bool is_full() const { return lengths.empty(); }

  std::int64_t steps = 0, batch = 0, inputs = 0, hidden = 0, gates = 0;
  std::vector<Direction> directions{};
  std::vector<std::int64_t> lengths{};  ///< of every sample; empty if all are full
  double clip = 0;                      ///< 0: none
  bool batch_first = false, couples_input_and_forget = false, resets_after_product = false;

 private:
  void read_sizes(const NodeChange& change);
  void read_lengths(const NodeChange& change);
  void read_weights(NodeChange& change);

  std::string operator_;
};

}  // namespace tacit::graph::onnx
