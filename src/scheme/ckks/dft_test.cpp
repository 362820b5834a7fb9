#include "scheme/ckks/dft.h"

#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "params/small_ring_for_test.h"
#include "scheme/ckks/party_for_test.h"

namespace tacit::scheme::ckks {
namespace {

using Complex = std::complex<double>;
using testing::Party;

std::vector<Complex> random_slots(std::size_t slots, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<Complex> z(slots);
  for (Complex& value : z) value = {uniform(engine), uniform(engine)};
  return z;
}

std::vector<Complex> apply(const params::DftFactor& factor, DftDirection direction, const std::vector<Complex>& in) {
  const auto diagonals = dft_diagonals(factor, direction, in.size());
  std::vector<Complex> out(in.size());
  for (std::size_t i = 0; i < diagonals.size(); ++i)
    for (std::size_t k = 0; k < out.size(); ++k)
      out[k] += diagonals[i][k % diagonals[i].size()] *
                in[(k + static_cast<std::size_t>(factor.schedule.steps[i].diagonal)) % in.size()];
  return out;
}

// Both transforms against the embedding that encodes, bit reversal aside.
TEST(Dft, FactorsMultiplyToTheEmbedding) {
  for (const int log_n : {6, 9}) {
    const std::size_t slots = std::size_t{1} << (log_n - 1);
    const params::BootstrapSchedule schedule = params::plan_bootstrap(params::insecure_on_small_ring("S8", log_n));
    const ring::Embedding embedding(slots);
    const std::vector<Complex> z = random_slots(slots, 1);
    std::vector<Complex> reversed(slots);
    for (std::size_t i = 0; i < slots; ++i) {
      std::size_t j = 0;
      for (int bit = 0; bit < log_n - 1; ++bit) j |= ((i >> bit) & 1) << (log_n - 2 - bit);
      reversed[j] = z[i];
    }
    std::vector<Complex> expected = z, to_slots = reversed;
    embedding.coefficients_to_slots(expected);
    for (const auto& factor : schedule.slots_to_coefficients)
      to_slots = apply(factor, DftDirection::slots_to_coefficients, to_slots);
    std::vector<Complex> back = expected;
    for (const auto& factor : schedule.coefficients_to_slots)
      back = apply(factor, DftDirection::coefficients_to_slots, back);
    for (std::size_t i = 0; i < slots; ++i) {
      EXPECT_LT(std::abs(to_slots[i] - expected[i]), 1e-11 * std::sqrt(static_cast<double>(slots)));
      EXPECT_LT(std::abs(back[i] - reversed[i]), 1e-13);
    }
  }
}

// A diagonal of period p keeps 2p words a row; repeated to all slots by hand it keeps N, and the result is the same
// bits.
TEST(Dft, PeriodicDiagonalsEqualDenseOnes) {
  const params::CkksLiteral literal = params::insecure_on_small_ring("S8", 9);
  const params::BootstrapSchedule schedule = params::plan_bootstrap(literal);
  const params::DftFactor& factor = schedule.coefficients_to_slots.back();
  params::KeyManifest manifest;
  for (const auto& step : factor.schedule.steps)
    for (const std::int64_t rotation : {step.baby, step.giant})
      if (rotation != 0) manifest.rotations[rotation] = factor.level;
  const Party party(literal, manifest);
  const auto periodic = dft_diagonals(factor, DftDirection::coefficients_to_slots, party.slots());
  auto dense = periodic;
  ASSERT_LT(periodic[0].size(), party.slots());
  for (auto& diagonal : dense)
    for (std::size_t k = diagonal.size(); k < party.slots(); ++k) diagonal.push_back(diagonal[k - periodic[0].size()]);
  const auto z = party.random(2);
  const Ciphertext x = party.encrypt(z, factor.level, 0x1p50);
  std::vector<Ciphertext> results;
  std::vector<std::size_t> bytes;
  for (const auto* diagonals : std::array{&periodic, &std::as_const(dense)}) {
    const DiagonalMatrix matrix =
        party.encoder.encode_diagonals(factor.schedule.steps, *diagonals, factor.level, 0x1p50, 0x1p50);
    const std::vector<const DiagonalMatrix*> row{&matrix};
    results.push_back(party.evaluator.linear({&x, 1}, {&row, 1}, factor.schedule)[0]);
    bytes.push_back(matrix.bytes());
  }
  EXPECT_EQ(bytes[1], bytes[0] * (party.slots() / periodic[0].size()));
  for (std::size_t row = 0; row < results[0].c0.limbs(); ++row) {
    EXPECT_TRUE(std::ranges::equal(results[0].c0.limb_span(row), results[1].c0.limb_span(row)));
    EXPECT_TRUE(std::ranges::equal(results[0].c1.limb_span(row), results[1].c1.limb_span(row)));
  }
}

}  // namespace
}  // namespace tacit::scheme::ckks
