#include "layout/serialize.h"

#include <fmt/format.h>

#include "base/error.h"
#include "layout/operator_writer.h"
#include "layout/operators/combined.h"
#include "layout/operators/matrix.h"
#include "layout/operators/movement.h"
#include "layout/operators/repeated.h"
#include "layout/operators/rounded.h"
#include "layout/operators/row_band.h"
#include "layout/operators/skewed_gather.h"
#include "layout/operators/window.h"
#include "layout/sparse_rows.h"

namespace tacit::layout {
namespace {

constexpr std::size_t kLongestAxisName = 64;
constexpr std::size_t kDigitBytes = 28, kAxisBytes = 40;

void write_digits(ByteWriter& writer, const std::vector<Digit>& digits) {
  writer.u64(digits.size());
  for (const Digit& digit : digits) {
    writer.i64(digit.dim);
    writer.i64(digit.extent);
    writer.i64(digit.stride);
    writer.text(digit.axis);
  }
}

std::vector<Digit> read_digits(ByteReader& reader) {
  std::vector<Digit> digits(reader.count(kDigitBytes));
  for (Digit& digit : digits) {
    digit.dim = static_cast<int>(reader.i64(kReplica, static_cast<std::int64_t>(kMaxRank), "the dimension of a digit"));
    digit.extent = reader.i64(1, kMaxReadElements, "the extent of a digit");
    digit.stride = reader.i64(1, kMaxReadElements, "the stride of a digit");
    digit.axis = reader.text(kLongestAxisName);
  }
  return digits;
}

struct OperatorReader {
  ByteReader& in;

  LinearOperatorPtr read(int depth) {
    if (depth > kMaxOperatorDepth) in.fail("linear operators are nested too deeply");
    const auto kind = static_cast<OperatorKind>(in.u8());
    if (kind == OperatorKind::composed || kind == OperatorKind::sum) {
      LinearOperatorPtr first = read(depth + 1), second = read(depth + 1);
      if (kind == OperatorKind::sum) return std::make_shared<Sum>(std::move(first), std::move(second));
      return std::make_shared<Composed>(std::move(first), std::move(second));
    }
    if (kind == OperatorKind::repeated) {
      const Index times = in.i64(1, kMaxReadElements, "how often a linear operator is repeated");
      const LinearOperatorPtr op = read(depth + 1);
      for (const Shape* shape : {&op->in_shape(), &op->out_shape()})
        if (element_count(*shape) > kMaxReadElements / times)
          in.fail(fmt::format("a linear operator is repeated {} times", times));
      return std::make_shared<Repeated>(op, times);
    }
    Shape from = read_shape(in), to = read_shape(in);
    switch (kind) {
      case OperatorKind::identity: return std::make_shared<Identity>(std::move(from), std::move(to));
      case OperatorKind::gather: {
        std::vector<Index> source = in.compact_indices();
        return std::make_shared<Gather>(std::move(from), std::move(to), std::move(source), in.compact_reals());
      }
      case OperatorKind::convolution: {
        std::vector<WindowAxis> window = axes();
        const Index groups = in.i64();
        return std::make_shared<Convolution>(std::move(from), std::move(to), std::move(window), groups,
                                             in.compact_reals());
      }
      case OperatorKind::average_pool: {
        std::vector<WindowAxis> window = axes();
        return std::make_shared<AveragePool>(std::move(from), std::move(to), std::move(window), in.u8() != 0);
      }
      case OperatorKind::contraction: return contraction(std::move(from), std::move(to));
      case OperatorKind::reduction: {
        std::vector<Index> reduced = in.compact_indices();
        return std::make_shared<Reduction>(std::move(from), std::move(to), std::move(reduced), in.f64());
      }
      case OperatorKind::scaled: {
        RepeatedReals rows = read_repeated(in), columns = read_repeated(in);
        return std::make_shared<Scaled>(read(depth + 1), std::move(rows), std::move(columns), std::move(from),
                                        std::move(to));
      }
      case OperatorKind::row_band: return row_band(std::move(from), std::move(to), depth);
      case OperatorKind::rounded: {
        LinearOperatorPtr exact = read(depth + 1);
        if (exact->in_shape() != from || exact->out_shape() != to)
          in.fail("a rounded operator has other shapes than the one that it rounds");
        return std::make_shared<Rounded>(std::move(exact));
      }
      case OperatorKind::skewed_gather: {
        SkewedGather::Places places;
        places.strides = in.compact_indices();
        places.turns = in.compact_indices();
        places.extent = in.i64();
        places.stride = in.i64();
        return std::make_shared<SkewedGather>(std::move(from), std::move(to), std::move(places));
      }
      case OperatorKind::sparse_rows: {
        std::vector<Index> begin = in.compact_indices(), columns = in.compact_indices();
        return std::make_shared<SparseRows>(std::move(from), std::move(to), std::move(begin), std::move(columns),
                                            in.compact_reals());
      }
      default: in.fail("a linear operator is of an unknown kind");
    }
  }

 private:
  LinearOperatorPtr contraction(Shape from, Shape to) {
    Contraction::Terms terms;
    terms.in_base = in.compact_indices();
    terms.weight_base = in.compact_indices();
    terms.in_step = in.i64();
    terms.weight_step = in.i64();
    terms.count = in.i64();
    if (terms.count > element_count(from)) in.fail("a row of a matrix product reads more elements than there are");
    terms.scale = in.f64();
    terms.weights = in.compact_reals();
    return std::make_shared<Contraction>(std::move(from), std::move(to), std::move(terms));
  }
  LinearOperatorPtr row_band(Shape kept, Shape to, int depth) {
    if (kept.size() != 4) in.fail("a row band reads no feature map");
    RowSelection selection{.in = kept, .out = std::move(to), .rows = kept[2]};
    selection.in[2] = in.i64(kept[2], kMaxReadElements, "the rows of a feature map");
    for (Index* value : {&selection.stride, &selection.first, &selection.last, &selection.begin}) *value = in.i64();
    return std::make_shared<RowBand>(read(depth + 1), std::move(selection));
  }
  std::vector<WindowAxis> axes() {
    std::vector<WindowAxis> list(in.count(kAxisBytes));
    for (WindowAxis& axis : list)
      for (Index* value : {&axis.kernel, &axis.stride, &axis.dilation, &axis.pad_begin, &axis.pad_end})
        *value = in.i64();
    return list;
  }
};

}  // namespace

void write_shape(ByteWriter& writer, const Shape& shape) { writer.indices(shape); }

Shape read_shape(ByteReader& reader) {
  const Shape shape = reader.indices();
  if (shape.size() > kMaxRank)
    reader.fail(fmt::format("a tensor has {} dimensions, more than {}", shape.size(), kMaxRank));
  for (const Index extent : shape)
    if (extent < 1 || extent > kMaxReadElements) reader.fail(fmt::format("a dimension has extent {}", extent));
  if (element_count(shape) > kMaxReadElements)
    reader.fail(fmt::format("a tensor has {} elements, more than {}", element_count(shape), kMaxReadElements));
  return shape;
}

void write_layout(ByteWriter& writer, const Layout& layout) {
  write_shape(writer, layout.shape());
  write_digits(writer, layout.across());
  write_digits(writer, layout.within());
  for (const Fill fill : layout.fill()) writer.u8(fill == Fill::unknown ? 1 : 0);
}

Layout read_layout(ByteReader& reader) {
  Shape shape = read_shape(reader);
  std::vector<Digit> across = read_digits(reader), within = read_digits(reader);
  std::vector<Fill> fill;
  for (std::size_t dim = 0; dim < shape.size(); ++dim) fill.push_back(reader.u8() == 0 ? Fill::zero : Fill::unknown);
  Layout layout(std::move(shape), std::move(across), std::move(within), std::move(fill));
  // A few digits could claim an array that nobody paid for.
  if (layout.ciphertexts() > element_count(layout.shape()) || layout.ciphertexts() * layout.slots() > kMaxReadElements)
    reader.fail(fmt::format("a layout spreads {} elements over {} ciphertexts of {} slots",
                            element_count(layout.shape()), layout.ciphertexts(), layout.slots()));
  return layout;
}

void write_repeated(ByteWriter& writer, const RepeatedReals& values) {
  writer.i64(values.run());
  writer.compact_reals(values.values());
}

RepeatedReals read_repeated(ByteReader& reader) {
  const Index run = reader.i64(1, kMaxReadElements, "a run of equal numbers");
  return RepeatedReals(reader.compact_reals(), run);
}

void write_operator(ByteWriter& writer, const LinearOperator& op) { OperatorWriter(writer).nested(op); }

void OperatorWriter::head(OperatorKind value, const LinearOperator& op) {
  kind(value);
  write_shape(to, op.in_shape());
  write_shape(to, op.out_shape());
}
void OperatorWriter::nested(const LinearOperator& op) {
  if (depth_ > kMaxOperatorDepth) throw base::InternalError("linear operators are nested too deeply to be written");
  ++depth_;
  op.describe(*this);
  --depth_;
}

LinearOperatorPtr read_operator(ByteReader& reader) { return OperatorReader{reader}.read(0); }

}  // namespace tacit::layout
