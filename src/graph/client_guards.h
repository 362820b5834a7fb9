#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// Moves numbers that are outside an interval by at most their error to its nearer end, and refuses numbers that are
/// farther outside. Reads numbers and, optionally, the error of each. Without errors every number is moved inside.
/// Attributes: `lowest`, `highest`, `source` (the operator that reads the result, for people), and `nan`. With 1,
/// numbers outside become NaN, which the model looks for by IsNaN, and numbers at an end up to their error are refused.
inline constexpr std::string_view kWithinOp = "tacit.Within";
/// Refuses numbers that may be 0 within their error, because a division by them would show noise. Reads numbers and,
/// optionally, the error of each. Without errors every number passes. Attributes: `source`, and optionally `axis`. With
/// `axis`, a line along this axis is refused only if all its numbers may be 0.
inline constexpr std::string_view kOffZeroOp = "tacit.OffZero";

/// Refuses numbers that move by more than `most` if the decrypted numbers move by their errors. Noise decides such
/// numbers, and no sample shows such an error. Reads numbers and, optionally, how far each moves. Without these every
/// number passes. Attributes: `source` (the output), `most`.
inline constexpr std::string_view kSettledOp = "tacit.Settled";

/// Refuses numbers that are none of a few. Programs that are right for these numbers alone have this guard on the
/// client's inputs, before encryption. Attributes: `values`, `source` (the node that would be wrong).
inline constexpr std::string_view kOneOfOp = "tacit.OneOf";

/// Refuses lines along the last axis in which none of some numbers is one of `values`. Masks of attention that hide all
/// keys of a query have such lines. Attributes: `values` (numbers that show a key), `at` (positions in a line),
/// `source` (the node that would be wrong).
inline constexpr std::string_view kShowsOp = "tacit.Shows";

/// True for each of the five operators.
bool is_guard(std::string_view op);

/// Sets how far the decrypted tensors may be from the exact ones, by input of `client.after`. Guards of the client's
/// functions allow for these errors. No effect on a part without such guards.
void allow_errors(ClientParts& client, std::span<const double> errors);

/// Sets how far the answers may move, from their moves on samples (decrypted tensors, by sample). Call it after
/// `allow_errors`. Returns the limits by guard; infinity means no limit. The limits are:
/// - A number may move three times as far as in 98 of 100 samples, and at least by a fiftieth of its output's range
///   over the samples.
/// - A whole number may move by less than one.
/// - If samples move over all of an output's range, there is no limit. The stated error of the output shows this.
std::vector<double> settle_answers(ClientParts& client, const std::vector<std::vector<std::vector<double>>>& samples);
/// Sets limits that settle_answers returned for the same part. No effect on a part with another number of guards.
void settle_answers_by(ClientParts& client, std::span<const double> most);

/// Computes how far the numbers that guards read move if the decrypted tensors move by the errors from `allow_errors`.
/// Made once for a graph, and used for every input. Thread safe.
class GuardMoves {
 public:
  explicit GuardMoves(const Graph& after);
  /// Returns the guards with errors as positions in `after.nodes`. Empty if no errors were noted.
  const std::vector<std::size_t>& guards() const { return guards_; }
  /// Returns the moves by guard and element; infinite if a moved number is not one. `exact` receives the numbers that
  /// the guards read.
  std::vector<Tensor> of(std::span<const Tensor> inputs, std::vector<Tensor>* exact = nullptr) const;
  /// Returns `after`, the graph of this object, with one more input for each guard: the moves.
  Graph with_inputs(Graph after) const;

 private:
  std::vector<std::size_t> guards_;
  std::vector<double> errors_;
  Graph probe_;  ///< from the inputs to the numbers that the guards read
};

/// True for a part with guards that read errors.
bool wants_errors(const Graph& after);
/// True if `allow_errors` noted errors for a guard of the graph.
bool has_errors(const Graph& after);

/// Returns by tensor the difference that 98 of 100 samples do not exceed in any element. So a single sample at a pole
/// does not count. Both lists are the samples' tensors: [sample][tensor][element].
std::vector<double> usual_differences(const std::vector<std::vector<std::vector<double>>>& exact,
                                      const std::vector<std::vector<std::vector<double>>>& inexact);

}  // namespace tacit::graph
