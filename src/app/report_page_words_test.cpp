#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "app/report_page.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app {
namespace {

using ::testing::HasSubstr;

TEST(ReportPageWords, AreThoseOfTheModelInOneLine) {
  const std::string page = report_page({{"title", "größe & maß"}, {"subtitle", "a < b"}, {"list", {1, 2}}});
  EXPECT_THAT(page, HasSubstr("<title>größe &amp; maß</title>"));
  EXPECT_THAT(page, HasSubstr("{\"title\":\"größe & maß\",\"subtitle\":\"a \\u003c b\",\"list\":[1,2]}</script>"));
}

TEST(ReportPageWords, AreWrittenWhereAFileIsNamed) {
  const base::TemporaryFolder folder;
  const nlohmann::ordered_json data{{"title", "x"}};
  write_report({}, data);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  write_report(folder.path() / "page", data);
  std::ifstream file(folder.path() / "page", std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), report_page(data));
  const std::string nowhere = (folder.path() / "no" / "page").string();
  EXPECT_EQ(base::refusal([&] { write_report(nowhere, data); }), "the report '" + nowhere + "' cannot be written");
}

}  // namespace
}  // namespace tacit::app
