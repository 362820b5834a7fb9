#pragma once

#include <cstdint>
#include <map>

#include "program/program.h"

namespace tacit::program {

/// The evaluation keys that a program with levels needs, and the highest level each is used at.
struct KeyNeeds {
  int relinearise_level = -1;              ///< -1: nothing is multiplied
  std::map<std::int64_t, int> rotations;   ///< steps in [1, slots) to level
};

KeyNeeds key_needs(const Program& program);

}  // namespace tacit::program
