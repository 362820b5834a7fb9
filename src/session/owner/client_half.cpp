#include "session/owner/client_half.h"

#include <fmt/format.h>

#include "base/error.h"

namespace tacit::session {

void require_results(
    const ResultRequest& request, const runtime::Provenance& of_key, const runtime::SampleReader& results,
    std::int64_t batch,
    const std::function<runtime::SampleReader(const std::filesystem::path&, runtime::CiphertextRole)>& open) {
  const std::string name = request.results.string(), question = request.question.string();
  runtime::require_same_keys(of_key, request.key.string(), results.head().binding, name);
  if (results.batched().batch != static_cast<std::size_t>(batch))
    throw base::KeyMismatch(
        fmt::format("{} holds results of {} inputs each, and the model answers {} a run; nothing is shown", name,
                    results.batched().batch, batch));
  if (question.empty()) return;
  const runtime::SampleReader asked = open(request.question, runtime::CiphertextRole::inputs);
  runtime::require_same_keys(of_key, request.key.string(), asked.head().binding, question);
  const std::vector<base::Digest> digests = asked.digests();
  runtime::require_answers({digests, asked.batched()}, question, {results.questions(), results.batched()}, name);
}

std::unique_ptr<ClientHalf> load_client_half(const std::filesystem::path& path) {
  return runtime::artefact_scheme(path) == runtime::ArtefactScheme::tfhe ? load_client_half_on_integers(path)
                                                                         : load_client_half_on_slots(path);
}

}  // namespace tacit::session
