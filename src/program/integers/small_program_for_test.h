#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "layout/operators/matrix.h"
#include "program/integers/clear_program.h"

namespace tacit::integers {

/// Of x0 in [0, 3], x1 in [0, 1], x2 in [0, 3]: two sums, the square modulo 8 of each by a table of 4 bits, and the
/// difference of these.
inline Program small_program() {
  constexpr int kBits = 4, kStep = kMessageBits - kBits;
  const auto matrix = [](std::int64_t columns, std::int64_t rows, std::vector<double> weights) {
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, rows, std::move(weights)));
  };
  Program program{"small", kBits, {}};
  program.instructions.push_back({Input{"x"}, {1, 3}, kStep, 0, 3, true, "x", "input 'x'"});
  Linear sums;
  sums.terms.push_back({0, matrix(3, 2, {1, 2, -1, 0, 0, 3})});
  sums.bias = {4, 0};
  program.instructions.push_back({std::move(sums), {1, 2}, kStep, 0, 9, true, "sums", ""});
  std::vector<std::int64_t> squares;
  for (std::int64_t m = 0; m < std::int64_t{1} << kBits; ++m) squares.push_back(m * m % 8);
  program.instructions.push_back({Lookup{1, {squares}, {}}, {1, 2}, kMessageBits - 5, 0, 7, true, "squares", ""});
  Linear difference;
  difference.terms.push_back({2, matrix(2, 1, {1, -1})});
  program.instructions.push_back({std::move(difference), {1, 1}, kMessageBits - 5, -7, 7, true, "difference", ""});
  program.instructions.push_back({Output{3, "y"}, {1, 1}, kMessageBits - 5, -7, 7, true, "y", ""});
  return program;
}

/// The two sums of small_program, a and b, looked up five times: their squares modulo 8, and in a second lookup of
/// another step 3 b, a + 1 and b + 2 modulo 8. The result is their sum.
inline Program sharing_program(int log_tables) {
  Program program = small_program();
  program.log_tables = log_tables;
  const auto table = [&](std::int64_t factor, std::int64_t more) {
    std::vector<std::int64_t> entries;
    for (std::int64_t m = 0; m < std::int64_t{1} << program.bits; ++m) entries.push_back((factor * m + more) % 8);
    return entries;
  };
  program.instructions[3] = {Lookup{1, {table(3, 0), table(1, 1), table(1, 2)}, {0, 1, 2}, {1, 0, 1}},
                             {1, 3},
                             kMessageBits - 6,
                             0,
                             7,
                             true,
                             "more",
                             ""};
  const auto ones = [](std::int64_t columns) {
    return std::make_shared<layout::Contraction>(
        layout::Contraction::dense({1, columns}, 1, std::vector<double>(static_cast<std::size_t>(columns), 1.0)));
  };
  Linear sum;
  sum.terms = {{2, ones(2)}, {3, ones(3)}};
  program.instructions[4] = {std::move(sum), {1, 1}, kMessageBits - 6, 0, 49, true, "sum", ""};
  program.instructions.push_back({Output{4, "y"}, {1, 1}, kMessageBits - 6, 0, 49, true, "y", ""});
  return program;
}

/// Of x0 in [0, 3], x1 in [0, 3]: the sums 9 x0 + 4 x1 + 3 and 20 - 5 x0 + 7 x1, of 6 bits, of which two are rounded
/// off; three times what is left modulo 16, by a table of 4 bits.
inline Program rounding_program() {
  constexpr int kBits = 4, kDropped = 2, kStep = kMessageBits - kBits - kDropped;
  Program program{"rounding", kBits, {}};
  program.instructions.push_back({Input{"x"}, {1, 2}, kStep, 0, 3, true, "x", "input 'x'"});
  Linear sums;
  sums.terms.push_back({0, std::make_shared<layout::Contraction>(
                               layout::Contraction::dense({1, 2}, 2, std::vector<double>{9, 4, -5, 7}))});
  sums.bias = {3, 20};
  program.instructions.push_back({std::move(sums), {1, 2}, kStep, 3, 42, true, "sums", ""});
  program.instructions.push_back({Round{1, kDropped}, {1, 2}, kStep + kDropped, 1, 11, true, "sums", ""});
  std::vector<std::int64_t> thrice;
  for (std::int64_t m = 1; m <= std::int64_t{1} << kBits; ++m) thrice.push_back(3 * m % 16);  // the first box holds 1
  program.instructions.push_back({Lookup{2, {thrice}, {}}, {1, 2}, kMessageBits - kBits, 0, 15, true, "thrice", ""});
  program.instructions.push_back({Output{3, "y"}, {1, 2}, kMessageBits - kBits, 0, 15, true, "y", ""});
  return program;
}

}  // namespace tacit::integers
