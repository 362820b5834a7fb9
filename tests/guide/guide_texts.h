#pragma once

#include <string>

#include "params/ckks_parameters.h"
#include "program/client_interface.h"

namespace tacit::guide {

/// The lines on parameters and on the client that the pages of docs/ show.
std::string set_text(const params::CkksLiteral& literal);
std::string client_text(const program::ClientInterface& client);

/// The tables of the compiler's passes: all of them, those that may be left out, and what `--explain` shows.
std::string passes_table();
std::string optional_passes_table();
std::string explained_passes_table();

}  // namespace tacit::guide
