#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::slots {

/// What the slots of a value hold that hold no element: zeros, what the layout says, numbers as small as elements, or
/// numbers of any size.
enum class Padding { zero, as_declared, bounded, unknown };

/// By value. A linear map leaves zeros where its output's layout says so, and unknown numbers elsewhere: its diagonals
/// repeat there as if there were elements. A product with a plaintext clears them. What a series makes of zero is
/// bounded. Rotations are taken to leave what their layouts say.
std::vector<Padding> padding_of(const Program& program);

}  // namespace tacit::slots
