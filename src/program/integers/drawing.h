#pragma once

#include <string>

#include "program/integers/program.h"

namespace tacit::integers {

/// A program as a flowchart in the language of Mermaid: an arrow for every operand, a box for every sum, a hexagon for
/// every lookup with the operators of the region that its tables stand for, and how many elements each has.
std::string to_mermaid(const Program& program);

}  // namespace tacit::integers
