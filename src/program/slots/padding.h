#pragma once

#include <vector>

#include "program/slots/program.h"

namespace tacit::slots {

/// The content of the slots of a value that hold no element: zeros, the content that the layout declares, numbers as
/// small as elements, or numbers of any size.
enum class Padding { zero, as_declared, bounded, unknown };

/// Returns the padding by value, with these rules:
/// - A linear map leaves zeros if its output's layout declares them. Otherwise it leaves unknown numbers, because its
///   diagonals repeat there.
/// - A product with a plaintext clears the slots.
/// - A series of zero is bounded.
/// - Rotations are assumed to leave what their layouts declare. The trace of an input leaves zeros, as the input does.
std::vector<Padding> padding_of(const Program& program);

}  // namespace tacit::slots
