#pragma once

#include <string>

#include "params/ckks_parameters.h"
#include "program/client_interface.h"

namespace tacit::guide {

/// The lines on parameters and on the client that the pages of docs/ show.
std::string to_text(const params::CkksLiteral& literal);
std::string to_text(const program::ClientInterface& client);

}  // namespace tacit::guide
