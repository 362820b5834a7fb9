#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "graph/reference/run.h"

namespace tacit::graph {

/// An operator that the client runs in the clear.
struct ClientNode {
  std::string name, op;
  bool before = false;       ///< true: runs on the inputs; false: on decrypted values
  std::int64_t learned = 0;  ///< number of the model's numbers that the client sees with this operator
};

/// The graphs that a client runs, in the clear and exactly, by the reference run.
struct ClientParts {
  Graph before;                   ///< from the model's inputs to the tensors that are encrypted
  Graph after;                    ///< from the tensors that are decrypted to the model's outputs
  std::vector<ClientNode> nodes;  ///< operators of both graphs, in order
  /// The number of tensors that the client keeps, because the model returns them unchanged. They are the last outputs
  /// of `before` and the last inputs of `after`. They are never encrypted.
  std::size_t kept = 0;
};

/// The largest distance of a decrypted integer from a whole number.
inline constexpr double kMostNoiseOfIntegers = 0.25;
/// Returns the tensors to encrypt, for the model's inputs. Throws InputError as reference::run does, for example for
/// fractions where the model takes integers.
std::vector<Tensor> run_before(const ClientParts& parts, std::span<const Tensor> inputs);
/// Returns the model's outputs, for the decrypted tensors (row-major). Decrypted integers are rounded to whole numbers,
/// and decrypted reals to their element type. `observer` receives the tensors that the nodes of `after` make. Throws
/// InputError as reference::run does. Also throws it for an integer that is farther than kMostNoiseOfIntegers from a
/// whole number, or outside its type.
std::vector<Tensor> run_after(const ClientParts& parts, std::span<const std::vector<double>> decrypted,
                              std::span<const Tensor> kept = {}, const reference::NodeObserver& observer = {});

/// Parts of a client that are run on many inputs. The probe of their guards is made once. Thread safe; copies share
/// the probe.
class ClientRun {
 public:
  explicit ClientRun(ClientParts parts);
  const ClientParts& parts() const { return parts_; }
  /// Runs `after` as run_after does.
  std::vector<Tensor> after(std::span<const std::vector<double>> decrypted, std::span<const Tensor> kept = {},
                            const reference::NodeObserver& observer = {}) const;

 private:
  struct Guarded;
  ClientParts parts_;
  std::shared_ptr<const Guarded> guarded_;  ///< null if no errors were noted
};

/// Returns the tensors that the client keeps, for the model's inputs. Empty for most models. Throws as run_before.
std::vector<Tensor> kept_tensors(const ClientParts& parts, std::span<const Tensor> inputs);
/// Returns the kept tensors of several samples.
std::vector<std::vector<Tensor>> kept_tensors(const ClientParts& parts, std::span<const std::vector<Tensor>> samples);
/// Returns the parts without kept tensors, and without the outputs that are kept tensors.
ClientParts without_kept(const ClientParts& parts);
/// Returns the names of the outputs that are kept tensors.
std::vector<std::string> kept_outputs(const ClientParts& parts);

/// Returns calibration samples after `before`. Throws InputError as run_before, for calibration data.
std::vector<std::vector<Tensor>> samples_behind(const ClientParts& client, std::vector<std::vector<Tensor>> samples);
/// True if `before` only moves elements. A range of the inputs is then a range of the encrypted tensors.
bool only_moves(const ClientParts& client);

/// Returns the names of an output's columns if the model states them: the labels of a ZipMap, or of a classifier with
/// as many labels as the output has elements. Empty otherwise.
std::vector<std::string> column_names(const Graph& after, std::size_t output);

}  // namespace tacit::graph
