#include "base/byte_stream.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <initializer_list>
#include <limits>
#include <numeric>

#include "base/error.h"

namespace tacit::base {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<std::uint8_t> compact_bytes(const std::vector<std::int64_t>& values) {
  ByteWriter out;
  out.compact_indices(values);
  return out.take();
}

std::vector<std::uint8_t> compact_bytes(const std::vector<double>& values) {
  ByteWriter out;
  out.compact_reals(values);
  return out.take();
}

TEST(ByteStream, ListsOfIndicesTakeTheirShortestForm) {
  std::vector<std::int64_t> run(1000), scattered, wide;
  std::iota(run.begin(), run.end(), 7);
  for (std::int64_t i = 0; i < 100; ++i) {
    scattered.push_back(i * i % 97);
    wide.push_back((i * i % 97) << 40);
  }
  const std::vector<std::int64_t> extremes{std::numeric_limits<std::int64_t>::min(),
                                           std::numeric_limits<std::int64_t>::max(), -1, 0};
  for (const auto& list : {run, scattered, wide, extremes, std::vector<std::int64_t>{}, {-3}}) {
    const std::vector<std::uint8_t> bytes = compact_bytes(list);
    ByteReader in(bytes, "list");
    EXPECT_EQ(in.compact_indices(), list);
    in.expect_end();
  }
  EXPECT_EQ(compact_bytes(run).size(), 1 + 8 + 20U);
  EXPECT_EQ(compact_bytes(scattered).size(), 1 + 8 + 4 * 100U);
  EXPECT_EQ(compact_bytes(wide).size(), 1 + 8 + 8 * 100U);
}

/// Numbers from 0 to 19, of which a run is shorter, and others behind them.
std::vector<std::int64_t> twenty_and(std::initializer_list<std::int64_t> others) {
  std::vector<std::int64_t> values(20);
  std::iota(values.begin(), values.end(), 0);
  values.insert(values.end(), others);
  return values;
}

TEST(ByteStream, TheLastRunMayBeOfOneOrTwoNumbers) {
  struct Run {
    std::int64_t first, step;
    std::uint32_t length;
  };
  const auto bytes_of_runs = [](std::initializer_list<Run> runs) {
    ByteWriter out;
    out.u8(2);
    out.u64(runs.size());
    for (const Run& run : runs) {
      out.i64(run.first);
      out.i64(run.step);
      out.u32(run.length);
    }
    return out.take();
  };
  EXPECT_EQ(compact_bytes(twenty_and({100})), bytes_of_runs({{0, 1, 20}, {100, 0, 1}}));
  EXPECT_EQ(compact_bytes(twenty_and({100, 200})), bytes_of_runs({{0, 1, 20}, {100, 100, 2}}));
}

TEST(ByteStream, RunsThatAreAsLongAsNumbersAreNotWritten) {
  EXPECT_EQ(compact_bytes(std::vector<std::int64_t>{0, 1, 2, 3, 4}).front(), 1);
  EXPECT_EQ(compact_bytes(std::vector<std::int64_t>{0, 1, 2, 3, 4, 5}).front(), 2);
  EXPECT_EQ(compact_bytes(std::vector<std::int64_t>{}).front(), 1);
}

TEST(ByteStream, NumbersOfSinglePrecisionTakeFourBytes) {
  const std::vector<double> single{0.5, -0.0, 1e-40f, 3.4e38f, static_cast<double>(0.1f)}, twice{0.5, 0.1};
  for (const auto& list : {single, twice, std::vector<double>{}}) {
    const std::vector<std::uint8_t> bytes = compact_bytes(list);
    ByteReader in(bytes, "list");
    const std::vector<double> read = in.compact_reals();
    ASSERT_EQ(read.size(), list.size());
    for (std::size_t i = 0; i < read.size(); ++i) {
      EXPECT_EQ(read[i], list[i]);
      EXPECT_EQ(std::signbit(read[i]), std::signbit(list[i]));
    }
  }
  EXPECT_EQ(compact_bytes(single).size(), 1 + 8 + 4 * 5U);
  EXPECT_EQ(compact_bytes(twice).size(), 1 + 8 + 8 * 2U);
}

TEST(ByteStream, RunsStandForNoMoreThanTheirInputMayHold) {
  ByteWriter out;
  out.u8(2);
  out.u64(1);
  out.i64(0);
  out.i64(1);
  out.u32(0xFFFFFFFF);
  const std::vector<std::uint8_t> bytes = out.take();
  EXPECT_THAT([&] { ByteReader(bytes, "program").compact_indices(); },
              ThrowsMessage<InputError>(HasSubstr("longer than an input of this size may hold")));
}

TEST(ByteStream, RefusesListsThatWereNotWritten) {
  const auto refused = [](std::vector<std::uint8_t> bytes, const char* why) {
    EXPECT_THAT([&] { ByteReader(bytes, "list").compact_indices(); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refused({3, 0, 0, 0, 0, 0, 0, 0, 0}, "unknown form");
  refused({1, 9, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, "more than follow");
  refused({2, 1, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, "more than follow");
  refused({}, "truncated");
  const std::vector<std::uint8_t> infinite{4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x7f},
      form{5, 0, 0, 0, 0, 0, 0, 0, 0};
  EXPECT_THAT([&] { ByteReader(infinite, "list").compact_reals(); },
              ThrowsMessage<InputError>(HasSubstr("not finite")));
  EXPECT_THAT([&] { ByteReader(form, "list").compact_reals(); }, ThrowsMessage<InputError>(HasSubstr("unknown form")));
}

}  // namespace
}  // namespace tacit::base
