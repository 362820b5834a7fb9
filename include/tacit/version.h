#pragma once

#include <tacit/error.h>

#include <string>

/// The version of these headers; the build takes the project's version from here.
#define TACIT_VERSION_MAJOR 0
#define TACIT_VERSION_MINOR 2
#define TACIT_VERSION_PATCH 0

namespace tacit {

/// "tacit 0.2.0 (commit 0123456789ab, avx512ifma)": the version, the commit and the instruction set of the library that
/// runs. Throws InputError where TACIT_ISA names an instruction set that this machine lacks.
TACIT_API std::string build_info();

}  // namespace tacit
