#include "session/server_half.h"

#include "session/integers/server_half.h"
#include "session/slots/server_half.h"

namespace tacit::session {

std::unique_ptr<ServerHalf> load_server_half(const std::filesystem::path& file, const base::MemoryBudget& memory,
                                             const ParameterCheck& check) {
  return runtime::artefact_scheme(file) == runtime::ArtefactScheme::tfhe
             ? load_server_half_on_integers(file, memory, check)
             : load_server_half_on_slots(file, memory, check);
}

}  // namespace tacit::session
