#include "session/owner/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::session {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string npy_bytes(const std::string& dict, const std::string& data, int version = 1) {
  std::string out("\x93NUMPY", 6);
  out += static_cast<char>(version);
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(dict.size() >> (8 * i) & 0xFF);
  return out + dict + data;
}

template <class T>
std::string raw(std::initializer_list<T> values) {
  std::string out(values.size() * sizeof(T), '\0');
  std::memcpy(out.data(), values.begin(), out.size());
  return out;
}

std::string refusal(const std::string& bytes) {
  return base::refusal([&] { parse_npy(bytes, "x.npy").values(); });
}

TEST(Npy, ReadsEveryTypeInBothVersions) {
  const auto read = [](const std::string& descr, const std::string& data, int version) {
    return parse_npy(
               npy_bytes("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (3,), }  \n", data, version), "x")
        .values();
  };
  for (const int version : {1, 2}) {
    EXPECT_THAT(read("|u1", raw<std::uint8_t>({0, 7, 255}), version), ElementsAre(0, 7, 255));
    EXPECT_THAT(read("<u2", raw<std::uint16_t>({0, 7, 65535}), version), ElementsAre(0, 7, 65535));
    EXPECT_THAT(read("<u4", raw<std::uint32_t>({0, 7, 4294967295u}), version), ElementsAre(0, 7, 4294967295.0));
    EXPECT_THAT(read("|i1", raw<std::int8_t>({-128, 7, 127}), version), ElementsAre(-128, 7, 127));
    EXPECT_THAT(read("<i2", raw<std::int16_t>({-5, 7, 9}), version), ElementsAre(-5, 7, 9));
    EXPECT_THAT(read("<i4", raw<std::int32_t>({-5, 7, 9}), version), ElementsAre(-5, 7, 9));
    EXPECT_THAT(read("<i8", raw<std::int64_t>({-5, 7, 1ll << 53}), version), ElementsAre(-5, 7, 0x1p53));
    EXPECT_THAT(read("<f4", raw<float>({-0.5f, 7, 9}), version), ElementsAre(-0.5, 7, 9));
    EXPECT_THAT(read("<f8", raw<double>({-0.5, 0.1, 9}), version), ElementsAre(-0.5, 0.1, 9));
  }
}

TEST(Npy, RowsAreCountedFromTheLeadingDimension) {
  const NpyArray array =
      parse_npy(npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", "\1\2\3\4\5\6"), "x");
  EXPECT_EQ(array.rows(), 2);
  EXPECT_THAT(array.row_shape(), ElementsAre(3));
  EXPECT_THAT(array.row(1), ElementsAre(4, 5, 6));
  EXPECT_THROW(array.row(2), base::InputError);
  EXPECT_THROW(array.row(-1), base::InputError);
  const NpyArray number = parse_npy(npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "\1"), "x");
  EXPECT_THAT(number.values(), ElementsAre(1));
  EXPECT_THROW(number.rows(), base::InputError);
}

TEST(Npy, RefusesWhatItCannotRead) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  EXPECT_EQ(refusal(npy_bytes(good, std::string(4, '\0'))), base::kNotRefused);
  EXPECT_THAT(refusal(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(refusal("hello, world"), HasSubstr("not a .npy file"));
  EXPECT_THAT(refusal(npy_bytes(good, std::string(3, '\0'))), HasSubstr("truncated"));
  EXPECT_THAT(refusal(npy_bytes(good, std::string(5, '\0'))), HasSubstr("bytes after"));
  EXPECT_THAT(refusal(npy_bytes(good, "").substr(0, 9)), HasSubstr("truncated"));
  EXPECT_THAT(refusal(npy_bytes(good, "").substr(0, 30)), HasSubstr("truncated"));
  EXPECT_THAT(refusal(npy_bytes(good, "", 3)), HasSubstr("version 3"));
  const auto with = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return npy_bytes("{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + "}", "");
  };
  EXPECT_THAT(refusal(with("'<f4'", "True", "(0,)")), HasSubstr("Fortran order"));
  EXPECT_THAT(refusal(with("'>f4'", "False", "(0,)")), HasSubstr("big-endian"));
  EXPECT_THAT(refusal(with("'<c8'", "False", "(0,)")), HasSubstr("'<c8'"));
  EXPECT_THAT(refusal(with("[('a', '<f4')]", "False", "(0,)")), HasSubstr("records"));
  EXPECT_THAT(refusal(with("'<f4'", "Maybe", "(0,)")), HasSubstr("malformed"));
  EXPECT_THAT(refusal(with("'<f4'", "False", "(-1,)")), HasSubstr("not a number"));
  EXPECT_THAT(refusal(with("'<f4'", "False", "(99999999999999999999,)")), HasSubstr("overflows"));
  EXPECT_THAT(refusal(with("'<f4'", "False", "(4294967296,4294967296)")), HasSubstr("overflows"));
  EXPECT_THAT(refusal(with("'<f4'", "False", "(4611686018427387,)")), HasSubstr("truncated"));
  EXPECT_THAT(refusal(npy_bytes("{'descr': '<f4', 'descr': '<f4'}", "")), HasSubstr("repeated"));
  EXPECT_THAT(refusal(npy_bytes("{'descr': '<f4'}", "")), HasSubstr("missing"));
  EXPECT_THAT(refusal(npy_bytes("{'descr': '<f4", "")), HasSubstr("malformed"));
  EXPECT_THAT(refusal(npy_bytes(good + "junk", std::string(4, '\0'))), HasSubstr("malformed"));
}

TEST(Npy, NamesTheIndexOfAValueThatIsNotFinite) {
  const auto with = [](double value) {
    return npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", raw<double>({0, 0, value, 0}));
  };
  EXPECT_THAT(refusal(with(std::nan(""))), HasSubstr("NaN at [1, 0]"));
  EXPECT_THAT(refusal(with(std::numeric_limits<double>::infinity())), HasSubstr("infinity at [1, 0]"));
  EXPECT_THAT(refusal(npy_bytes("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}",
                                raw<std::int64_t>({(1ll << 54) + 1}))),
              HasSubstr("2^53"));
}

TEST(Npy, WhatIsWrittenIsReadBack) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "x.npy";
  const std::vector<double> values{1.5, -2.25, 1e-300, 4, 5, 6};
  write_npy(path, {2, 3}, std::span<const double>(values));
  const NpyArray back = read_npy(path);
  EXPECT_THAT(back.shape(), ElementsAre(2, 3));
  EXPECT_EQ(back.values(), values);
  EXPECT_THAT(read_npy_form(path).shape, ElementsAre(2, 3));
  EXPECT_EQ(read_npy_form(path).type, ElementType::float64);
  write_npy(path, {3}, std::span<const std::uint8_t>(std::vector<std::uint8_t>{1, 2, 250}));
  EXPECT_THAT(read_npy(path).values(), ElementsAre(1, 2, 250));
  EXPECT_EQ(std::filesystem::file_size(path), 64u * 2 + 3);
  std::filesystem::resize_file(path, 64 * 2 + 2);
  EXPECT_THROW(read_npy(path), base::InputError);
  EXPECT_THROW(read_npy_form(path), base::InputError) << "whose elements are not all there";
  EXPECT_THROW(read_npy(folder.path()), base::InputError);
  EXPECT_THROW(write_npy(folder.path() / "none/x.npy", {3}, std::span<const double>(values)), base::InputError);
}

TEST(Npy, EveryKeyOfTheHeaderIsNeeded) {
  for (const char* dict : {"{'fortran_order': False, 'shape': (0,)}", "{'descr': '<f4', 'shape': (0,)}",
                           "{'descr': '<f4', 'fortran_order': False}", "{}"})
    EXPECT_THAT(refusal(npy_bytes(dict, "")), HasSubstr("descr, fortran_order or shape is missing")) << dict;
  EXPECT_EQ(refusal(npy_bytes("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "")), base::kNotRefused);
}

TEST(Npy, HeadersOf64KiBAreRead) {
  std::string dict = "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}";
  dict.resize(std::size_t{1} << 16, ' ');
  EXPECT_THAT(parse_npy(npy_bytes(dict, "\5\6", 2), "x").values(), ElementsAre(5, 6));
  EXPECT_THAT(refusal(npy_bytes(dict + ' ', "\5\6", 2)), HasSubstr("a header of 65537 bytes; at most 65536 are read"));
  // The highest of the four bytes of its length counts, too.
  EXPECT_THAT(refusal(std::string("\x93NUMPY\x02\x00\x00\x00\x00\x01", 12)), HasSubstr("a header of 16777216 bytes"));
  // What ends before that length is known, or within the header.
  EXPECT_THAT(refusal(std::string("\x93NUMPY\x02\x00\x00\x00\x00", 11)), HasSubstr("truncated in its header"));
  EXPECT_THAT(refusal(std::string("\x93NUMPY\x01\x00\x01\x00", 10)), HasSubstr("truncated in its header"));
  EXPECT_THAT(refusal(std::string("\x93NUMPY\x01\x00\x00\x00", 10)), HasSubstr("malformed")) << "an empty header";
}

TEST(Npy, HeadersOfManyDimensionsAreReadBack) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "x.npy";
  std::vector<std::int64_t> shape(32, 1'000'000'000);  // too long for a byte of the header's length
  shape[0] = 0;
  write_npy(path, shape, std::span<const double>());
  const NpyArray back = read_npy(path);
  EXPECT_EQ(back.shape(), shape);
  EXPECT_EQ(back.rows(), 0);
  EXPECT_EQ(std::filesystem::file_size(path) % 64, 0u);
  EXPECT_GT(std::filesystem::file_size(path), 256u);
}

TEST(Npy, KeysOfTheHeaderStandInAnyOrderAndOnce) {
  for (const char* dict : {"{'shape': (2,), 'fortran_order': False, 'descr': '|u1'}",
                           "{'fortran_order': False, 'descr': '|u1', 'shape': (2,)}",
                           "{\"descr\":\"|u1\",\"fortran_order\":False,\"shape\":(2)}",
                           " { 'descr' : '|u1' , 'fortran_order' : False , 'shape' : ( 2 , ) , } \n \n"})
    EXPECT_THAT(parse_npy(npy_bytes(dict, "\5\6"), "x").values(), ElementsAre(5, 6)) << dict;
  const std::string unknown = "x.npy has a malformed header (unknown or repeated key)",
                    malformed = "x.npy has a malformed header";
  for (const char* dict : {"{'more': 1, 'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'more': 1}",
                           "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': '|u1', 'fortran_order': False, 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}"})
    EXPECT_EQ(refusal(npy_bytes(dict, "\5\6")), unknown) << dict;
  for (const char* dict : {"'descr': '|u1', 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)",
                           "{'descr': '|u1' 'fortran_order': False, 'shape': (2,)}",
                           "{'descr' '|u1', 'fortran_order': False, 'shape': (2,)}",
                           "{'descr: '|u1', 'fortran_order': False, 'shape': (2,)}",
                           "{descr: '|u1', 'fortran_order': False, 'shape': (2,)}",
                           "{'descr': '|u1', 'fortran_order': false, 'shape': (2,)}",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (2 3)}",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': 2}",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}x",
                           "{'descr': '|u1', 'fortran_order': False, 'shape': (2,)}\t"})
    EXPECT_EQ(refusal(npy_bytes(dict, "\5\6")), malformed) << dict;
}

// The largest extents and products of extents that are numbers of 63 bits, and those beside them.
TEST(Npy, ShapesOverflowBehind63Bits) {
  const auto of = [](const std::string& shape) {
    return refusal(npy_bytes("{'descr': '|u1', 'fortran_order': False, 'shape': " + shape + "}", ""));
  };
  const std::string overflows = "x.npy has a malformed header (its shape overflows)";
  EXPECT_EQ(of("(9223372036854775799,)"),
            "x.npy is truncated: its header promises 9223372036854775799 bytes of data for shape "
            "[9223372036854775799] and 0 are there");
  EXPECT_EQ(of("(9223372036854775800,)"), overflows);
  EXPECT_EQ(of("(4611686018427387903, 2)"),
            "x.npy is truncated: its header promises 9223372036854775806 bytes of data for shape "
            "[4611686018427387903, 2] and 0 are there");
  EXPECT_EQ(of("(4611686018427387904, 2)"), overflows);
  EXPECT_EQ(of("(4611686018427387904, 2, 0)"), base::kNotRefused) << "of no elements";
  const std::string number = "x.npy has a malformed header (a dimension is not a number)";
  for (const char* shape : {"(-1,)", "(x,)", "(:,)", "(/,)", "(,)"}) EXPECT_EQ(of(shape), number) << shape;
}

TEST(Npy, RefusalsStateWhatIsThere) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3)}";
  EXPECT_EQ(refusal(npy_bytes(good, std::string(23, '\0'))),
            "x.npy is truncated: its header promises 24 bytes of data for shape [2, 3] and 23 are there");
  EXPECT_EQ(refusal(npy_bytes(good, std::string(25, '\0'))),
            "x.npy has bytes after its data: its header promises 24 bytes of data for shape [2, 3] and 25 are there");
  EXPECT_EQ(refusal(npy_bytes(good, "", 3)),
            "x.npy is a .npy file of version 3; versions 1 and 2 are read; save plain numbers with numpy.save");
  EXPECT_EQ(refusal(npy_bytes(good, "", 0)),
            "x.npy is a .npy file of version 0; versions 1 and 2 are read; save plain numbers with numpy.save");
  EXPECT_EQ(refusal(npy_bytes("{'descr': '', 'fortran_order': False, 'shape': ()}", "")),
            "x.npy holds elements of type ''; bool, uint8 to uint32, int8 to int64, float16 to float64 and <U are "
            "read: save it with astype('float32')");
  EXPECT_EQ(refusal(npy_bytes("{'descr': '>f8', 'fortran_order': False, 'shape': ()}", "")),
            "x.npy is big-endian; save it with astype('<f4')");
  const NpyArray array = parse_npy(npy_bytes(good, std::string(24, '\0')), "x.npy");
  const auto row = [&](std::int64_t index) { return base::refusal([&] { array.row(index); }); };
  EXPECT_EQ(row(-1), "x.npy has 2 rows; row -1 was asked for");
  EXPECT_EQ(row(0), base::kNotRefused);
  EXPECT_EQ(row(1), base::kNotRefused);
  EXPECT_EQ(row(2), "x.npy has 2 rows; row 2 was asked for");
}

TEST(Npy, APlaceIsNamedInEveryDimension) {
  std::vector<double> values(24, 1);
  values[17] = std::nan("");  // 1 * 12 + 1 * 4 + 1
  std::string data(values.size() * sizeof(double), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  EXPECT_EQ(refusal(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4)}", data)),
            "x.npy holds NaN at [1, 1, 1]; every value must be finite");
  values[17] = 0x1p1000;  // reals may be larger than what an integer may be
  std::memcpy(data.data(), values.data(), data.size());
  EXPECT_EQ(refusal(npy_bytes("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 4)}", data)),
            base::kNotRefused);
}

/// Headers of 64 lengths in a row.
TEST(Npy, HeadersArePaddedByLessThan64Bytes) {
  const base::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "x.npy";
  std::vector<std::int64_t> shape{0, 1};
  for (int dimensions = 0; dimensions < 22; ++dimensions) {
    for (const std::int64_t extent : {1, 10, 100}) {  // ", " and a digit more are the next dimension
      shape.back() = extent;
      write_npy(path, shape, std::span<const double>());
      EXPECT_EQ(read_npy(path).shape(), shape);
      std::ifstream file(path, std::ios::binary);
      const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
      EXPECT_EQ(text.size() % 64, 0u) << text.size();
      EXPECT_LE(text.size(), text.rfind('}') + 1 + 63 + 1) << text.size();
      EXPECT_EQ(text.back(), '\n');
    }
    shape.back() = 1;
    shape.push_back(1);
  }
}

TEST(Npy, PlacesBehindTheFirstRowAreCountedOn) {
  const std::string dict = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}";
  const auto row = [&](const std::string& data) {
    return base::refusal([&] { parse_npy(npy_bytes(dict, data), "x.npy").row(1); });
  };
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_THAT(row(raw<double>({0, 0, 0, infinite})), HasSubstr("infinity at [1, 1]"));
  const std::string integers = "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 2)}";
  EXPECT_THAT(base::refusal([&] {
                parse_npy(npy_bytes(integers, raw<std::int64_t>({0, 0, 0, (1ll << 53) + 2})), "x.npy").row(1);
              }),
              HasSubstr("an integer beyond 2^53 at [1, 1]"));
}

}  // namespace
}  // namespace tacit::session
