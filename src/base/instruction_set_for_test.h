#pragma once

#include <gtest/gtest.h>

#include "base/cpu.h"

namespace tacit::base {

/// Tests that run once on each instruction set. Those that this processor lacks are skipped.
class OnInstructionSet : public ::testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!isa_supported(GetParam())) GTEST_SKIP() << "this processor lacks " << isa_name(GetParam());
  }
};

}  // namespace tacit::base
