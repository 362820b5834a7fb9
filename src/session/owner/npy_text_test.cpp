#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "session/owner/npy.h"

namespace tacit::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string npy_text(const std::string& dict, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(dict.size() & 0xFF);
  out += static_cast<char>(dict.size() >> 8);
  return out + dict + data;
}

std::string array(const std::string& descr, const std::string& shape, const std::string& data) {
  return npy_text("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }", data);
}

/// Code points of four bytes each, as NumPy holds them.
std::string points(const std::u32string& text) {
  std::string out(4 * text.size(), '\0');
  std::memcpy(out.data(), text.data(), out.size());
  return out;
}

TEST(NpyTexts, AreReadRowByRow) {
  const NpyArray texts =
      parse_npy(array("<U2", "(3, 2)",
                      points(U"ab") + points(std::u32string(U"c\0", 2)) + points(std::u32string(U"\0\0", 2)) +
                          points(U"de") + points(U"fg") + points(std::u32string(U"h\0", 2))),
                "t.npy");
  EXPECT_EQ(texts.type(), ElementType::text);
  EXPECT_EQ(texts.size(), 6);
  EXPECT_EQ(texts.rows(), 3);
  EXPECT_THAT(texts.text_row(0), ElementsAre("ab", "c"));
  EXPECT_THAT(texts.text_row(1), ElementsAre("", "de"));
  EXPECT_THAT(texts.text_row(2), ElementsAre("fg", "h"));
  EXPECT_THAT(base::refusal([&] { texts.text_row(3); }), HasSubstr("t.npy has 3 rows; row 3 was asked for"));
  EXPECT_THAT(base::refusal([&] { texts.text_row(-1); }), HasSubstr("row -1 was asked for"));
  EXPECT_THAT(base::refusal([&] { texts.row(0); }), HasSubstr("t.npy holds texts, where numbers are needed"));
  const NpyArray numbers = parse_npy(array("|u1", "(1,)", "\1"), "n.npy");
  EXPECT_THAT(base::refusal([&] { numbers.text_row(0); }), HasSubstr("n.npy holds numbers, where texts are needed"));
  EXPECT_THAT(parse_npy(array("<U2", "(1, 0)", ""), "e.npy").text_row(0), ElementsAre());
}

// The first and the last character that takes one, two, three and four bytes of UTF-8.
TEST(NpyTexts, AreUtf8HereAndCodePointsInTheFile) {
  const std::u32string ends{0x1, 0x7F, 0x80, 0x7FF, 0x800, 0xFFFF, 0x10000, 0x10FFFF};
  const std::string utf8 = "\x01\x7F\xC2\x80\xDF\xBF\xE0\xA0\x80\xEF\xBF\xBF\xF0\x90\x80\x80\xF4\x8F\xBF\xBF";
  EXPECT_THAT(parse_npy(array("<U8", "(1,)", points(ends)), "t").text_row(0), ElementsAre(utf8));

  const base::TemporaryFolder folder;
  const auto path = folder.path() / "t.npy";
  const std::vector<std::string> texts{utf8, "", "b\xC3\xBC", "caf\xC3\xA9s"};
  write_npy(path, {2, 2}, std::span<const std::string>(texts));
  const NpyArray back = read_npy(path);
  EXPECT_THAT(back.shape(), ElementsAre(2, 2));
  EXPECT_THAT(back.text_row(0), ElementsAre(texts[0], texts[1]));
  EXPECT_THAT(back.text_row(1), ElementsAre(texts[2], texts[3]));
  EXPECT_EQ(std::filesystem::file_size(path), 64u * 2 + 4 * 8 * 4) << "four texts of eight characters";
  // Bytes that are no UTF-8 stand for themselves, and are read as characters.
  write_npy(path, {3}, std::span<const std::string>(std::vector<std::string>{"\xFFz", "\xC3", "\xE2\x82"}));
  const NpyArray wild = read_npy(path);
  EXPECT_THAT(wild.text_row(0), ElementsAre("\xC3\xBFz"));
  EXPECT_THAT(wild.text_row(1), ElementsAre("\xC3\x83"));
  EXPECT_THAT(wild.text_row(2), ElementsAre("\xC3\xA2\xC2\x82"));
}

TEST(NpyTexts, StateTheirLength) {
  const auto of = [](const std::string& descr, const std::string& data) {
    return base::refusal([&] { parse_npy(array(descr, "(1,)", data), "t.npy"); });
  };
  EXPECT_EQ(of("<U12", std::string(48, '\0')), base::kNotRefused);
  EXPECT_THAT(of("<U12", std::string(47, '\0')), HasSubstr("promises 48 bytes"));
  EXPECT_THAT(of("<U0", ""), HasSubstr("t.npy holds texts of 0 characters; 1 to"));
  EXPECT_THAT(of("<U", ""), HasSubstr("the length of its texts"));
  EXPECT_THAT(of("<Ux", ""), HasSubstr("the length of its texts"));
  EXPECT_THAT(of("<U-1", ""), HasSubstr("the length of its texts"));
  EXPECT_THAT(of("<U99999999999999999999", ""), HasSubstr("the length of its texts"));
}

TEST(NpyNumbers, OfOtherNamesAndFormats) {
  const auto values = [](const std::string& descr, const std::string& data) {
    return parse_npy(array(descr, "(2,)", data), "x").values();
  };
  EXPECT_THAT(values("|b1", std::string("\0\1", 2)), ElementsAre(0, 1));
  EXPECT_THAT(values("<u1", "\x07\xFF"), ElementsAre(7, 255));
  EXPECT_THAT(values("<i1", "\x07\xFF"), ElementsAre(7, -1));
  EXPECT_THAT(values("<f2", std::string("\x00\x3C\x00\xC1", 4)), ElementsAre(1, -2.5));
}

TEST(NpyNumbers, MayBeMissingWhereTheModelExpectsIt) {
  const auto bytes = [](double value) {
    std::string data(4 * sizeof(double), '\0');
    std::memcpy(data.data() + 3 * sizeof(double), &value, sizeof(double));
    return array("<f8", "(2, 2)", data);
  };
  const NpyArray missing = parse_npy(bytes(std::numeric_limits<double>::quiet_NaN()), "x.npy");
  EXPECT_TRUE(std::isnan(missing.row(1, true).at(1)));
  EXPECT_THAT(missing.row(0), ElementsAre(0, 0));
  EXPECT_THAT(base::refusal([&] { missing.row(1); }),
              HasSubstr("x.npy holds NaN at [1, 1]; every value must be finite"));
  const NpyArray infinite = parse_npy(bytes(std::numeric_limits<double>::infinity()), "x.npy");
  EXPECT_THAT(base::refusal([&] { infinite.row(1, true); }), HasSubstr("infinity at [1, 1]"));
}

TEST(NpyNumbers, UpTo2To53AreExact) {
  const auto of = [](std::int64_t value) {
    std::string data(sizeof(value), '\0');
    std::memcpy(data.data(), &value, sizeof(value));
    return base::refusal([&] { parse_npy(array("<i8", "(1,)", data), "x.npy").values(); });
  };
  EXPECT_EQ(of(std::int64_t{1} << 53), base::kNotRefused);
  EXPECT_EQ(of(-(std::int64_t{1} << 53)), base::kNotRefused);
  EXPECT_THAT(of((std::int64_t{1} << 53) + 2), HasSubstr("an integer beyond 2^53 at [0]"));
  EXPECT_THAT(of(-(std::int64_t{1} << 53) - 2), HasSubstr("an integer beyond 2^53 at [0]"));
}

TEST(NpyNumbers, HaveAtMost32Dimensions) {
  const auto of = [](int dimensions) {
    std::string shape = "(";
    for (int i = 0; i < dimensions; ++i) shape += "1,";
    return base::refusal([&] { parse_npy(array("|u1", shape + ")", "\1"), "x.npy"); });
  };
  EXPECT_EQ(of(32), base::kNotRefused);
  EXPECT_THAT(of(33), HasSubstr("more than 32 dimensions"));
}

TEST(NpyNumbers, AreWrittenInTheTypeGiven) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "x.npy";
  write_npy(path, {2}, std::span<const std::int64_t>(std::vector<std::int64_t>{-3, std::int64_t{1} << 40}));
  EXPECT_EQ(read_npy(path).type(), ElementType::int64);
  EXPECT_THAT(read_npy(path).values(), ElementsAre(-3, 0x1p40));
  write_npy(path, {1, 2}, std::span<const float>(std::vector<float>{0.5F, -8}));
  EXPECT_EQ(read_npy(path).type(), ElementType::float32);
  EXPECT_THAT(read_npy(path).shape(), ElementsAre(1, 2));
  EXPECT_THAT(read_npy(path).values(), ElementsAre(0.5, -8));
}

TEST(NpyTexts, HaveAtMost65536Characters) {
  const auto of = [](const std::string& descr) {
    return base::refusal([&] { parse_npy(array(descr, "(0,)", ""), "t.npy"); });
  };
  EXPECT_EQ(of("<U1"), base::kNotRefused);
  EXPECT_EQ(of("<U65536"), base::kNotRefused);
  EXPECT_THAT(of("<U65537"), HasSubstr("t.npy holds texts of 65537 characters; 1 to 65536 are read"));
}

TEST(NpyTexts, TakeNoMoreRoomThanTheLongestNeeds) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "t.npy";
  const auto bytes_of = [&](const std::vector<std::string>& texts) {
    write_npy(path, {static_cast<std::int64_t>(texts.size())}, std::span<const std::string>(texts));
    return std::filesystem::file_size(path) - 2 * 64;  // behind the header
  };
  EXPECT_EQ(bytes_of({"a", ""}), 2u * 1 * 4);
  EXPECT_EQ(bytes_of({""}), 1u * 1 * 4) << "NumPy has no shorter texts than of one character";
  EXPECT_EQ(bytes_of({"a", "bcd", "ef"}), 3u * 3 * 4);
}

// Code points in more bytes than they need, one above the last, and a first byte that there is not.
TEST(NpyTexts, BytesOfSequencesThatAreNotWellFormedStandForThemselves) {
  const base::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "t.npy";
  const std::vector<std::string> texts{"\xC0\x80",         "\xC1\xBF",         "\xE0\x9F\xBF",
                                       "\xF0\x8F\xBF\xBF", "\xF4\x90\x80\x80", "\xF8\x88\x80\x80"};
  write_npy(path, {6}, std::span<const std::string>(texts));
  const NpyArray back = read_npy(path);
  EXPECT_THAT(back.text_row(0), ElementsAre("\xC3\x80\xC2\x80"));
  EXPECT_THAT(back.text_row(1), ElementsAre("\xC3\x81\xC2\xBF"));
  EXPECT_THAT(back.text_row(2), ElementsAre("\xC3\xA0\xC2\x9F\xC2\xBF"));
  EXPECT_THAT(back.text_row(3), ElementsAre("\xC3\xB0\xC2\x8F\xC2\xBF\xC2\xBF"));
  EXPECT_THAT(back.text_row(4), ElementsAre("\xC3\xB4\xC2\x90\xC2\x80\xC2\x80"));
  EXPECT_THAT(back.text_row(5), ElementsAre("\xC3\xB8\xC2\x88\xC2\x80\xC2\x80"));
}

TEST(NpyTexts, AByteThatContinuesNothingStandsForItself) {
  const base::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "t.npy";
  const std::vector<std::string> texts{"a\x80", "\x80\x81"};
  write_npy(path, {2}, std::span<const std::string>(texts));
  const NpyArray back = read_npy(path);
  EXPECT_THAT(back.text_row(0), ElementsAre("a\xC2\x80"));
  EXPECT_THAT(back.text_row(1), ElementsAre("\xC2\x80\xC2\x81"));
}

}  // namespace
}  // namespace tacit::session
