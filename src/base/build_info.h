#pragma once

#include <string>
#include <string_view>

namespace tacit::base {

/// Returns the version of Tacit, as in "0.2.0" (include/tacit/version.h).
std::string_view version();
/// Returns the twelve hexadecimal digits of the commit that was built. A "+" follows if files were changed. Sources
/// without a history give "unknown".
std::string_view commit();
/// Returns "tacit 0.2.0 (commit 0123456789ab, avx512ifma)", with the instruction set that kernels use on this machine.
/// Throws InputError as active_isa() does.
std::string build_info();

}  // namespace tacit::base
