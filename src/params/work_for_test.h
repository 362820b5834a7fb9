#pragma once

#include <gtest/gtest.h>

#include "params/work.h"

namespace tacit::params {

/// Every part agrees, up to rounding.
inline void expect_near(const Work& found, const Work& expected) {
  const auto near = [](double a, double b) { EXPECT_NEAR(a / b, 1, 1e-12); };
  near(found.transform_words(), expected.transform_words());
  near(found.macs, expected.macs);
  near(found.key_macs, expected.key_macs);
  near(found.products, expected.products);
  near(found.additions, expected.additions);
  near(found.bytes, expected.bytes);
}

}  // namespace tacit::params
