#include "session/owner/slots/encrypt_samples.h"

#include <utility>

#include "base/wipe.h"

namespace tacit::session {

std::vector<runtime::CiphertextArray> encrypt_samples(const runtime::Client& client, const graph::ClientParts& parts,
                                                      std::span<const std::vector<graph::Tensor>> samples) {
  std::vector<std::vector<std::vector<double>>> encryptable;
  const base::WipedAtExit wiped(encryptable);
  for (const std::vector<graph::Tensor>& sample : samples) {
    std::vector<std::vector<double>>& tensors = encryptable.emplace_back();
    for (graph::Tensor& tensor : graph::run_before(parts, sample)) tensors.push_back(std::move(tensor.data));
  }
  return client.encrypt(encryptable);
}

}  // namespace tacit::session
