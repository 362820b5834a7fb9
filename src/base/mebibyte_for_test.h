#pragma once

#include <cstdint>

namespace tacit::base {

/// Bytes of a mebibyte.
inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

}  // namespace tacit::base
