#include "session/owner/integers/encrypt_sample.h"

#include <fmt/format.h>

#include "base/wipe.h"
#include "session/sentence.h"

namespace tacit::session {

void BeyondGrids::add(const integers::ClientInterface& interface, const std::vector<std::vector<double>>& tensors) {
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const integers::ClientInput& input = interface.inputs.at(i);
    if (!input.saturates) continue;
    for (const std::size_t element : integers::elements_beyond(input, tensors[i])) ++samples_[{i, element}];
  }
}

std::vector<std::string> BeyondGrids::sentences(const integers::ClientInterface& interface) const {
  constexpr std::size_t kShown = 5;
  std::vector<std::string> list;
  for (const auto& [place, samples] : samples_) {
    const integers::ClientInput& input = interface.inputs.at(place.first);
    if (list.size() == kShown) {
      list.push_back(fmt::format("{} more features lie beyond their grids", samples_.size() - kShown));
      break;
    }
    const integers::Quantiser& q = input.quantiser;
    const auto at = static_cast<layout::Index>(place.second);
    list.push_back(
        fmt::format("input '{}', element {}: {} outside [{:.6g}, {:.6g}], the values that the model tells apart, and "
                    "counted as the nearer end",
                    input.name, place.second, samples == 1 ? "1 row lies" : counted(samples, "row") + " lie",
                    q.scale[at] * static_cast<double>(q.lowest) + q.offset[at],
                    q.scale[at] * static_cast<double>(q.highest) + q.offset[at]));
  }
  return list;
}

std::vector<scheme::tfhe::FreshLweCiphertexts> encrypt_sample(const runtime::IntegerClient& client,
                                                              const graph::ClientParts& parts,
                                                              const std::vector<graph::Tensor>& sample,
                                                              BeyondGrids* beyond) {
  std::vector<std::vector<double>> numbers = graph::numbers_of(graph::run_before(parts, sample));
  const base::WipedAtExit wiped(numbers);
  std::vector<scheme::tfhe::FreshLweCiphertexts> ciphertexts = client.encrypt(numbers);
  if (beyond != nullptr) beyond->add(client.interface(), numbers);
  return ciphertexts;
}

}  // namespace tacit::session
