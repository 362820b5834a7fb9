#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "graph/client_parts.h"

namespace tacit::graph {

/// Takes numbers that lie outside an interval by no more than their error to its nearer end, and refuses numbers that
/// lie farther outside. Reads numbers and, optionally, the error of each; without errors every number is taken in.
/// Attributes: `lowest`, `highest`, `source` (the operator that reads the result, for people).
inline constexpr std::string_view kWithinOp = "tacit.Within";
/// Refuses numbers that their error does not tell from 0: what divides by them would show noise. Reads numbers and,
/// optionally, the error of each; without errors every number passes. Attributes: `source`, and `axis` where a line
/// along this axis is refused only if no number of it is told from 0.
inline constexpr std::string_view kOffZeroOp = "tacit.OffZero";

/// Refuses numbers that move by more than `most` where the decrypted numbers move by their errors: noise decides them,
/// and no sample shows such an error. Reads numbers and, optionally, how far each moves; without that every number
/// passes. Attributes: `source` (the output), `most`.
inline constexpr std::string_view kSettledOp = "tacit.Settled";

/// True for each of the operators.
bool is_guard(std::string_view op);

/// Says how far the decrypted tensors may be from the exact ones, by input of `client.after`: guards of the client's
/// functions allow for it. No effect on a part without such guards.
void allow_errors(ClientParts& client, std::span<const double> errors);

/// Says how far the answers may move, by what they do on samples (their decrypted tensors, by sample), after
/// `allow_errors`. A number may move three times as far as 98 of 100 samples make it move, and at least by a fiftieth
/// of its output's range over the samples; a whole number by less than one. An output whose samples move over all of
/// its range may move at will: its stated error says so. Returns by guard how far they may; infinity: at will.
std::vector<double> settle_answers(ClientParts& client, const std::vector<std::vector<std::vector<double>>>& samples);
/// Says the same by what settle_answers returned for the same part. No effect where it was another part.
void settle_answers_by(ClientParts& client, std::span<const double> most);

/// `after` with errors for its guards, for one set of decrypted tensors: each guard reads how far its numbers move
/// where the inputs move by the errors that `allow_errors` noted. The same graph where none are noted.
Graph with_errors(const Graph& after, std::span<const Tensor> inputs);

/// True for a part with guards that allow for errors.
bool wants_errors(const Graph& after);
/// True where `allow_errors` noted errors for a guard of the graph.
bool has_errors(const Graph& after);

/// By tensor, the difference that 98 of 100 samples do not exceed in any element: a sample at a pole says nothing of
/// others. Two lists of samples' tensors: [sample][tensor][element].
std::vector<double> usual_differences(const std::vector<std::vector<std::vector<double>>>& exact,
                                      const std::vector<std::vector<std::vector<double>>>& inexact);

}  // namespace tacit::graph
