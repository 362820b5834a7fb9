#include "base/byte_size.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace tacit::base {
namespace {

TEST(ByteSize, ReadsDecimalAndBinaryUnits) {
  EXPECT_EQ(parse_byte_size("4096"), 4096u);
  EXPECT_EQ(parse_byte_size("16GiB"), 16ull << 30);
  EXPECT_EQ(parse_byte_size("500MB"), 500'000'000u);
  EXPECT_EQ(parse_byte_size("1.5 kib"), 1536u);
  EXPECT_EQ(parse_byte_size("2T"), 2'000'000'000'000u);
  EXPECT_EQ(parse_byte_size("7b"), 7u);
}

TEST(ByteSize, EndsWhereItsTextEnds) {
  EXPECT_EQ(parse_byte_size(std::string_view("4096GiB").substr(0, 2)), 40u);
  EXPECT_EQ(parse_byte_size(std::string_view("12kiB").substr(0, 3)), 12000u);
}

TEST(ByteSize, RefusesWhatIsNotASize) {
  for (const char* text : {"", "GiB", "-1GiB", "16GiBs", "0", "nan", "inf", "1e30", "16 potatoes", "99999999TiB"})
    EXPECT_THROW(parse_byte_size(text), base::InputError) << text;
}

TEST(ByteSize, IsWrittenForPeople) {
  EXPECT_EQ(byte_size_text(12), "12 B");
  EXPECT_EQ(byte_size_text(1536), "1.5 KiB");
  EXPECT_EQ(byte_size_text(350.0 * 1024 * 1024), "350 MiB");
  EXPECT_EQ(byte_size_text(3.25 * 1024 * 1024 * 1024), "3.2 GiB");
}

}  // namespace
}  // namespace tacit::base
