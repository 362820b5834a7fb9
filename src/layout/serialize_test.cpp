#include "layout/serialize.h"

#include <gtest/gtest.h>

#include <string>

#include "base/refusal_for_test.h"
#include "layout/operator_writer.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/row_band.h"

// What bytes may claim. That operators come back as they were is tested with each of them (operators/).
namespace tacit::layout {
namespace {

using base::refusal;
using ::testing::HasSubstr;

std::vector<std::uint8_t> bytes_of(const LinearOperator& op) {
  ByteWriter writer;
  write_operator(writer, op);
  return writer.take();
}

LinearOperatorPtr operator_of(const std::vector<std::uint8_t>& bytes) {
  ByteReader reader(bytes, "operator");
  LinearOperatorPtr op = read_operator(reader);
  reader.expect_end();
  return op;
}

std::string refused(ByteWriter& writer) {
  const auto bytes = writer.take();
  return refusal([&] { operator_of(bytes); });
}

TEST(LayoutSerialize, ShapesAreBounded) {
  const auto read = [](const Shape& shape) {
    ByteWriter writer;
    write_shape(writer, shape);
    const auto bytes = writer.take();
    ByteReader reader(bytes, "shape");
    return read_shape(reader);
  };
  const Index half = Index{1} << 14;
  for (const Shape& shape : {Shape{}, Shape{3, 1, 2}, Shape(kMaxRank, 1), Shape{kMaxReadElements}, Shape{half, half}})
    EXPECT_EQ(read(shape), shape);
  EXPECT_THAT(refusal([&] { read(Shape(kMaxRank + 1, 1)); }), HasSubstr("a tensor has 33 dimensions, more than 32"));
  EXPECT_THAT(refusal([&] { read({2, 0}); }), HasSubstr("a dimension has extent 0"));
  EXPECT_THAT(refusal([&] { read({kMaxReadElements + 1}); }), HasSubstr("a dimension has extent 268435457"));
  EXPECT_THAT(refusal([&] {
                read({half, half + 1});
              }),
              HasSubstr("a tensor has 268451840 elements, more than 268435456"));
}

TEST(LayoutSerialize, LayoutsTravelWithTheirAxesAndFills) {
  const Layout layout({5, 3}, {{kReplica, 2, 1, "copies"}, {0, 3, 2, "rows"}},
                      {{kReplica, 2, 1, ""}, {0, 2, 1, ""}, {1, 4, 1, ""}}, {Fill::zero, Fill::unknown});
  ByteWriter writer;
  write_layout(writer, layout);
  const auto bytes = writer.take();
  ByteReader reader(bytes, "layout");
  EXPECT_EQ(read_layout(reader), layout);
  reader.expect_end();
}

TEST(LayoutSerialize, DigitsOfOnePositionTravelAndFillsAreABit) {
  const Layout layout({4, 3}, {}, {{0, 1, 1, ""}, {0, 4, 1, ""}, {1, 4, 1, ""}}, {Fill::zero, Fill::unknown});
  ByteWriter writer;
  write_layout(writer, layout);
  const std::vector<std::uint8_t> bytes = writer.take();
  EXPECT_EQ(bytes[bytes.size() - 2], 0);
  EXPECT_EQ(bytes.back(), 1);
  ByteReader reader(bytes, "layout");
  EXPECT_EQ(read_layout(reader), layout);
}

// Two rows of four, each longer than the map is high.
TEST(LayoutSerialize, BandsOfWideMapsTravel) {
  const Shape map{1, 1, 4, 8};
  const RowBand band(std::make_shared<Identity>(map), {.in = map, .out = map, .begin = 1, .rows = 2});
  const LinearOperatorPtr read = operator_of(bytes_of(band));
  EXPECT_EQ(read->in_shape(), (Shape{1, 1, 2, 8}));
  RowEntries entries;
  read->append_row(8 + 3, entries);
  EXPECT_EQ(entries.columns, std::vector<Index>{3});
  EXPECT_EQ(entries.weights, std::vector<double>{1});
}

TEST(LayoutSerialize, DigitsAreBounded) {
  const auto read = [](const Digit& digit) {
    ByteWriter writer;
    write_shape(writer, {4});
    writer.u64(0);
    writer.u64(1);
    writer.i64(digit.dim);
    writer.i64(digit.extent);
    writer.i64(digit.stride);
    writer.text(digit.axis);
    writer.u8(0);
    const auto bytes = writer.take();
    ByteReader reader(bytes, "layout");
    return read_layout(reader);
  };
  EXPECT_EQ(read({0, 4, 1, ""}), Layout::parse("[4] across() within(d0:4/1) junk()"));
  EXPECT_EQ(read({0, 4, 1, std::string(64, 'a')}).within()[0].axis, std::string(64, 'a'));
  EXPECT_THAT(refusal([&] { read({0, 4, 1, std::string(65, 'a')}); }), HasSubstr("layout: "));
  EXPECT_THAT(refusal([&] { read({-2, 4, 1, ""}); }), HasSubstr("the dimension of a digit"));
  EXPECT_THAT(refusal([&] {
                read({static_cast<int>(kMaxRank) + 1, 4, 1, ""});
              }),
              HasSubstr("the dimension of a digit"));
  EXPECT_THAT(refusal([&] { read({1, 4, 1, ""}); }), HasSubstr("does not fit a tensor of rank 1"));
  for (const Index wrong : {Index{0}, kMaxReadElements + 1}) {
    EXPECT_THAT(refusal([&] { read({0, wrong, 1, ""}); }), HasSubstr("the extent of a digit"));
    EXPECT_THAT(refusal([&] { read({0, 4, wrong, ""}); }), HasSubstr("the stride of a digit"));
  }
}

TEST(LayoutSerialize, LayoutsHoldNoMoreCiphertextsThanElementsNorMoreSlotsThanATensor) {
  const auto read = [](const Layout& layout) {
    ByteWriter writer;
    write_layout(writer, layout);
    const auto bytes = writer.take();
    ByteReader reader(bytes, "layout");
    return read_layout(reader);
  };
  const auto spread = [](Index elements, Index ciphertexts, Index slots) {
    return Layout({elements}, {{0, ciphertexts, 1, ""}}, {{kReplica, slots, 1, ""}}, {});
  };
  const Index most = kMaxReadElements / kMaxSlots;
  for (const Layout& layout : {spread(4, 4, 2), spread(most, most, kMaxSlots)}) EXPECT_EQ(read(layout), layout);
  EXPECT_THAT(refusal([&] { read(spread(4, 5, 2)); }),
              HasSubstr("a layout spreads 4 elements over 5 ciphertexts of 2 slots"));
  EXPECT_THAT(refusal([&] { read(spread(most + 1, most + 1, kMaxSlots)); }),
              HasSubstr("a layout spreads 4097 elements over 4097 ciphertexts of 65536 slots"));
}

// A repeated operator costs a file nothing, whatever the tensors that it claims.
TEST(LayoutSerialize, RepetitionsMakeTensorsOfBoundedSizes) {
  const auto repeated_often = [](const LinearOperatorPtr& op, Index times) {
    return operator_of(bytes_of(Repeated(op, times)));
  };
  const Index half = Index{1} << 14;
  const LinearOperatorPtr one = std::make_shared<Identity>(Shape{1}), row = std::make_shared<Identity>(Shape{half}),
                          wider = std::make_shared<Gather>(Shape{1}, Shape{2}, std::vector<Index>{0, 0}),
                          narrower = std::make_shared<Reduction>(Reduction({2}, {1}, std::vector<Index>{0}, 1.0));
  EXPECT_EQ(element_count(repeated_often(one, kMaxReadElements)->in_shape()), kMaxReadElements);
  EXPECT_EQ(element_count(repeated_often(row, half)->in_shape()), kMaxReadElements);
  EXPECT_EQ(element_count(repeated_often(wider, kMaxReadElements / 2)->out_shape()), kMaxReadElements);
  EXPECT_EQ(element_count(repeated_often(narrower, kMaxReadElements / 2)->in_shape()), kMaxReadElements);
  EXPECT_THAT(refusal([&] { repeated_often(one, kMaxReadElements + 1); }),
              HasSubstr("how often a linear operator is repeated"));
  EXPECT_THAT(refusal([&] { repeated_often(row, half + 1); }), HasSubstr("a linear operator is repeated 16385 times"));
  for (const LinearOperatorPtr& op : {wider, narrower})
    EXPECT_THAT(refusal([&] { repeated_often(op, kMaxReadElements / 2 + 1); }),
                HasSubstr("a linear operator is repeated 134217729 times"));
}

TEST(LayoutSerialize, OperatorsAreNestedSixteenDeep) {
  LinearOperatorPtr op = std::make_shared<Identity>(Shape{2});
  for (int depth = 0; depth < kMaxOperatorDepth; ++depth)
    op = std::make_shared<Scaled>(op, RepeatedReals(2), RepeatedReals(), op->in_shape(), op->out_shape());
  RowEntries entries;
  operator_of(bytes_of(*op))->append_row(1, entries);
  EXPECT_EQ(entries.columns, std::vector<Index>{1});
  EXPECT_EQ(entries.weights, std::vector<double>{65536});
  ByteWriter writer;
  for (int depth = 0; depth <= kMaxOperatorDepth; ++depth) OperatorWriter(writer).kind(OperatorKind::composed);
  EXPECT_THAT(refused(writer), HasSubstr("linear operators are nested too deeply"));
}

TEST(LayoutSerialize, WhatIsNoOperatorIsNamed) {
  const auto begun = [](OperatorKind kind, const Shape& in, const Shape& out) {
    ByteWriter writer;
    OperatorWriter(writer).kind(kind);
    write_shape(writer, in);
    write_shape(writer, out);
    return writer;
  };
  for (const int kind : {0, 15}) {
    ByteWriter unknown = begun(static_cast<OperatorKind>(kind), {1}, {1});
    EXPECT_THAT(refused(unknown), HasSubstr("a linear operator is of an unknown kind")) << kind;
  }
  // A rounded operator has the shapes of the one inside it.
  const Gather twice({1}, {2}, {0, 0});
  for (const auto& [in, out] : {std::pair(Shape{1}, Shape{1}), {Shape{2}, Shape{2}}}) {
    ByteWriter rounded = begun(OperatorKind::rounded, in, out);
    write_operator(rounded, twice);
    EXPECT_THAT(refused(rounded), HasSubstr("a rounded operator has other shapes than the one that it rounds"));
  }
  ByteWriter same = begun(OperatorKind::rounded, {1}, {2});
  write_operator(same, twice);
  EXPECT_EQ(operator_of(same.take())->out_shape(), Shape{2});
  for (const Shape& shape : {Shape{3, 4, 4}, Shape{1, 1, 3, 4, 4}}) {
    ByteWriter band = begun(OperatorKind::row_band, shape, shape);
    EXPECT_THAT(refused(band), HasSubstr("a row band reads no feature map"));
  }
  // Rows that read one element again and again, for which a file pays with two numbers each.
  Contraction::Terms terms{.in_base = {0}, .weight_base = {0}, .in_step = 0, .count = 2, .weights = {5, 7}};
  EXPECT_EQ(operator_of(bytes_of(Contraction({2}, {1}, terms)))->out_shape(), Shape{1});
  terms.count = 3;
  terms.weights.push_back(9);
  const auto bytes = bytes_of(Contraction({2}, {1}, terms));
  EXPECT_THAT(refusal([&] { operator_of(bytes); }),
              HasSubstr("a row of a matrix product reads more elements than there are"));
}

}  // namespace
}  // namespace tacit::layout
