#include "app/progress_bar.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "base/parallel.h"

namespace tacit::app {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using namespace std::chrono_literals;

std::string written(bool terminal, std::chrono::milliseconds silence,
                    const std::function<void(base::Progress&)>& work) {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* stream = open_memstream(&text, &bytes);
  {
    ProgressBar bar(stream, terminal, {silence, 1ms});
    work(bar);
  }
  std::fclose(stream);
  std::string out(text, bytes);
  std::free(text);
  return out;
}

TEST(ProgressBar, ShortStagesLeaveNoTrace) {
  const auto work = [](base::Progress& progress) {
    progress.begin("quick", 10);
    progress.advance(10);
    progress.end();
  };
  EXPECT_EQ(written(true, 1000ms, work), "");
  EXPECT_EQ(written(false, 1000ms, work), "");
}

TEST(ProgressBar, LongStagesShowAndVanish) {
  const auto work = [](base::Progress& progress) {
    progress.begin("slow", 4);
    progress.advance(2);
    std::this_thread::sleep_for(50ms);
    progress.end();
  };
  const std::string terminal = written(true, 1ms, work);
  EXPECT_THAT(terminal, HasSubstr("slow"));
  EXPECT_THAT(terminal, HasSubstr(" 50 %"));
  EXPECT_TRUE(terminal.ends_with("\r\x1b[K"));
  EXPECT_THAT(written(false, 1ms, work), StartsWith("slow …\nslow: done in 0."));
}

TEST(ProgressBar, CountsFromManyThreadsAndNests) {
  const std::string out = written(true, 1ms, [](base::Progress& progress) {
    progress.begin("outer", 1000);
    base::parallel_for(0, 1000, [&](std::size_t) { progress.advance(1); });
    progress.begin("inner", 0);
    progress.end();
    std::this_thread::sleep_for(20ms);
    progress.end();
    progress.end();  // one too many is harmless
  });
  EXPECT_THAT(out, HasSubstr("100 %"));
}

TEST(ProgressBar, NestedStagesShowTheirPlaceOnATerminalAndNothingElsewhere) {
  const auto work = [](base::Progress& progress) {
    progress.begin("images", 7);
    progress.advance(2);
    progress.begin("evaluate", 4);
    progress.advance(1);
    std::this_thread::sleep_for(30ms);
    progress.end();
    progress.end();
  };
  EXPECT_THAT(written(true, 1ms, work), HasSubstr("3/7 evaluate"));
  EXPECT_THAT(written(false, 1ms, work), StartsWith("images …\nimages: done in"));
}

TEST(ProgressBar, TextHasABarOnlyForAKnownTotal) {
  EXPECT_EQ(bar_text("compile", 1, 2, 1.25),
            "  compile                      [###############...............]  50 %     1.2 s");
  EXPECT_EQ(bar_text("keys", 0, 0, 3),
            "  keys                         [...............####...........]           3.0 s");
  EXPECT_THAT(bar_text("x", 5, 2, 0), HasSubstr("100 %"));
}

// Five steps a second, from the left end to the right one and again.
TEST(ProgressBar, TheMarkOfAnUnknownTotalStaysOnItsTrack) {
  const auto at = [](std::size_t place) {
    return fmt::format("[{}####{}]", std::string(place, '.'), std::string(26 - place, '.'));
  };
  EXPECT_EQ(bar_text("keys", 0, 0, 0), "  keys                         " + at(0) + "           0.0 s");
  EXPECT_EQ(bar_text("keys", 0, 0, 5), "  keys                         " + at(25) + "           5.0 s");
  EXPECT_EQ(bar_text("keys", 0, 0, 6), "  keys                         " + at(4) + "           6.0 s");
  EXPECT_EQ(bar_text("keys", 0, 0, 3600), "  keys                         " + at(18000 % 26) + "        3600.0 s");
}

TEST(ProgressBar, TextsOfLongStagesKeepTheirColumns) {
  EXPECT_EQ(bar_text("a stage whose name is longer than that", 3, 3, 12),
            "  a stage whose name is longer [##############################] 100 %    12.0 s");
  EXPECT_EQ(bar_text("x", 0, 3, 0), "  x                            [..............................]   0 %     0.0 s");
}

}  // namespace
}  // namespace tacit::app
