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
  /// model that has none.
  ResultReader(const graph::ClientParts& parts, const Disclosure& disclosure);
  /// The client's part that ends at what is shown.
  const graph::ClientParts& parts() const { return parts_; }
  /// Of a run, the outputs of its first `samples` samples, at most the client's batch; `kept`: by sample, what the
  /// client kept of its inputs, where the parts keep some. Throws what Client::decrypt, graph::answers_of and
  /// graph::stable_labels throw. What one sample alone is refused for is noted in `refusals` where it is given, by
  /// sample, and the sample has no outputs.
  std::vector<std::vector<graph::Tensor>> read(const runtime::Client& client,
                                               std::span<const runtime::CiphertextArray> outputs, std::size_t samples,
                                               std::span<const std::vector<graph::Tensor>> kept = {},
                                               std::vector<std::optional<std::string>>* refusals = nullptr) const;

 private:
  /// Throws InputError where noise of these deviations may turn an integer into another one.
  void require_whole(std::span<const double> noise) const;

  Disclosure disclosure_;
  graph::ClientParts parts_;
};

}  // namespace tacit::session
