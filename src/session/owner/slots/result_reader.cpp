#include "session/owner/slots/result_reader.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "base/wipe.h"
#include "graph/client_answers.h"
#include "graph/labels.h"

namespace tacit::session {

ResultReader::ResultReader(const graph::ClientParts& parts, const Disclosure& disclosure)
    : disclosure_(disclosure), run_(disclosure.labels ? graph::label_parts(parts) : parts) {
  if (disclosure.labels && disclosure.sharing)
    throw base::InputError("results are shared as numbers or as labels: choose one");
  if (disclosure.sharing) params::check(*disclosure.sharing);
}

void ResultReader::require_whole(std::span<const double> noise) const {
  constexpr double kDeviations = 6;
  const graph::Graph& after = parts().after;
  for (std::size_t i = 0; i < noise.size() && i < after.inputs.size(); ++i)
    if (after.tensors[after.inputs[i]].integral && kDeviations * noise[i] > graph::kMostNoiseOfIntegers)
      base::refuse(
          "tensor '{}' holds integers and came back with noise of up to {:.2g}, where {} is the most that tells one "
          "from "
          "the next: use smaller integers, floating-point numbers, or --scheme tfhe, where sums of wide integers are "
          "exact",
          after.tensors[after.inputs[i]].name, kDeviations * noise[i], graph::kMostNoiseOfIntegers);
}

std::vector<std::vector<graph::Tensor>> ResultReader::read(const runtime::Client& client,
                                                           std::span<const runtime::CiphertextArray> outputs,
                                                           std::size_t samples,
                                                           std::span<const std::vector<graph::Tensor>> kept,
                                                           std::vector<std::optional<std::string>>* refusals) const {
  std::vector<std::vector<double>> run;
  const base::WipedAtExit wiped_run(run);
  std::vector<double> noise;
  for (runtime::DecryptedOutput& output : client.decrypt(outputs, disclosure_.sharing)) {
    run.push_back(std::move(output.values));
    noise.push_back(std::hypot(output.noise, output.added));
  }
  require_whole(noise);
  const auto kept_of = [&](std::size_t s) { return s < kept.size() ? kept[s] : std::vector<graph::Tensor>(); };
  std::vector<std::vector<graph::Tensor>> results;
  if (refusals != nullptr) refusals->assign(samples, std::nullopt);
  for (std::size_t s = 0; s < samples; ++s) {
    std::vector<std::vector<double>> numbers = program::of_sample(client.model().interface, run, s);
    const base::WipedAtExit wiped(numbers);
    try {
      results.push_back(disclosure_.labels ? graph::stable_labels(run_, numbers, noise)
                                           : graph::answers_of(run_, numbers, kept_of(s)));
    } catch (const base::InputError& error) {
      if (refusals == nullptr) throw;
      (*refusals)[s] = error.what();
      results.emplace_back();
    }
  }
  return results;
}

}  // namespace tacit::session
