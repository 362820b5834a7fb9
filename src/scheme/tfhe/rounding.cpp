#include "scheme/tfhe/rounding.h"

#include <vector>

#include "base/error.h"
#include "base/parallel.h"

namespace tacit::scheme::tfhe {
namespace {

constexpr int kTop = 63;  // the highest bit of the torus

/// A table of one value: plus it for phases from `begin` to half a turn farther, minus it for all others.
struct SignTable {
  LookupTable table;
  Torus begin = 0;
};

SignTable sign_table(const Context& context, Torus value) {
  const int bits = context.parameters().bits();
  const std::vector<Torus> values(std::size_t{1} << bits, value);
  // The first box of a table begins half a box before 0.
  return {LookupTable(context, {&values, 1}), Torus{0} - (Torus{1} << (kTop - bits - 1))};
}

}  // namespace

LweCiphertexts round_off(const Evaluator& evaluator, const LweCiphertexts& inputs, int step, int dropped,
                         base::Progress& progress) {
  if (step < 1 || dropped < 1 || step + dropped > kTop)
    base::refuse("round_off: {} bits from 2^{} on do not lie between 2^1 and the padding at 2^{}", dropped, step, kTop);
  LweCiphertexts left = inputs;
  for (std::size_t i = 0; i < left.count(); ++i) left.body(i) += Torus{1} << (step + dropped - 1);
  for (int bit = step; bit < step + dropped; ++bit) {
    const Torus half = Torus{1} << (bit - 1);
    const SignTable sign = sign_table(evaluator.context(), half);
    const Torus quarter = Torus{1} << (kTop - 1);
    LweCiphertexts raised = left;
    base::parallel_for(0, raised.count(), [&](std::size_t i) {
      for (Torus& word : raised[i]) word <<= kTop - bit;
      raised.body(i) += sign.begin + quarter;  // a bit of 0 lies in the middle of the half that gives plus
    });
    const LweCiphertexts signs = evaluator.lookup(raised, sign.table, progress);
    // half - sign: 0 or the bit.
    base::parallel_for(0, left.count(), [&](std::size_t i) {
      const std::span<Torus> words = left[i];
      const std::span<const Torus> of_sign = signs[i];
      for (std::size_t j = 0; j < words.size(); ++j) words[j] += of_sign[j];
      left.body(i) -= half;
    });
  }
  return left;
}

}  // namespace tacit::scheme::tfhe
