#include "session/owner/integers/encrypt_sample.h"

#include "base/wipe.h"

namespace tacit::session {

std::vector<scheme::tfhe::SeededLweCiphertexts> encrypt_sample(const runtime::IntegerClient& client,
                                                               const graph::ClientParts& parts,
                                                               const std::vector<graph::Tensor>& sample) {
  std::vector<std::vector<double>> numbers = graph::numbers_of(graph::run_before(parts, sample));
  const base::WipedAtExit wiped(numbers);
  return client.encrypt(numbers);
}

}  // namespace tacit::session
