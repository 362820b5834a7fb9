#include "runtime/compiled_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;

/// A client half of N13-d4, which has levels 0 to 4 and 4096 slots, with an id of its own.
ClientModel client_half(params::KeyManifest keys) {
  ClientModel model;
  model.name = "made";
  model.literal = params::named_literal("N13-d4");
  model.keys = std::move(keys);
  model.plan = "{}";
  model.parts = {1, 2, 3};
  model.other_half = base::Digest{7};
  model.id = id_of(model, model.other_half, content_of(model));
  return model;
}

class CompiledModelTest : public testing::Test {
 protected:
  /// What the file of such a half is refused with.
  std::string refusal(const ClientModel& model) const {
    save(model, path_);
    return base::refusal([&] { load_client_model(path_); });
  }
  base::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "client";
};

TEST_F(CompiledModelTest, AHalfIsReadBack) {
  const params::KeyManifest keys{.relinearise_level = 4,
                                 .conjugate_level = -1,
                                 .rotations = {{1, 0}, {4095, 4}},
                                 .raised_rotations = {{0, 4}, {4095, 3}}};
  const ClientModel model = client_half(keys);
  const base::Digest root = save(model, path_);
  const ClientModel read = load_client_model(path_);
  EXPECT_EQ(read.name, "made");
  EXPECT_EQ(read.literal, model.literal);
  EXPECT_EQ(read.keys, keys);
  EXPECT_EQ(read.plan, "{}");
  EXPECT_EQ(read.parts, model.parts);
  EXPECT_EQ(read.id, model.id);
  EXPECT_EQ(read.other_half, model.other_half);
  EXPECT_EQ(read.root, root);
}

TEST_F(CompiledModelTest, KeysAreThoseThatTheParametersHave) {
  const std::string level = "a key is asked for at a level that the parameters do not have",
                    rotation = "a key is asked for a rotation that the parameters do not have",
                    none = "a key is asked for a rotation, and for no level of it", whole = base::kNotRefused;
  const auto of_levels = [&](int relinearise, int conjugate) {
    return refusal(client_half({.relinearise_level = relinearise, .conjugate_level = conjugate, .rotations = {}}));
  };
  EXPECT_EQ(of_levels(-1, -1), whole);
  EXPECT_EQ(of_levels(4, 4), whole);
  for (const int wrong : {-2, 5}) {
    EXPECT_THAT(of_levels(wrong, 0), HasSubstr(level)) << wrong;
    EXPECT_THAT(of_levels(0, wrong), HasSubstr(level)) << wrong;
  }
  const auto of_rotation = [&](std::int64_t steps, int at) {
    return refusal(client_half({.rotations = {{steps, at}}}));
  };
  EXPECT_EQ(of_rotation(1, 0), whole);
  EXPECT_EQ(of_rotation(4095, 4), whole);
  for (const std::int64_t wrong : {-1, 0, 4096}) EXPECT_THAT(of_rotation(wrong, 1), HasSubstr(rotation)) << wrong;
  EXPECT_THAT(of_rotation(1, -1), HasSubstr(none));
  EXPECT_THAT(of_rotation(1, 5), HasSubstr(level));
  const auto of_raised = [&](std::int64_t steps) {
    return refusal(client_half({.rotations = {}, .raised_rotations = {{steps, 4}}}));
  };
  EXPECT_EQ(of_raised(0), whole);
  EXPECT_EQ(of_raised(4095), whole);
  for (const std::int64_t wrong : {-1, 4096}) EXPECT_THAT(of_raised(wrong), HasSubstr(rotation)) << wrong;
}

TEST_F(CompiledModelTest, AChangedHalfIsThatOfAnotherModel) {
  ClientModel model = client_half({});
  model.parts.back() = 4;
  const std::string stated = base::hexadecimal(model.id).substr(0, 8);
  const std::string found = base::hexadecimal(id_of(model, model.other_half, content_of(model))).substr(0, 8);
  EXPECT_EQ(refusal(model), path_.string() + ": its content is that of another model (" + found +
                                ") than the one that it names (" + stated +
                                "): it was changed after it was compiled; take the file from its owner again");
  model.id = id_of(model, model.other_half, content_of(model));
  EXPECT_EQ(refusal(model), base::kNotRefused);
}

TEST(DigestOfParts, BytesThatMoveFromOnePartToTheNextCount) {
  const std::vector<std::uint8_t> a{1}, ab{1, 2}, bc{2, 3}, c{3};
  EXPECT_NE(digest_of_parts("domain", {a, bc}), digest_of_parts("domain", {ab, c}));
  EXPECT_NE(digest_of_parts("domain", {a}), digest_of_parts("other", {a}));
  EXPECT_EQ(digest_of_parts("domain", {a, bc}), digest_of_parts("domain", {a, bc}));
}

}  // namespace
}  // namespace tacit::runtime
