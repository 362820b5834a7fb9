#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <variant>

#include "base/byte_fields.h"
#include "base/byte_size.h"
#include "base/byte_stream.h"
#include "base/half.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/kernel_choice.h"
#include "base/parse_number.h"
#include "base/refusal_for_test.h"
#include "base/sha256.h"

namespace tacit::base {
namespace {

using Octets = std::vector<std::uint8_t>;

TEST(ByteSizes, HaveAUnitOfThousandsOr1024s) {
  struct Case {
    const char* text;
    std::uint64_t bytes;
  };
  for (const Case& each : std::initializer_list<Case>{{"1", 1},
                                                      {"1B", 1},
                                                      {"1k", 1000},
                                                      {"1KB", 1000},
                                                      {"1KiB", 1024},
                                                      {"3m", 3000000},
                                                      {"3mb", 3000000},
                                                      {"3MiB", 3145728},
                                                      {"2g", 2000000000},
                                                      {"2 GB", 2000000000},
                                                      {"2gib", 2147483648},
                                                      {"5tb", 5000000000000},
                                                      {"5TiB", 5497558138880},
                                                      {"1.999", 1},
                                                      {"0.5kib", 512},
                                                      {"1048575TiB", 1152920405095219200}})
    EXPECT_EQ(parse_byte_size(each.text), each.bytes) << each.text;
  for (const char* text : {"0.999", "1048576TiB", "1pb", "1kk", "1bb", "1ki", "1kib2", "1e3", "k", " 1"})
    EXPECT_EQ(refusal([&] { parse_byte_size(text); }),
              fmt::format("'{}' is not a size in bytes; write 16GiB or 500MB", text));
}

TEST(ByteSizes, AreShownInTheLargestUnitThatTheyFill) {
  EXPECT_EQ(byte_size_text(0), "0 B");
  EXPECT_EQ(byte_size_text(1023), "1023 B");
  EXPECT_EQ(byte_size_text(1024), "1.0 KiB");
  EXPECT_EQ(byte_size_text(99.9 * 1024), "99.9 KiB");
  EXPECT_EQ(byte_size_text(100 * 1024), "100 KiB");
  EXPECT_EQ(byte_size_text(1023 * 1024), "1023 KiB");
  EXPECT_EQ(byte_size_text(0x1p20), "1.0 MiB");
  EXPECT_EQ(byte_size_text(0x1p30), "1.0 GiB");
  EXPECT_EQ(byte_size_text(0x1p40), "1.0 TiB");
  EXPECT_EQ(byte_size_text(5000 * 0x1p40), "5000 TiB");
}

TEST(ParsedNumbers, AreTheWholeText) {
  EXPECT_EQ(parse_number<int>("-12"), -12);
  EXPECT_EQ(parse_number<std::uint8_t>("255"), 255);
  EXPECT_EQ(parse_number<double>("2.5"), 2.5);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "-1", "256", "x"})
    EXPECT_FALSE(parse_number<std::uint8_t>(text)) << text;
}

TEST(ParsedNumbers, EndWhereTheirTextEnds) {
  EXPECT_EQ(parse_number<int>(std::string_view("1234").substr(0, 2)), 12);
  EXPECT_EQ(parse_number<std::uint64_t>(std::string_view("5678").substr(1, 2)), 67u);
}

TEST(HalfPrecision, IsReadAsTheStandardSays) {
  const std::pair<std::uint16_t, double> known[] = {
      {0x0000, 0},           {0x3C00, 1},       {0xC000, -2},          {0x7BFF, 65504},    {0xFBFF, -65504},
      {0x0400, 0x1p-14},     {0x0001, 0x1p-24}, {0x03FF, 0x1.ff8p-15}, {0x8001, -0x1p-24}, {0x3555, 0x1.554p-2},
      {0x3C01, 1 + 0x1p-10}, {0x7800, 0x1p15},  {0x7C00, HUGE_VAL},    {0xFC00, -HUGE_VAL}};
  for (const auto& [bits, value] : known) EXPECT_EQ(from_half(bits), value) << bits;
  EXPECT_TRUE(std::signbit(from_half(0x8000)));
  EXPECT_FALSE(std::signbit(from_half(0x0000)));
  for (const std::uint16_t bits : std::initializer_list<std::uint16_t>{0x7C01, 0x7FFF, 0xFC01, 0xFE00})
    EXPECT_TRUE(std::isnan(from_half(bits))) << bits;
}

TEST(Digests, AreThePublishedOnes) {
  const std::string text = "abc";
  EXPECT_EQ(hexadecimal(sha256(std::as_bytes(std::span(text)))),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexadecimal(sha256({})), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  const auto bytes = std::as_bytes(std::span(text));
  EXPECT_EQ(Sha256().update(bytes.first(1)).update({}).update(bytes.subspan(1)).finish(), sha256(bytes));
}

TEST(KernelChoice, IsByInstructionSet) {
  const int portable = 1, avx2 = 2, avx512 = 3;
  EXPECT_EQ(&kernels_of(Isa::portable, portable, avx2, avx512), &portable);
  EXPECT_EQ(&kernels_of(Isa::avx2, portable, avx2, avx512), &avx2);
  EXPECT_EQ(&kernels_of(Isa::avx512ifma, portable, avx2, avx512), &avx512);
}

TEST(JsonBoundsOfText, AreReachedAndNotExceeded) {
  const auto why = [](const std::string& text, const JsonBounds& bounds) {
    return refusal([&] { json_from(text, "x", bounds); });
  };
  EXPECT_EQ(why("[1]  ", {.bytes = 5}), kNotRefused);
  EXPECT_EQ(why("[1]   ", {.bytes = 5}), "x: 6 bytes of JSON are more than the 5 that are read");
  EXPECT_EQ(why("[1, {\"a\": null}, \"b\", true, -1, 1.5]", {.values = 8}), kNotRefused);
  EXPECT_EQ(why("[1, {\"a\": null}, \"b\", true, -1, 1.5]", {.values = 7}), "x: more than 7 values");
  EXPECT_EQ(why("[{\"a\": []}, []]", {.depth = 3}), kNotRefused);
  EXPECT_EQ(why("[{\"a\": []}, []]", {.depth = 2}), "x: nested deeper than 2");
  EXPECT_EQ(why(std::string(32, '[') + std::string(32, ']'), {}), kNotRefused);
  EXPECT_EQ(why(std::string(33, '[') + std::string(33, ']'), {}), "x: nested deeper than 32");
  EXPECT_EQ(JsonBounds{}.bytes, 16777216u);
  EXPECT_EQ(JsonBounds{}.values, 1048576u);
}

TEST(JsonNumbers, AreWholeAndBelowTwoToThe63) {
  using Json = nlohmann::json;
  EXPECT_EQ(whole_number(Json(std::uint64_t{9223372036854775807u})), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(whole_number(Json(std::numeric_limits<std::int64_t>::min())), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(whole_number(Json(0)), 0);
  const auto why = [](const Json& value) { return refusal([&] { whole_number(value); }); };
  EXPECT_EQ(why(Json(std::uint64_t{9223372036854775808u})),
            "a whole number below 2^63 was expected, not 9223372036854775808");
  EXPECT_EQ(why(Json(1.5)), "a whole number below 2^63 was expected, not 1.5");
  EXPECT_EQ(why(Json(std::string(100, 'a'))),
            fmt::format("a whole number below 2^63 was expected, not \"{}", std::string(31, 'a')));
}

TEST(JsonFieldsOfAnObject, AreReadOnceEach) {
  const auto json = nlohmann::json::parse(R"({"n": 18446744073709551615, "t": "x", "l": [1], "m": -1, "o": {}})");
  JsonFields fields(json, "f");
  EXPECT_TRUE(fields.has("n"));
  EXPECT_FALSE(fields.has("z"));
  EXPECT_EQ(fields.number("n"), 18446744073709551615u);
  EXPECT_EQ(fields.text("t"), "x");
  EXPECT_EQ(fields.list("l").size(), 1u);
  EXPECT_EQ(refusal([&] { fields.require_no_others(); }), "f: it has fields that are not part of the format");
  fields.take("m");
  fields.take("o");
  EXPECT_NO_THROW(fields.require_no_others());
  JsonFields others(json, "f");
  EXPECT_EQ(refusal([&] { others.number("m"); }), "f: \"m\" is no whole number");
  EXPECT_EQ(refusal([&] { others.text("l"); }), "f: \"l\" is no text");
  EXPECT_EQ(refusal([&] { others.list("o"); }), "f: \"o\" is no list");
  EXPECT_EQ(refusal([&] { others.take("z"); }), "f: the field \"z\" is missing");
}

TEST(BytesOfNumbers, AreLittleEndianInTheirWidth) {
  ByteWriter out;
  out.u8(0xAB);
  out.u32(0x01020304);
  out.u64(0x0102030405060708);
  out.i64(-2);
  out.f64(1);
  out.text("hi");
  EXPECT_EQ(out.take(), (Octets{0xAB, 4,    3,    2, 1, 8, 7, 6, 5, 4,    3,    2, 1, 0xFE, 0xFF, 0xFF, 0xFF, 0xFF,
                                0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0, 0, 0xF0, 0x3F, 2, 0, 0,    0,    'h',  'i'}));
  const Octets two{0x34, 0x12};
  EXPECT_EQ(ByteReader(two, "x").u16(), 0x1234);
}

TEST(BytesOfNumbers, AreRefusedAtTheirPlace) {
  const Octets bytes{1, 2, 3, 4, 5, 6};
  ByteReader in(bytes, "f");
  EXPECT_EQ(in.left(), 6u);
  EXPECT_EQ(in.u32(), 0x04030201u);
  EXPECT_EQ(refusal([&] { in.u32(); }), "f: truncated, 2 more bytes expected (byte 4 of 6)");
  EXPECT_EQ(refusal([&] { in.expect_end(); }), "f: 2 bytes too many (byte 4 of 6)");
  EXPECT_EQ(in.take(2).size(), 2u);
  EXPECT_EQ(refusal([&] { in.expect_end(); }), kNotRefused);
  EXPECT_EQ(refusal([&] { in.take(1); }), "f: truncated, 1 more bytes expected (byte 6 of 6)");
  EXPECT_EQ((ByteReader(bytes, "f").array<std::array<std::uint8_t, 3>>()), (std::array<std::uint8_t, 3>{1, 2, 3}));
}

TEST(BytesOfNumbers, IntegersLieBetweenTheirBounds) {
  const auto why = [](std::int64_t value) {
    ByteWriter out;
    out.i64(value);
    const Octets bytes = out.take();
    return refusal([&] { ByteReader(bytes, "f").i64(-3, 5, "n"); });
  };
  for (const std::int64_t value : {-3, 0, 5}) EXPECT_EQ(why(value), kNotRefused) << value;
  EXPECT_EQ(why(-4), "f: n is -4, outside -3 to 5 (byte 8 of 8)");
  EXPECT_EQ(why(6), "f: n is 6, outside -3 to 5 (byte 8 of 8)");
}

TEST(BytesOfNumbers, TextsFitIntoTheirBoundAndTheirBytes) {
  const Octets bytes{3, 0, 0, 0, 'a', 'b', 'c'};
  EXPECT_EQ(ByteReader(bytes, "f").text(3), "abc");
  EXPECT_EQ(refusal([&] { ByteReader(bytes, "f").text(2); }), "f: a text of 3 bytes does not fit (byte 4 of 7)");
  EXPECT_EQ(refusal([&] { ByteReader(std::span(bytes).first(6), "f").text(3); }),
            "f: a text of 3 bytes does not fit (byte 4 of 6)");
  EXPECT_EQ(FieldReader::kLongestText, 4096u);
}

TEST(BytesOfNumbers, ListsHoldAsManyItemsAsFollow) {
  Octets bytes{2, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(ByteReader(bytes, "f").count(3), 2u);
  EXPECT_EQ(refusal([&] { ByteReader(bytes, "f").count(4); }),
            "f: 2 items are announced, more than follow (byte 8 of 14)");
  EXPECT_EQ(refusal([&] { ByteReader(bytes, "f").indices(); }),
            "f: 2 items are announced, more than follow (byte 8 of 14)");
  ByteWriter out;
  out.reals(std::vector{1.5, HUGE_VAL});
  bytes = out.take();
  EXPECT_EQ(refusal([&] { ByteReader(bytes, "f").reals(); }), "f: a number is not finite (byte 24 of 24)");
}

TEST(BytesOfNumbers, CompactIndicesAreTheShorterOfRunsAndNumbers) {
  const auto size = [](const std::vector<std::int64_t>& values) {
    ByteWriter out;
    out.compact_indices(values);
    const Octets bytes = out.take();
    EXPECT_EQ(ByteReader(bytes, "f").compact_indices(), values);
    return bytes.size() - 9;
  };
  EXPECT_EQ(size({}), 0u);
  EXPECT_EQ(size({0, 1, 2, 3, 4}), 20u);     // as long as a run: narrow
  EXPECT_EQ(size({0, 1, 2, 3, 4, 5}), 20u);  // one run, not 24
  EXPECT_EQ(size({-1, -2}), 16u);            // wide
  EXPECT_EQ(size({-1, -2, -3}), 20u);        // a run, not 24
  EXPECT_EQ(size({0xFFFFFFFF, 0}), 8u);
  EXPECT_EQ(size({0x100000000, 0}), 16u);
  EXPECT_EQ(size({0, -1}), 16u);
  EXPECT_EQ(size({7, 7, 7, 7, 7, 7, 9, 11, 13, 15, 17, 19}), 40u);
  ByteWriter out;
  out.compact_indices(std::vector<std::int64_t>{10, 13, 16, 19, 22, 25});
  EXPECT_EQ(out.take(),
            (Octets{2, 1, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0}));
  ByteWriter narrow;
  narrow.compact_indices(std::vector<std::int64_t>{258});
  EXPECT_EQ(narrow.take(), (Octets{1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 1, 0, 0}));
  ByteWriter wide;
  wide.compact_indices(std::vector<std::int64_t>{-2});
  EXPECT_EQ(wide.take(), (Octets{0, 1, 0, 0, 0, 0, 0, 0, 0, 0xFE, 255, 255, 255, 255, 255, 255, 255}));
}

/// Two runs that stand for so many numbers together.
Octets runs_for(std::uint32_t numbers) {
  ByteWriter out;
  out.u8(2);
  out.u64(2);
  for (const std::uint32_t length : {1u, numbers - 1}) {
    out.i64(0);
    out.i64(0);
    out.u32(length);
  }
  return out.take();
}

TEST(BytesOfNumbers, RunsTogetherStandFor256TimesTheInputAnd64Mebibytes) {
  // 49 bytes: 256 * 49 + 67108864 bytes are 8390176 numbers of eight bytes.
  ASSERT_EQ(runs_for(2).size(), 49u);
  const Octets most = runs_for(8390176), more = runs_for(8390177);
  EXPECT_EQ(ByteReader(most, "f").compact_indices().size(), 8390176u);
  EXPECT_EQ(refusal([&] { ByteReader(more, "f").compact_indices(); }),
            "f: its lists of indices are longer than an input of this size may hold (byte 49 of 49)");
}

TEST(BytesOfNumbers, CompactRealsSayHowWideTheyAre) {
  ByteWriter out;
  out.compact_reals(std::vector{0.5});
  EXPECT_EQ(out.take(), (Octets{4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x3F}));
  ByteWriter twice;
  twice.compact_reals(std::vector{0.5, 1e300});
  EXPECT_EQ(twice.take().size(), 25u);
  for (const std::uint8_t form : Octets{0, 3, 5, 7, 9}) {
    const Octets bytes{form, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(refusal([&] { ByteReader(bytes, "f").compact_reals(); }),
              "f: a list of numbers has an unknown form (byte 1 of 9)");
  }
  for (const std::uint8_t form : Octets{3, 4, 255}) {
    const Octets bytes{form, 0, 0, 0, 0, 0, 0, 0, 0};
    EXPECT_EQ(refusal([&] { ByteReader(bytes, "f").compact_indices(); }),
              "f: a list of indices has an unknown form (byte 1 of 9)");
  }
}

TEST(BytesOfFields, BoundsAreTakenAndWhatIsBeyondIsNot) {
  enum class Size : std::uint8_t { small, medium, large };
  const auto choice = [](std::uint8_t number) {
    const Octets bytes{number};
    FieldReader in{{bytes, "f"}};
    Size size{};
    const std::string why = refusal([&] { in.choice(size, Size::large, "no size"); });
    return why == kNotRefused ? fmt::format("{}", static_cast<int>(size)) : why;
  };
  EXPECT_EQ(choice(0), "0");
  EXPECT_EQ(choice(2), "2");
  EXPECT_EQ(choice(3), "f: no size (byte 1 of 1)");

  const auto places = [](const std::vector<std::int64_t>& values) {
    ByteWriter out;
    out.compact_indices(values);
    const Octets bytes = out.take();
    FieldReader in{{bytes, "f"}};
    std::vector<std::uint32_t> read;
    return refusal([&] { in.compact_indices(read, 3, "no place"); }).substr(0, 11);
  };
  EXPECT_EQ(places({0, 2}), std::string(kNotRefused).substr(0, 11));
  EXPECT_EQ(places({0, 3}), "f: no place");
  EXPECT_EQ(places({-1, 2}), "f: no place");

  for (const std::uint8_t number : Octets{0, 1, 2, 255}) {
    const Octets bytes{number, number};
    FieldReader in{{bytes, "f"}};
    bool flag = number == 0;
    std::optional<int> value;
    in.flag(flag);
    in.optional(value, [](int& held) { held = 7; });
    EXPECT_EQ(flag, number != 0);
    EXPECT_EQ(value.has_value(), number != 0);
  }
  FieldWriter out;
  out.flag(true);
  out.flag(false);
  out.optional(std::optional<int>(), [](int) {});
  out.text(std::string(4096, 'a'));
  const Octets bytes = out.to.take();
  EXPECT_EQ(bytes[0], 1);
  EXPECT_EQ(bytes[1], 0);
  EXPECT_EQ(bytes[2], 0);
  FieldReader in{{std::span(bytes).subspan(3), "f"}};
  std::string text;
  EXPECT_NO_THROW(in.text(text));
  EXPECT_EQ(text.size(), 4096u);
}

TEST(BytesOfFields, AlternativesAreAsManyAsTheirVariantHas) {
  const auto read = [](std::uint8_t number) {
    const Octets bytes{number};
    FieldReader in{{bytes, "f"}};
    std::variant<int, double> value;
    const std::string why = refusal([&] { in.alternative(value, 3, "no shape", [](auto&) {}); });
    return why == kNotRefused ? fmt::format("{}", value.index()) : why;
  };
  EXPECT_EQ(read(2), "f: no shape (byte 1 of 1)");
  EXPECT_EQ(read(3), "0");
  EXPECT_EQ(read(4), "1");
  EXPECT_EQ(read(5), "f: no shape (byte 1 of 1)");
}

}  // namespace
}  // namespace tacit::base
