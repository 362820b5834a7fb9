#pragma once

#include "layout/layout.h"

/// The size of small sessions.
namespace tacit::tensor {

inline constexpr layout::Index kSlots = 64;
inline constexpr int kLevel = 3;

}  // namespace tacit::tensor
