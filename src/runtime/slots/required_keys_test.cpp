#include "runtime/slots/required_keys.h"

#include <gtest/gtest.h>

#include <string>

#include "base/refusal_for_test.h"

namespace tacit::runtime {
namespace {

std::string refusal(const params::KeyManifest& needed, const params::KeyManifest& held) {
  return base::refusal([&] { require_keys(needed, held); });
}

/// What the refusal of one key ends with.
constexpr const char* kWayOut = "; make the keys from this model's client half";

TEST(RequiredKeys, AreThereUpToTheLevelOfTheirUse) {
  const params::KeyManifest held{
      .relinearise_level = 4, .conjugate_level = 5, .rotations = {{1, 2}, {3, 0}}, .raised_rotations = {{0, 9}}};
  EXPECT_EQ(refusal(held, held), base::kNotRefused);
  EXPECT_EQ(refusal({}, held), base::kNotRefused);
  EXPECT_EQ(refusal({}, {}), base::kNotRefused);
  const std::string way_out = kWayOut;
  EXPECT_EQ(
      refusal({.relinearise_level = 5, .rotations = {}}, held),
      "the program needs the relinearisation key at level 5, and the evaluation keys hold one up to level 4" + way_out);
  EXPECT_EQ(
      refusal({.conjugate_level = 6, .rotations = {}}, held),
      "the program needs the key of conjugations at level 6, and the evaluation keys hold one up to level 5" + way_out);
  EXPECT_EQ(refusal({.rotations = {{1, 3}}}, held),
            "the program needs the key of a rotation by 1 at level 3, and the evaluation keys hold one up to level 2" +
                way_out);
  EXPECT_EQ(refusal({.rotations = {{3, 1}}}, held),
            "the program needs the key of a rotation by 3 at level 1, and the evaluation keys hold one up to level 0" +
                way_out);
  EXPECT_EQ(refusal({.rotations = {{2, 0}}}, held),
            "the program needs the key of a rotation by 2 at level 0, and the evaluation keys hold none" + way_out);
  EXPECT_EQ(refusal({.rotations = {}, .raised_rotations = {{0, 10}}}, held),
            "the program needs the key of a raised ciphertext's rotation by 0 at level 10, and the evaluation keys "
            "hold one up to level 9" +
                way_out);
  EXPECT_EQ(refusal({.relinearise_level = 0, .rotations = {}}, {}),
            "the program needs the relinearisation key at level 0, and the evaluation keys hold none" + way_out);
}

}  // namespace
}  // namespace tacit::runtime
