#include "app/report_page.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::app {
namespace {

TEST(ReportPage, HoldsItsDataAndNothingFromElsewhere) {
  const nlohmann::ordered_json data{{"title", "a <b> & c"}, {"model", {{"name", "</script><script>alert(1)"}}}};
  const std::string page = report_page(data);
  EXPECT_NE(page.find("<title>a &lt;b> &amp; c</title>"), std::string::npos);
  // The data ends where its element ends, and reads back.
  const std::string open = "id=\"data\">";
  const std::size_t begin = page.find(open) + open.size(), end = page.find("</script>", begin);
  EXPECT_EQ(nlohmann::ordered_json::parse(page.substr(begin, end - begin)), data);
  for (const char* outside : {"<link", "src=\"http", "@import"})
    EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
  EXPECT_GT(page.size(), 100'000u);  // the plotting library is inside
}

TEST(ReportPage, SaysWhereItCannotWrite) {
  EXPECT_THROW(write_report("/no such folder/report.html", {{"title", "x"}}), base::InputError);
}

}  // namespace
}  // namespace tacit::app
