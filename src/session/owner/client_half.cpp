#include "session/owner/client_half.h"

#include "session/owner/integers/client_half.h"
#include "session/owner/slots/client_half.h"

namespace tacit::session {

std::unique_ptr<ClientHalf> load_client_half(const std::filesystem::path& path) {
  return runtime::artefact_scheme(path) == runtime::ArtefactScheme::tfhe ? load_client_half_on_integers(path)
                                                                         : load_client_half_on_slots(path);
}

}  // namespace tacit::session
