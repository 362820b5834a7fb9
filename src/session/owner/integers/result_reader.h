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
  /// Throws InputError for a disclosure of both kinds, for sharing that params::check refuses, and for labels of a
  /// model without labels. Another function checks that the model's numbers can be shared (require_shared).
  IntegerResultReader(const graph::ClientParts& parts, const Disclosure& disclosure);
  /// The client's steps up to the shown results.
  const graph::ClientParts& parts() const { return run_.parts(); }
  /// Returns the outputs of one input. Shared numbers are rounded to their bits, and need no flood. `kept` are the
  /// values that the client kept of it, if the parts keep any. Throws as IntegerClient::decrypt, graph::answers_of and
  /// graph::stable_labels do.
  std::vector<graph::Tensor> read(const runtime::IntegerClient& client,
                                  std::span<const scheme::tfhe::LweCiphertexts> outputs,
                                  std::span<const graph::Tensor> kept = {}) const;

 private:
  Disclosure disclosure_;
  graph::ClientRun run_;
};

}  // namespace tacit::session
