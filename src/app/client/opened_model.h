#pragma once

#include <memory>
#include <string>

#include "session/owner/client_half.h"

/// The model behind the handle of tacit/client_c.h.
struct TacitClientModel {
  std::unique_ptr<tacit::session::ClientHalf> half;
  std::string facts;
};
