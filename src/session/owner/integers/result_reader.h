#pragma once

#include <span>
#include <vector>

#include "graph/client_parts.h"
#include "runtime/integers/integer_client.h"
#include "session/owner/disclosure.h"

namespace tacit::session {

/// Turns encrypted results on integers into a model's outputs, as far as a disclosure shows them. Thread safe.
class IntegerResultReader {
 public:
  /// Throws InputError for a disclosure of numbers to others, and for labels of a model that has none.
  IntegerResultReader(const graph::ClientParts& parts, const Disclosure& disclosure);
  /// The client's part that ends at what is shown.
  const graph::ClientParts& parts() const { return parts_; }
  /// The outputs of one input; `kept`: what the client kept of it, where the parts keep something. Throws what
  /// IntegerClient::decrypt, graph::answers_of and graph::stable_labels throw.
  std::vector<graph::Tensor> read(const runtime::IntegerClient& client,
                                  std::span<const scheme::tfhe::LweCiphertexts> outputs,
                                  std::span<const graph::Tensor> kept = {}) const;

 private:
  bool labels_;
  graph::ClientParts parts_;
};

}  // namespace tacit::session
