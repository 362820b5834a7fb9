#include "session/server_half.h"

#include <set>

#include "base/build_info.h"
#include "base/error.h"

namespace tacit::session {

std::vector<base::Digest> ServerHalf::questions_of(const runtime::SampleReader& inputs, const LoadedKeys& keys) {
  const std::string file = inputs.path().string();
  runtime::require_same_keys(keys.provenance(), keys.file().string(), inputs.head().binding, file);
  std::vector<base::Digest> questions = inputs.digests();
  if (std::set<base::Digest>(questions.begin(), questions.end()).size() != questions.size())
    throw base::InputError(file + " holds the same input twice; encrypt each for itself");
  return questions;
}

runtime::Receipt ServerHalf::receipt(const LoadedKeys& keys, const base::Digest& input,
                                     const base::Digest& output) const {
  return {.version = std::string(base::version()),
          .parameters = model_.binding.parameters,
          .model_id = model_.binding.model,
          .model = model_.root,
          .keys = keys.provenance().root,
          .input = input,
          .output = output};
}

std::unique_ptr<ServerHalf> load_server_half(const std::filesystem::path& file, const base::MemoryBudget& memory,
                                             const ParameterCheck& check) {
  return runtime::artefact_scheme(file) == runtime::ArtefactScheme::tfhe
             ? load_server_half_on_integers(file, memory, check)
             : load_server_half_on_slots(file, memory, check);
}

}  // namespace tacit::session
