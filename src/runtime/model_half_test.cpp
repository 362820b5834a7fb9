#include "runtime/model_half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

constexpr std::size_t kMostJson = 16777216;

/// A file whose description and plan are an empty object and blanks.
class LongDescription : public ::testing::Test {
 protected:
  ArtefactReader written(std::string_view section, std::size_t bytes) const {
    std::string text(bytes, ' ');
    text.replace(0, 2, "{}");
    ArtefactWriter writer(path_, ArtefactKind::client_model);
    writer.add_section(section, SectionType::text, text);
    writer.finish();
    return {path_, ArtefactKind::client_model};
  }
  base::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "half";
};

TEST_F(LongDescription, IsReadUpTo16MiB) {
  const ArtefactReader longest = written(kAboutSection, kMostJson);
  EXPECT_EQ(*about(longest), nlohmann::json::object());
  const ArtefactReader longer = written(kAboutSection, kMostJson + 1);
  EXPECT_EQ(base::refusal([&] { about(longer); }),
            path_.string() +
                ": its description is too long: 16777217 bytes, and 16777216 are read; the file was not "
                "written by Tacit");
}

TEST_F(LongDescription, APlanToo) {
  EXPECT_EQ(kPlanSection, "plan.json");
  EXPECT_EQ(read_plan(written(kPlanSection, kMostJson)).size(), kMostJson);
  const ArtefactReader longer = written(kPlanSection, kMostJson + 1);
  EXPECT_EQ(base::refusal([&] { read_plan(longer); }), "its plan is too long; the file was not written by Tacit");
}

TEST(ModelHalf, DigestsOfPartsAreThoseOfTheirSizesAndBytes) {
  const std::vector<std::uint8_t> first{1, 2, 3}, second{4};
  std::vector<std::uint8_t> bytes{'d'};
  for (const auto& part : {first, second}) {
    bytes.push_back(static_cast<std::uint8_t>(part.size()));
    bytes.insert(bytes.end(), 7, 0);
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  EXPECT_EQ(digest_of_parts("d", {first, second}), base::sha256(std::as_bytes(std::span(bytes))));
}

}  // namespace
}  // namespace tacit::runtime
