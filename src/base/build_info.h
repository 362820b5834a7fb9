#pragma once

#include <string>
#include <string_view>

namespace tacit::base {

/// The version of Tacit, as in "0.2.0" (include/tacit/version.h).
std::string_view version();
/// The commit that was built, twelve hexadecimal digits, followed by "+" where files were changed. "unknown" for
/// sources without a history.
std::string_view commit();
/// "tacit 0.2.0 (commit 0123456789ab, avx512ifma)", with the instruction set that kernels use on this machine. Throws
/// InputError as active_isa() does.
std::string build_info();

}  // namespace tacit::base
