#include "check/tile_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "params/requirement.h"
#include "runtime/slots/encrypted_evaluator.h"
#include "tensor/operators.h"

namespace tacit::check {
namespace {

using tensor::Dense;
using tensor::PlainTensor;
using tensor::SessionPtr;
using tensor::TileShape;
using tensor::TileTensor;
using testing::HasSubstr;
using testing::ThrowsMessage;

Dense numbers(layout::Index rows, layout::Index columns) {
  Dense tensor{{rows, columns}, {}};
  for (layout::Index i = 0; i < rows * columns; ++i) tensor.values.push_back(std::sin(1.0 + static_cast<double>(i)));
  return tensor;
}

/// A 6 x 5 tensor in two tiles, a plaintext beside it, and a matrix product's two steps.
struct Computation {
  explicit Computation(const SessionPtr& e)
      : x(tensor::encrypt(e, shape(), numbers(6, 5), 2)),
        weights(e, shape(), numbers(6, 5)),
        products(tensor::multiply(x, weights)),
        sums(tensor::sum(products, 1)),
        replicated(tensor::replicate(tensor::clear_unknowns(sums), 1)),
        turned(tensor::rotate(x, 0, 1)) {}
  static TileShape shape() { return TileShape::parse("{r 6|4}{c 5|16}"); }

  TileTensor x;
  PlainTensor weights;
  TileTensor products, sums, replicated, turned;
};

SessionPtr encrypted_reading() {
  const auto required = params::parameters_for(
      params::Requirement::parse("slots 64, depth 3, fraction 40 bits, integer 5 bits, security 0"));
  const auto costs = tensor::cost_session(required);
  Computation{costs};
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(required.literal));
  const scheme::ckks::KeyGenerator generator(context);
  const auto secret = generator.secret_key();
  const auto ciphertexts = runtime::EncryptedEvaluator::make(
      context,
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(secret, costs->cost().keys)));
  ciphertexts->set_secret(secret);
  return std::make_shared<tensor::Session>(ciphertexts,
                                           tensor::TileLevels::of(context->parameters(), required.base_level),
                                           tensor::cheapest_schedules(required.literal, {}));
}

TEST(TileValidation, OperatorsPassAndOthersInTheirPlaceDoNot) {
  const Computation c(encrypted_reading());
  const auto product = [](const TileOperands& o) { return tensor::multiply(o.tensors[0], o.plains[0]); };
  const auto sum = [](const TileOperands& o) { return tensor::sum(o.tensors[0], 1); };
  const auto copies = [](const TileOperands& o) { return tensor::replicate(tensor::clear_unknowns(o.tensors[0]), 1); };
  const auto turn = [](const TileOperands& o) { return tensor::rotate(o.tensors[0], 0, 1); };
  for (const OperatorResult& result : {validate_tiles("product", c.products, {{c.x}, {c.weights}}, product, 30, -6),
                                       validate_tiles("sum", c.sums, {{c.products}, {}}, sum, 6, -6),
                                       validate_tiles("copies", c.replicated, {{c.sums}, {}}, copies, 6, -6),
                                       validate_tiles("turn", c.turned, {{c.x}, {}}, turn, 30, -6)}) {
    EXPECT_FALSE(result.failed) << result.node << " " << result.worst_error;
    EXPECT_GT(result.worst_error, 0) << result.node;
  }
  const auto by_two = [](const TileOperands& o) { return tensor::rotate(o.tensors[0], 0, 2); };
  const OperatorResult turned = validate_tiles("turn", c.turned, {{c.x}, {}}, by_two, 30, -6);
  ASSERT_TRUE(turned.failed);
  EXPECT_EQ(turned.cause, Cause::bug);
  EXPECT_EQ(turned.failures, 30);
  EXPECT_THAT(failure_text(turned), HasSubstr("validate failed at turn[0]: "));
  const auto doubled = [](const TileOperands& o) {
    return tensor::multiply(tensor::multiply(o.tensors[0], o.plains[0]), 2);
  };
  EXPECT_EQ(validate_tiles("product", c.products, {{c.x}, {c.weights}}, doubled, 30, -6).cause, Cause::scale);
}

TEST(TileValidation, RefusesWhatDoesNotFit) {
  const SessionPtr reading = encrypted_reading();
  const Computation c(reading), other(encrypted_reading());
  const auto sum = [](const TileOperands& o) { return tensor::sum(o.tensors[0], 1); };
  const auto refusal = [&](const TileOperands& operands, layout::Index length, double epsilon) {
    return [=, &c] { validate_tiles("sum", c.sums, operands, sum, length, epsilon); };
  };
  const TileOperands operands{{c.products}, {}};
  EXPECT_THAT(refusal(operands, 7, -6), ThrowsMessage<base::InputError>(HasSubstr("has 6 elements")));
  EXPECT_THAT(refusal(operands, 0, -6), ThrowsMessage<base::InputError>(HasSubstr("length 0")));
  EXPECT_THAT(refusal(operands, 6, -60), ThrowsMessage<base::InputError>(HasSubstr("epsilon -60")));
  EXPECT_THAT(refusal({}, 6, -6), ThrowsMessage<base::InputError>(HasSubstr("name the tensors")));
  EXPECT_THAT(refusal({{other.products}, {}}, 6, -6), ThrowsMessage<base::InputError>(HasSubstr("another session")));
  const auto whole = [](const TileOperands& o) { return o.tensors[0]; };
  EXPECT_THAT([&] { validate_tiles("sum", c.sums, operands, whole, 6, -6); },
              ThrowsMessage<base::InputError>(HasSubstr("makes 30 elements")));
}

TEST(TileValidation, ReportsWhatWasCompared) {
  const Computation c(encrypted_reading());
  const auto product = [](const TileOperands& o) { return tensor::multiply(o.tensors[0], o.plains[0]); };
  const auto by_two = [](const TileOperands& o) { return tensor::rotate(o.tensors[0], 0, 2); };
  for (const layout::Index length : {1, 7, 30}) {
    const OperatorResult result = validate_tiles("product", c.products, {{c.x}, {c.weights}}, product, length, -6);
    EXPECT_EQ(result.node, "product");
    EXPECT_EQ(result.operators, "product");
    EXPECT_EQ(result.origin, "product");
    EXPECT_EQ(result.detail, program::Detail::vector);
    EXPECT_DOUBLE_EQ(result.tolerance, 1e-6);
    EXPECT_EQ(result.compared, length);
    EXPECT_EQ(result.level, c.products.level());
    EXPECT_FALSE(result.failed);
    EXPECT_EQ(result.failures, 0);
    EXPECT_EQ(result.cause, Cause::none);
    const OperatorResult wrong = validate_tiles("turn", c.turned, {{c.x}, {}}, by_two, length, -6);
    EXPECT_TRUE(wrong.failed);
    EXPECT_EQ(wrong.failures, length) << "what lies behind them is not judged";
  }
}

TEST(TileValidation, TolerancesArePowersOfTenFromMinusFifteenToFifteen) {
  const Computation c(encrypted_reading());
  const auto sum = [](const TileOperands& o) { return tensor::sum(o.tensors[0], 1); };
  const auto of = [&](double epsilon) { return validate_tiles("sum", c.sums, {{c.products}, {}}, sum, 6, epsilon); };
  EXPECT_DOUBLE_EQ(of(15).tolerance, 1e15);
  EXPECT_FALSE(of(15).failed);
  EXPECT_DOUBLE_EQ(of(-15).tolerance, 1e-15);
  EXPECT_TRUE(of(-15).failed) << "less than the noise";
  EXPECT_THAT([&] { of(-15.5); }, ThrowsMessage<base::InputError>(
                                      testing::StrEq("validation of 'sum': epsilon -15.5 must lie between -15 and "
                                                     "15: the tolerance is 10 to its power")));
  EXPECT_THAT([&] { of(15.5); },
              ThrowsMessage<base::InputError>(HasSubstr("epsilon 15.5 must lie between -15 and 15")));
  EXPECT_THAT([&] { of(std::nan("")); }, ThrowsMessage<base::InputError>(HasSubstr("epsilon nan")));
}

}  // namespace
}  // namespace tacit::check
