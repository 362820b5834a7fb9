#pragma once

#include <tacit/error.h>

#include <string>

/// The version of these headers. The build reads the project's version here.
#define TACIT_VERSION_MAJOR 0
#define TACIT_VERSION_MINOR 2
#define TACIT_VERSION_PATCH 0

namespace tacit {

/// Returns the version, the commit and the instruction set of the running library, as in "tacit 0.2.0 (commit
/// 0123456789ab, avx512ifma)". Throws InputError if TACIT_ISA names an instruction set that this machine lacks.
TACIT_API std::string build_info();

}  // namespace tacit
