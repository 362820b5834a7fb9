#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ranges>

#include "layout/layout.h"
#include "layout/text_cursor.h"

// The notation: shape, digits across, digits within, dimensions with unknown fill.
//   [1,28,28] across() within(copy:8 d1:32/1 d2:32/1) junk()
//   [16,10,10] across(d0:2/8@x) within(copy:2 d0:2/4 d1:16/1 d0:2/2 d2:16/1 d0:2/1) junk(1,2)
// A digit is dimension : extent / stride @ axis; `copy` is a replica.
namespace tacit::layout {
namespace {

std::string digit_text(const Digit& digit) {
  const std::string axis = digit.axis.empty() ? "" : fmt::format("@{}", digit.axis);
  if (digit.dim == kReplica) return fmt::format("copy:{}{}", digit.extent, axis);
  return fmt::format("d{}:{}/{}{}", digit.dim, digit.extent, digit.stride, axis);
}

std::string digits_text(const std::vector<Digit>& digits) {
  return fmt::format("{}", fmt::join(digits | std::views::transform(digit_text), " "));
}

std::vector<Digit> read_digits(TextCursor& reader) {
  std::vector<Digit> digits;
  reader.list("(", " ", ")", [&] {
    Digit digit;
    if (reader.take("copy:")) {
      digit = {kReplica, reader.number(), 1, ""};
    } else {
      reader.expect("d");
      const Index dim = reader.number();
      if (dim > 1000) reader.fail("no tensor has that dimension");
      digit.dim = static_cast<int>(dim);
      reader.expect(":");
      digit.extent = reader.number();
      reader.expect("/");
      digit.stride = reader.number();
    }
    if (reader.take("@")) {
      digit.axis = reader.word();
      if (digit.axis.empty()) reader.fail("expected a name");
    }
    digits.push_back(std::move(digit));
  });
  return digits;
}

std::vector<Index> read_numbers(TextCursor& reader, std::string_view open, std::string_view close) {
  std::vector<Index> numbers;
  reader.list(open, ",", close, [&] { numbers.push_back(reader.number()); });
  return numbers;
}

}  // namespace

std::string Layout::to_string() const {
  std::string unknown;
  for (std::size_t dim = 0; dim < fill_.size(); ++dim)
    if (fill_[dim] == Fill::unknown) unknown += fmt::format("{}{}", unknown.empty() ? "" : ",", dim);
  return fmt::format("[{}] across({}) within({}) junk({})", fmt::join(shape_, ","), digits_text(across_),
                     digits_text(within_), unknown);
}

Layout Layout::parse(std::string_view text) {
  TextCursor reader("layout", text, /*skips_spaces=*/false);
  Shape shape = read_numbers(reader, "[", "]");
  reader.expect(" across");
  std::vector<Digit> across = read_digits(reader);
  reader.expect(" within");
  std::vector<Digit> within = read_digits(reader);
  std::vector<Fill> fill(shape.size(), Fill::zero);
  for (const Index dim : read_numbers(reader, " junk(", ")")) {
    if (dim >= static_cast<Index>(shape.size())) reader.fail("no such dimension");
    fill[static_cast<std::size_t>(dim)] = Fill::unknown;
  }
  reader.expect_end();
  return Layout(std::move(shape), std::move(across), std::move(within), std::move(fill));
}

}  // namespace tacit::layout
