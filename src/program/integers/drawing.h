#pragma once

#include <string>

#include "program/integers/program.h"

namespace tacit::integers {

/// Returns a program as a flowchart in the language of Mermaid. It has an arrow for every operand, a box for every sum
/// and a hexagon for every lookup. A hexagon names the operators of the region that its tables represent. Each shows
/// its number of elements.
std::string to_mermaid(const Program& program);

}  // namespace tacit::integers
