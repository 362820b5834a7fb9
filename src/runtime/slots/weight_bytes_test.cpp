#include "runtime/slots/weight_bytes.h"

#include <gtest/gtest.h>

#include <bit>

#include "layout/operators/movement.h"
#include "runtime/slots/small_program_for_test.h"
#include "scheme/rlwe/automorphism.h"

namespace tacit::runtime {
namespace {

using layout::Index;
using layout::Layout;

/// Levels of 50, 40, 40 and 40 bits over one special prime.
scheme::ckks::ContextPtr context_of(std::size_t n) {
  params::CkksLiteral literal = small_insecure_literal(3);
  literal.log_n = std::countr_zero(n);
  literal.p_bits = {50};
  return scheme::ckks::Context::make(params::CkksParameters::check(literal));
}

/// An input of two ciphertexts; a map to a quarter of one with a bias; numbers added and multiplied; a rotation.
slots::Program program_of(Index slots) {
  slots::Program program{.name = "made", .slots = slots, .instructions = {}};
  const Layout two = Layout::row_major({2 * slots}, slots), quarter = Layout::row_major({slots / 4}, slots);
  const auto add = [&](slots::Operation operation, const Layout& layout, int level) {
    program.instructions.push_back({std::move(operation), layout, "node", "made.onnx: node", 1, level, 0x1p40});
  };
  add(slots::Input{"x"}, two, 2);
  std::vector<Index> first(static_cast<std::size_t>(slots / 4));
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<Index>(i);
  const auto op = std::make_shared<layout::Gather>(two.shape(), quarter.shape(), first);
  slots::LinearTerm term{0, {two, quarter, op}, {{{0, 0, 0}, {1, 1, 0}, {2, 2, 0}}, {}}};
  term.diagonals = layout::DiagonalCount{.products = 5, .density = 0.5};
  add(slots::Linear{{term, term}, layout::RepeatedReals(1)}, quarter, 1);
  add(slots::Linear{{term}, {}}, quarter, 1);
  add(slots::AddPlain{1, layout::RepeatedReals(1)}, quarter, 1);
  add(slots::MultiplyPlain{0, layout::RepeatedReals(1), 2}, quarter, 1);
  add(slots::Rotate{0, 1}, two, 2);
  return program;
}

// A diagonal over the three primes of level 2 and the special one; of complex slots half of it is the mirror image of
// the rest, and is not kept where halves are whole strips.
TEST(WeightBytes, AreThoseOfDiagonalsAndPlaintexts) {
  constexpr std::size_t kStrip = scheme::rlwe::Automorphism::kStrip;
  for (const std::size_t n : {kStrip, 2 * kStrip, 4 * kStrip}) {
    const auto context = context_of(n);
    const slots::Program program = program_of(static_cast<Index>(n / 2));
    const WeightBytes sizes(program, *context);
    const std::uint64_t row = n * 8, diagonal = 4 * (n > kStrip ? row / 2 : row);
    // Two blocks of three steps a term, and a plaintext for the bias.
    EXPECT_EQ(sizes.most(1), 2 * 6 * diagonal + row) << n;
    EXPECT_EQ(sizes.most(2), 6 * diagonal) << n;
    EXPECT_EQ(sizes.counted(1), 5 * diagonal + row) << n;
    EXPECT_EQ(sizes.counted(2), 5 * diagonal / 2) << n;
    EXPECT_EQ(sizes.plaintexts(1), row);
    EXPECT_EQ(sizes.plaintexts(2), 0u);
    for (const program::ValueId id : {3u, 4u}) {
      const std::uint64_t plaintexts = id == 3 ? row : 2 * row;  // of the result, and of the operand
      EXPECT_EQ(sizes.most(id), plaintexts);
      EXPECT_EQ(sizes.counted(id), plaintexts);
      EXPECT_EQ(sizes.plaintexts(id), plaintexts);
    }
    for (const program::ValueId id : {0u, 5u}) EXPECT_EQ(sizes.most(id) + sizes.counted(id), 0u);
    EXPECT_EQ(sizes.within(2, sizes.most(2)), sizes.most(2));
    EXPECT_EQ(sizes.within(2, sizes.most(2) - 1), sizes.counted(2));
    EXPECT_EQ(sizes.largest(sizes.most(1)).id, 1u);
    EXPECT_EQ(sizes.largest(sizes.most(1)).bytes, sizes.most(1));
    // With less room what may take more is counted.
    EXPECT_EQ(sizes.largest(sizes.most(2)).id, 2u);
    EXPECT_EQ(sizes.largest(sizes.most(2)).bytes, sizes.most(2));
    EXPECT_EQ(sizes.largest(0).bytes, sizes.counted(1));
  }
}

}  // namespace
}  // namespace tacit::runtime
