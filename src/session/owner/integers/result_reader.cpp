#include "session/owner/integers/result_reader.h"

#include "base/error.h"
#include "base/wipe.h"
#include "graph/client_answers.h"
#include "graph/labels.h"

namespace tacit::session {

IntegerResultReader::IntegerResultReader(const graph::ClientParts& parts, const Disclosure& disclosure)
    : labels_(disclosure.labels), run_(labels_ ? graph::label_parts(parts) : parts) {
  if (disclosure.sharing)
    base::refuse(
        "numbers of results on integers are not flooded, and those of a network that rounds carry traces of noise: {}",
        graph::has_labels(parts) ? "show others labels alone (--labels)"
                                 : "compile with --scheme ckks and --share to show others numbers");
}

std::vector<graph::Tensor> IntegerResultReader::read(const runtime::IntegerClient& client,
                                                     std::span<const scheme::tfhe::LweCiphertexts> outputs,
                                                     std::span<const graph::Tensor> kept) const {
  std::vector<std::vector<double>> numbers = client.decrypt(outputs);
  const base::WipedAtExit wiped(numbers);
  const std::vector<double> noise(numbers.size(), 0.0);
  return labels_ ? graph::stable_labels(run_, numbers, noise) : graph::answers_of(run_, numbers, kept);
}

}  // namespace tacit::session
