#pragma once

#include <optional>
#include <span>
#include <vector>

#include "graph/client_parts.h"
#include "params/sharing.h"
#include "runtime/slots/client.h"

namespace tacit::session {

/// Who is going to see decrypted results. By default the owner of the key does, who may look at everything.
struct Disclosure {
  std::optional<params::Sharing> sharing{};  ///< others see numbers, flooded and rounded
  bool labels = false;                       ///< others see labels, and no number
};

/// Turns encrypted results into a model's outputs, as far as a disclosure shows them. Thread safe.
class ResultReader {
 public:
  /// Throws InputError for a disclosure of both kinds, for sharing that params::check refuses, and for labels of a
  /// model that has none.
  ResultReader(const graph::ClientParts& parts, const Disclosure& disclosure);
  /// The client's part that ends at what is shown.
  const graph::ClientParts& parts() const { return parts_; }
  /// Of a run, the outputs of its first `samples` samples, at most the client's batch. Throws what Client::decrypt,
  /// graph::run_after and graph::stable_labels throw.
  std::vector<std::vector<graph::Tensor>> read(const runtime::Client& client,
                                               std::span<const runtime::CiphertextArray> outputs,
                                               std::size_t samples) const;

 private:
  Disclosure disclosure_;
  graph::ClientParts parts_;
};

}  // namespace tacit::session
