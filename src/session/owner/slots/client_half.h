#pragma once

#include <memory>

#include "session/owner/client_half.h"

namespace tacit::session {

std::unique_ptr<ClientHalf> load_client_half_on_slots(const std::filesystem::path& path);

}  // namespace tacit::session
