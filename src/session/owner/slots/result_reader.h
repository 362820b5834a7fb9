#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/client_parts.h"
#include "runtime/slots/client.h"
#include "session/owner/disclosure.h"

namespace tacit::session {

/// Turns encrypted results into a model's outputs, as far as a disclosure shows them. Thread safe.
class ResultReader {
 public:
  /// Throws InputError for a disclosure of both kinds, for sharing that params::check refuses, and for labels of a
  /// model without labels.
  ResultReader(const graph::ClientParts& parts, const Disclosure& disclosure);
  /// The client's steps up to the shown results.
  const graph::ClientParts& parts() const { return run_.parts(); }
  /// Returns the outputs of the first `samples` samples of a run, at most the client's batch. `kept` are the values
  /// that the client kept of the inputs, by sample, if the parts keep any. Throws as Client::decrypt, graph::answers_of
  /// and graph::stable_labels do. If `refusals` is given, a refusal of a single sample is recorded there, by sample,
  /// and the sample has no outputs.
  std::vector<std::vector<graph::Tensor>> read(const runtime::Client& client,
                                               std::span<const runtime::CiphertextArray> outputs, std::size_t samples,
                                               std::span<const std::vector<graph::Tensor>> kept = {},
                                               std::vector<std::optional<std::string>>* refusals = nullptr) const;

 private:
  /// Throws InputError if noise of these deviations may turn an integer into another one.
  void require_whole(std::span<const double> noise) const;

  Disclosure disclosure_;
  graph::ClientRun run_;
};

}  // namespace tacit::session
