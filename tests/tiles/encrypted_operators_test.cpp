#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "params/requirement.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "tensor/convolution.h"
#include "tensor/operators.h"
#include "tensor/random_tiles_for_test.h"

namespace tacit {
namespace {

using tensor::Dense;
using tensor::Index;
using tensor::SessionPtr;
using tensor::TileShape;
using tensor::TileTensor;
using Formula = std::function<TileTensor(const SessionPtr&)>;

/// A parameter set with its secret; keys are made for each computation, and nothing more.
class Ciphertexts {
 public:
  explicit Ciphertexts(const params::Requirement& requirement)
      : required_(params::parameters_for(requirement)),
        context_(scheme::ckks::Context::make(params::CkksParameters::check(required_.literal))),
        generator_(context_),
        secret_(generator_.secret_key()) {}
  Index slots() const { return static_cast<Index>(context_->parameters().slots()); }

  /// The three readings of one computation agree: values, level, shape; and the keys that its cost names suffice.
  void expect_equal_readings(const Formula& computation, double tolerance) const {
    const auto cost = tensor::cost_session(required_);
    const TileTensor priced = computation(cost);
    const auto clear = tensor::clear_session(slots(), cost->max_level());
    const TileTensor expected = computation(clear);
    const auto keys =
        std::make_shared<const scheme::ckks::EvaluationKeys>(generator_.evaluation_keys(secret_, cost->cost().keys));
    const auto ciphertexts = runtime::EncryptedEvaluator::make(context_, keys);
    ciphertexts->set_secret(secret_);
    const auto encrypted = std::make_shared<tensor::Session>(
        ciphertexts, tensor::TileLevels::of(context_->parameters(), required_.base_level),
        tensor::cheapest_schedules(required_.literal, {}));
    const TileTensor found = computation(encrypted);
    EXPECT_EQ(found.shape().to_string(), expected.shape().to_string());
    EXPECT_EQ(found.shape(), priced.shape());
    EXPECT_EQ(found.level(), expected.level());
    EXPECT_EQ(priced.level(), expected.level());
    EXPECT_EQ(found.estimated_bytes(), priced.estimated_bytes());
    const Dense x = tensor::decrypt(found), y = tensor::decrypt(expected);
    ASSERT_EQ(x.sizes, y.sizes);
    for (std::size_t i = 0; i < y.values.size(); ++i)
      ASSERT_NEAR(x.values[i], y.values[i], tolerance) << found.shape().to_string() << " element " << i;
  }

 private:
  params::RequiredParameters required_;
  scheme::ckks::ContextPtr context_;
  scheme::ckks::KeyGenerator generator_;
  scheme::ckks::SecretKey secret_;
};

/// A random computation: up to three operators on random operands.
Formula random_computation(tensor::testing::RandomTiles& random) {
  const auto [a, b] = random.compatible();
  const TileShape left = a.tiles.shape().without_unknowns(), right = b.tiles.shape().without_unknowns();
  const Dense x = a.tensor, y = b.tensor;
  const int kind = random.pick(0, 5), hoist = random.pick(1, 2), dim = random.pick(0, left.rank() - 1);
  const bool all = random.pick(0, 1) == 0;
  const Index steps = random.pick(-3, 3);
  const unsigned seed = static_cast<unsigned>(random.pick(0, 1 << 20));
  return [=](const SessionPtr& e) {
    tensor::testing::RandomTiles shapes(e->slots(), seed);
    TileTensor p = encrypt(e, left, x, 3), q = encrypt(e, right, y, 3);
    switch (kind) {
      case 0: return add(multiply(p, q), subtract(p, q));
      case 1: return multiply_sum(p, q, dim, {all, hoist});
      case 2: return multiply_sum(p, tensor::PlainTensor(e, right, y), dim, {all, hoist});
      case 3: {
        const TileTensor total = clear_unknowns(sum(multiply(p, q), dim, {true, hoist}));
        return add(replicate(total, dim, {true, hoist}), 1.5);
      }
      case 4:
        return tensor::concat(tensor::rotate(p, dim, steps),
                              tensor::slice(p, dim, 0, (p.shape().dim(dim).size + 1) / 2), dim);
      default: return tensor::multiply(tensor::reshard(p, shapes.shape_of(left.sizes()).without_unknowns()), 0.5);
    }
  };
}

TEST(EncryptedOperators, EqualTheClearOnesForRandomShapes) {
  const Ciphertexts ciphertexts({32, 3, 40, 8, 0});
  tensor::testing::RandomTiles random(ciphertexts.slots(), 21);
  for (int trial = 0; trial < 200; ++trial) {
    const Formula computation = random_computation(random);
    try {
      ciphertexts.expect_equal_readings(computation, 1e-4);
    } catch (const base::Error& error) {
      FAIL() << error.what();
    }
    if (HasFatalFailure()) return;
  }
}

TEST(EncryptedOperators, ConvolutionAndItsSuccessor) {
  const Ciphertexts ciphertexts({128, 3, 40, 10, 0});
  tensor::testing::RandomTiles random(ciphertexts.slots(), 22);
  const Dense image = random.tensor({2, 12, 12, 4}), first = random.tensor({3, 2, 3, 3}),
              second = random.tensor({2, 3, 3, 2});
  ciphertexts.expect_equal_readings(
      [&](const SessionPtr& e) {
        const TileTensor x = encrypt(e, TileShape::parse("{c 2}{y 12|4 woven 4}{x 12|4 woven 4}{b 4|8}"), image, 2);
        tensor::ConvolutionOptions strided;
        strided.stride = 2;
        return convolve(convolve(x, first, strided), second, {});
      },
      1e-3);
}

TEST(EncryptedOperators, FourMatricesAtASecureSize) {
  const Ciphertexts ciphertexts({8192, 4, 35, 8, 128});
  tensor::testing::RandomTiles random(64, 23);
  const Dense m1 = random.tensor({5, 4, 1}), m2 = random.tensor({5, 1, 6}), m3 = random.tensor({7, 1, 6});
  ciphertexts.expect_equal_readings(
      [&](const SessionPtr& e) {
        const TileShape first = TileShape::parse("{b any|16}{a any|16}{c copy 32}");
        const TileShape later = TileShape::parse("{b any|16}{a copy 16}{c any|32}");
        TileTensor x = multiply_sum(encrypt(e, first, m1, 4), encrypt(e, later, m2, 4), 0);
        x = multiply_sum(x, encrypt(e, later, m3, 3), 2, {false, 2});
        x = replicate(clear_unknowns(x), 2, {false, 2});
        return tensor::reshard(x, TileShape::parse("{7|1024}{4|8}{1}"));
      },
      1e-3);
}

}  // namespace
}  // namespace tacit
