#include "base/byte_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace tacit::base {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

enum class Colour : std::uint8_t { red, green };

struct Circle {
  double radius = 0;
};
struct Label {
  std::string text;
};

struct Drawing {
  Colour colour = Colour::red;
  int width = 1;
  bool framed = false;
  std::uint32_t number = 0;
  double left = 0, right = 0;
  std::optional<double> tilt{};
  std::vector<std::variant<Circle, Label>> shapes{};
  std::vector<std::int64_t> marks{}, dense_marks{};
  std::vector<double> weights{}, dense_weights{};
  std::vector<std::uint32_t> shape_of{};
  std::int64_t byte = 0;
};

constexpr std::uint32_t kFormat = 0x44524101;

template <class Fields>
void fields(Fields& f, Of<Fields, Circle>& circle) {
  f.real(circle.radius);
}

template <class Fields>
void fields(Fields& f, Of<Fields, Label>& label) {
  f.text(label.text);
}

template <class Fields>
void fields(Fields& f, Of<Fields, Drawing>& drawing) {
  f.format(kFormat, "no drawing");
  f.choice(drawing.colour, Colour::green, "an unknown colour");
  f.integer(drawing.width, 1, 9, "the width");
  f.flag(drawing.framed);
  f.u32(drawing.number);
  f.real(drawing.left, drawing.right);
  f.require(drawing.left <= drawing.right, "left of left");
  f.optional(drawing.tilt, [&](auto& tilt) { f.real(tilt); });
  f.list(drawing.shapes, 5,
         [&](auto& shape) { f.alternative(shape, 3, "an unknown shape", [&](auto& one) { fields(f, one); }); });
  f.indices(drawing.marks);
  f.compact_indices(drawing.dense_marks);
  f.reals(drawing.weights);
  f.compact_reals(drawing.dense_weights);
  f.compact_indices(drawing.shape_of, drawing.shapes.size(), "no such shape");
  f.by(
      drawing.byte, [](ByteWriter& to, std::int64_t byte) { to.u8(static_cast<std::uint8_t>(byte)); },
      [](ByteReader& from) { return std::int64_t{from.u8()}; });
}

Drawing drawing() {
  return {Colour::green,           7,       true,   90,       -1,    2,      0.25,
          {Circle{3}, Label{"a"}}, {5, -6}, {1, 2}, {0.1, 2}, {0.5}, {1, 0}, 200};
}

std::vector<std::uint8_t> drawing_bytes(const Drawing& drawing) {
  FieldWriter out;
  fields(out, drawing);
  return out.to.take();
}

Drawing drawing_from(const std::vector<std::uint8_t>& bytes) {
  FieldReader in{{bytes, "drawing"}};
  Drawing drawing;
  fields(in, drawing);
  in.from.expect_end();
  return drawing;
}

TEST(ByteFields, WhatIsWrittenIsRead) {
  const Drawing read = drawing_from(drawing_bytes(drawing()));
  EXPECT_EQ(read.colour, Colour::green);
  EXPECT_EQ(read.width, 7);
  EXPECT_TRUE(read.framed);
  EXPECT_EQ(read.number, 90U);
  EXPECT_EQ(read.left, -1);
  EXPECT_EQ(read.right, 2);
  EXPECT_EQ(read.tilt, 0.25);
  ASSERT_EQ(read.shapes.size(), 2U);
  EXPECT_EQ(std::get<Circle>(read.shapes[0]).radius, 3);
  EXPECT_EQ(std::get<Label>(read.shapes[1]).text, "a");
  EXPECT_EQ(read.marks, drawing().marks);
  EXPECT_EQ(read.dense_marks, drawing().dense_marks);
  EXPECT_EQ(read.weights, drawing().weights);
  EXPECT_EQ(read.dense_weights, drawing().dense_weights);
  EXPECT_EQ(read.shape_of, drawing().shape_of);
  EXPECT_EQ(read.byte, 200);
  EXPECT_EQ(drawing_from(drawing_bytes(Drawing{})).tilt, std::nullopt);
}

TEST(ByteFields, EveryFieldHasItsWidth) {
  ByteWriter out;
  out.u32(kFormat);
  out.u8(1);
  out.i64(7);
  out.u8(1);
  out.u32(90);
  for (const double real : {-1.0, 2.0}) out.f64(real);
  out.u8(1);
  out.f64(0.25);
  out.u64(2);
  out.u8(3);
  out.f64(3);
  out.u8(4);
  out.text("a");
  out.indices(drawing().marks);
  out.compact_indices(drawing().dense_marks);
  out.reals(drawing().weights);
  out.compact_reals(drawing().dense_weights);
  out.compact_indices(std::vector<std::int64_t>{1, 0});
  out.u8(200);
  EXPECT_EQ(drawing_bytes(drawing()), out.take());
}

TEST(ByteFields, WhatIsOutOfBoundsIsRefused) {
  const auto refuses = [](const auto& change, const char* why) {
    std::vector<std::uint8_t> bytes = drawing_bytes(drawing());
    change(bytes);
    EXPECT_THAT([&] { drawing_from(bytes); }, ThrowsMessage<InputError>(HasSubstr(why)));
  };
  refuses([](auto& bytes) { bytes[0] = 2; }, "drawing: no drawing (byte 4");
  refuses([](auto& bytes) { bytes[4] = 2; }, "an unknown colour");
  refuses([](auto& bytes) { bytes[5] = 10; }, "the width is 10, outside 1 to 9");
  refuses([](auto& bytes) { bytes[25] = 0x40; }, "left of left");
  refuses([](auto& bytes) { std::fill_n(bytes.begin() + 32, 2, std::uint8_t{0xFF}); }, "a number is not finite");
  refuses([](auto& bytes) { bytes[43 + 7] = 1; }, "items are announced, more than follow");
  for (const std::uint8_t kind : {std::uint8_t{0}, std::uint8_t{2}, std::uint8_t{5}, std::uint8_t{255}})
    refuses([&](auto& bytes) { bytes[51] = kind; }, "an unknown shape");
  refuses([](auto& bytes) { bytes.resize(bytes.size() - 1); }, "truncated");
  refuses([](auto& bytes) { bytes.push_back(0); }, "1 bytes too many");
  Drawing beyond = drawing();
  beyond.shape_of = {2};
  EXPECT_THAT([&] { drawing_from(drawing_bytes(beyond)); }, ThrowsMessage<InputError>(HasSubstr("no such shape")));
  beyond = drawing();
  beyond.shapes[1] = Label{std::string(FieldReader::kLongestText + 1, 'a')};
  EXPECT_THAT([&] { drawing_from(drawing_bytes(beyond)); }, ThrowsMessage<InputError>(HasSubstr("does not fit")));
}

}  // namespace
}  // namespace tacit::base
