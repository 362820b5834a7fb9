#include "session/owner/kept_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/refusal_for_test.h"

namespace tacit::session {
namespace {

using testing::HasSubstr;

std::filesystem::path file(const char* name) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kept_inputs";
  std::filesystem::create_directories(folder);
  return folder / name;
}

TEST(KeptInputs, ComeBackByTheDigestOfTheirRun) {
  KeptInputs kept;
  base::Digest run{};
  run[0] = 7;
  kept.add(run, {{{{1, 1}, {315159.71875}, false}, graph::text_tensor({2}, {"a", "b"})},
                 {{{1, 1}, {0x1p53}, true}, graph::text_tensor({2}, {"b", "b"})}});
  const std::filesystem::path path = KeptInputs::beside(file("x.ct"));
  EXPECT_EQ(path.filename(), "x.ct.kept");
  kept.save(path);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  const KeptInputs loaded = KeptInputs::load(path);
  ASSERT_EQ(loaded.of(run).size(), 2u);
  EXPECT_EQ(loaded.of(run)[0][0].data, std::vector<double>{315159.71875});
  EXPECT_EQ(loaded.of(run)[1][0].data, std::vector<double>{0x1p53});
  EXPECT_TRUE(loaded.of(run)[1][0].integral);
  EXPECT_EQ(loaded.of(run)[0][1].texts, (std::vector<std::string>{"a", "b"}));
  run[0] = 8;
  EXPECT_THAT(base::refusal([&] { loaded.of(run); }), HasSubstr("of another question"));
}

TEST(KeptInputs, RefuseADamagedFile) {
  const std::filesystem::path path = file("damaged.kept");
  std::ofstream(path) << "not kept inputs";
  EXPECT_THAT(base::refusal([&] { KeptInputs::load(path); }), HasSubstr("damaged.kept"));
}

}  // namespace
}  // namespace tacit::session
