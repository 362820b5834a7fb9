#include "session/server_half.h"

#include <set>

#include "base/error.h"
#include "session/integers/server_half.h"
#include "session/slots/server_half.h"

namespace tacit::session {

void ServerHalf::require_distinct(const std::filesystem::path& file, const std::vector<base::Digest>& questions) {
  if (std::set<base::Digest>(questions.begin(), questions.end()).size() != questions.size())
    throw base::InputError(file.string() + " holds the same input twice; encrypt each for itself");
}

runtime::Receipt ServerHalf::receipt(const LoadedKeys& keys, const base::Digest& input,
                                     const base::Digest& output) const {
  return {.version = TACIT_VERSION,
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
