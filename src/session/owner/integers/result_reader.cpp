#include "session/owner/integers/result_reader.h"

#include "base/error.h"
#include "base/wipe.h"
#include "graph/client_answers.h"
#include "graph/labels.h"

namespace tacit::session {

IntegerResultReader::IntegerResultReader(const graph::ClientParts& parts, const Disclosure& disclosure)
    : disclosure_(disclosure), run_(disclosure.labels ? graph::label_parts(parts) : parts) {
  if (disclosure.labels && disclosure.sharing)
    throw base::InputError("results are shared as numbers or as labels: choose one");
  if (disclosure.sharing) params::check(*disclosure.sharing);
}

std::vector<graph::Tensor> IntegerResultReader::read(const runtime::IntegerClient& client,
                                                     std::span<const scheme::tfhe::LweCiphertexts> outputs,
                                                     std::span<const graph::Tensor> kept) const {
  std::vector<std::vector<double>> numbers = client.decrypt(outputs);
  const base::WipedAtExit wiped(numbers);
  if (const auto& sharing = disclosure_.sharing)
    for (std::vector<double>& output : numbers)
      for (double& number : output) number = params::rounded_to(number, sharing->bits);
  const std::vector<double> noise(numbers.size(), 0.0);
  return disclosure_.labels ? graph::stable_labels(run_, numbers, noise) : graph::answers_of(run_, numbers, kept);
}

}  // namespace tacit::session
