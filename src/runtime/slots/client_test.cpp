#include "runtime/slots/client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/private_value.h"
#include "params/noise.h"
#include "runtime/slots/decryption_check.h"
#include "runtime/slots/small_program_for_test.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"
#include "scheme/ckks/evaluator.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

using Tensors = std::vector<std::vector<double>>;
using Arrays = std::vector<CiphertextArray>;

/// A model whose program hands its one input back.
struct Echo {
  params::CkksLiteral literal = small_insecure_literal(2);
  scheme::ckks::ContextPtr context = scheme::ckks::Context::make(params::CkksParameters::check(literal));
  std::shared_ptr<const scheme::ckks::SecretKey> secret =
      std::make_shared<const scheme::ckks::SecretKey>(scheme::ckks::KeyGenerator(context).secret_key());
  layout::Index slots = static_cast<layout::Index>(context->parameters().slots());
  ClientModel model;

  explicit Echo(const layout::Shape& shape, double lowest = -1, double highest = 1) {
    model.name = "echo";
    model.literal = literal;
    const Layout layout = Layout::row_major(shape, slots);
    model.interface.inputs = {{"x", layout, 2, 0x1p40, lowest, highest}};
    model.interface.outputs = {{"y", layout, 0, 1, lowest, highest, 2, 0x1p40}};
  }
  Client client() const { return {std::make_shared<const ClientModel>(model), context, secret}; }
  /// The array that a server returns with these slots.
  CiphertextArray array(const std::vector<double>& slot_values, double scale = 0x1p40, int level = 2) const {
    return {scheme::ckks::Encryptor(context, *secret)
                .encrypt(scheme::ckks::Encoder(context).encode(slot_values, level, scale))};
  }
};

std::vector<double> ramp(std::size_t size) {
  std::vector<double> tensor(size);
  for (std::size_t i = 0; i < size; ++i) tensor[i] = -1 + 2 * static_cast<double>(i) / static_cast<double>(size);
  return tensor;
}

Arrays encrypt(const Client& client, const Tensors& sample) { return client.encrypt({&sample, 1}); }

TEST(Client, DecryptsWhatItEncrypts) {
  for (const layout::Shape& shape : {layout::Shape{10}, layout::Shape{3, 300}}) {
    const Echo echo(shape);
    const Client client = echo.client();
    const std::vector<double> tensor = ramp(static_cast<std::size_t>(layout::element_count(shape)));
    const auto arrays = encrypt(client, Tensors{tensor});
    ASSERT_EQ(arrays.size(), 1u);
    EXPECT_EQ(arrays[0].size(), shape.size() == 1 ? 1u : 3u);
    EXPECT_EQ(arrays[0][0].level, 2);
    const auto outputs = client.decrypt(arrays);
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].shape, shape);
    for (std::size_t i = 0; i < tensor.size(); ++i) EXPECT_NEAR(outputs[0].values[i], tensor[i], 1e-8);
    const double expected = params::symmetric_encryption_noise(echo.context->parameters(), 0x1p40);
    EXPECT_GT(outputs[0].noise, expected / 2);
    EXPECT_LT(outputs[0].noise, expected * 2);
  }
}

TEST(Client, EncryptsUnderAPublicKeyAndCannotDecryptWithIt) {
  const Echo echo({10});
  const scheme::ckks::PublicKey key = scheme::ckks::KeyGenerator(echo.context).public_key(*echo.secret);
  const Client sender(std::make_shared<const ClientModel>(echo.model), echo.context, key);
  const auto arrays = encrypt(sender, Tensors{ramp(10)});
  EXPECT_THROW(sender.decrypt(arrays), base::InputError);
  EXPECT_NEAR(echo.client().decrypt(arrays)[0].values[3], ramp(10)[3], 1e-7);
}

TEST(Client, TheUnitOfAnOutputIsUndoneAfterItsBoundsAreChecked) {
  Echo echo({4});
  echo.model.interface.outputs[0].unit = -10;
  const auto outputs = echo.client().decrypt(encrypt(echo.client(), Tensors{{0.1, 0.7, -0.9, 0.2}}));
  EXPECT_EQ(outputs[0].shape, layout::Shape{4});
  EXPECT_NEAR(outputs[0].values[1], -7, 1e-7);
  EXPECT_NEAR(outputs[0].values[2], 9, 1e-7);
  EXPECT_NEAR(outputs[0].values[0], -1, 1e-7);
}

TEST(Client, InputsOutsideTheCalibratedIntervalAreRefusedByElement) {
  const Echo echo({10});
  const Client client = echo.client();
  const auto with = [&](std::size_t at, double value) {
    std::vector<double> tensor = ramp(10);
    tensor[at] = value;
    return Tensors{tensor};
  };
  EXPECT_THAT([&] { encrypt(client, with(7, 1.25)); },
              ThrowsMessage<base::InputError>(AllOf(HasSubstr("'x'"), HasSubstr("element 7 is a private value"),
                                                    HasSubstr("[-1, 1]"), Not(HasSubstr("1.25")))));
  base::show_private_values(true);
  EXPECT_THAT([&] { encrypt(client, with(7, 1.25)); },
              ThrowsMessage<base::InputError>(HasSubstr("element 7 is 1.25, outside [-1, 1]")));
  base::show_private_values(false);
  EXPECT_THROW(encrypt(client, with(0, -1.01)), base::InputError);
  EXPECT_NO_THROW(encrypt(client, with(0, 1)));
  EXPECT_THAT([&] { encrypt(client, with(2, std::numeric_limits<double>::quiet_NaN())); },
              ThrowsMessage<base::InputError>(HasSubstr("element 2 is nan")));
  EXPECT_THROW(encrypt(client, with(2, std::numeric_limits<double>::infinity())), base::InputError);
  EXPECT_THROW(encrypt(client, Tensors{ramp(9)}), base::InputError);
  EXPECT_THROW(encrypt(client, Tensors{ramp(10), ramp(10)}), base::InputError);
  Echo any({10}, 0, 0);
  EXPECT_NO_THROW(encrypt(any.client(), with(0, 100)));
  EXPECT_THAT(
      [&] { encrypt(any.client(), with(3, -1e40)); },
      ThrowsMessage<base::InputError>(AllOf(HasSubstr("element 3 is a private value"), HasSubstr("parameters carry"))));
}

TEST(Client, OutputsOutsideTheBoundsAreRefused) {
  Echo echo({10});
  const auto arrays = encrypt(echo.client(), Tensors{ramp(10)});
  echo.model.interface.outputs[0].lowest = -0.9;
  EXPECT_THAT([&] { echo.client().decrypt(arrays); },
              ThrowsMessage<base::InputError>(
                  AllOf(HasSubstr("'y'"), HasSubstr("element 0 decrypts to a private value"), HasSubstr("calibra"))));
  base::show_private_values(true);
  EXPECT_THAT([&] { echo.client().decrypt(arrays); },
              ThrowsMessage<base::InputError>(HasSubstr("element 0 decrypts to -1, outside [-0.9,")));
  base::show_private_values(false);
}

TEST(Client, AResultUnderAnotherKeyIsRecognised) {
  const Echo echo({10}), other({10});
  const auto arrays = encrypt(other.client(), Tensors{ramp(10)});
  EXPECT_THAT([&] { echo.client().decrypt(arrays); }, ThrowsMessage<base::InputError>(HasSubstr("not a result")));
}

TEST(Client, ADamagedCiphertextIsRecognised) {
  const Echo echo({10});
  auto arrays = encrypt(echo.client(), Tensors{ramp(10)});
  arrays[0][0].c0.limb(0)[17] ^= 1u << 30;
  EXPECT_THAT([&] { echo.client().decrypt(arrays); }, ThrowsMessage<base::InputError>(HasSubstr("not a result")));
}

TEST(Client, AWrappedResultIsRecognised) {
  // Squares beyond q_0 / scale = 2^10: the slots wrap modulo q_0 and come back as other numbers.
  for (const double bound : {0.0, 2e5}) {
    Echo echo({10}, -bound, bound);
    echo.model.interface.outputs[0].lowest = bound > 0 ? -10 : 0;
    echo.model.interface.outputs[0].highest = bound > 0 ? 10 : 0;
    std::vector<double> tensor = ramp(10);
    for (double& x : tensor) x *= 300;
    const auto arrays = encrypt(echo.client(), Tensors{tensor});
    params::KeyManifest manifest;
    manifest.relinearise_level = 2;
    const auto keys = std::make_shared<const scheme::ckks::EvaluationKeys>(
        scheme::ckks::KeyGenerator(echo.context).evaluation_keys(*echo.secret, manifest));
    const scheme::ckks::Evaluator evaluator(echo.context, keys);
    const auto decrypt = [&](const scheme::ckks::Ciphertext& result) {
      echo.model.interface.outputs[0].level = result.level;
      echo.model.interface.outputs[0].scale = result.scale;
      return echo.client().decrypt(Arrays{{result}})[0].values;
    };
    const scheme::ckks::Ciphertext square = evaluator.square(arrays[0][0]);
    EXPECT_THAT([&] { decrypt(evaluator.drop_to_level(square, 0)); },
                ThrowsMessage<base::InputError>(HasSubstr("calibrat")))
        << bound;
    if (bound == 0) {  // at level 1 there is room for it
      EXPECT_NEAR(decrypt(square)[0], 90000, 1);
    }
  }
}

TEST(Client, CopiesThatDisagreeAndPaddingThatIsNotZeroAreRecognised) {
  Echo echo({10});  // 16 slots a copy, of which 6 hold nothing
  std::vector<double> slots(static_cast<std::size_t>(echo.slots));
  for (std::size_t s = 0; s < slots.size(); ++s) slots[s] = s % 16 < 10 ? 0.5 : 0;
  EXPECT_NEAR(echo.client().decrypt(Arrays{echo.array(slots)})[0].values[9], 0.5, 1e-8);
  slots[16 * 5 + 3] = 0.6;
  EXPECT_THAT([&] { echo.client().decrypt(Arrays{echo.array(slots)}); },
              ThrowsMessage<base::InputError>(HasSubstr("two copies")));
  slots[16 * 5 + 3] = 0.5;
  slots[14] = 0.3;
  EXPECT_THAT([&] { echo.client().decrypt(Arrays{echo.array(slots)}); },
              ThrowsMessage<base::InputError>(HasSubstr("holds no element")));
}

TEST(Client, ALevelOrScaleThatIsNotTheModelsIsRefused) {
  const Echo echo({10});
  const std::vector<double> slots(static_cast<std::size_t>(echo.slots), 0);
  const auto refused = [&](double scale, int level, const char* words) {
    EXPECT_THAT([&] { echo.client().decrypt(Arrays{echo.array(slots, scale, level)}); },
                ThrowsMessage<base::InputError>(AllOf(HasSubstr("'y'"), HasSubstr(words), HasSubstr("2^40.000"))));
  };
  refused(0x1p39, 2, "level 2 with scale 2^39.000");
  refused(0x1p40, 1, "level 1 with scale 2^40.000");
  Arrays arrays{echo.array(slots)};
  EXPECT_NO_THROW(echo.client().decrypt(arrays));
  arrays[0][0].scale = 0x1p41;  // a server that halves every number
  EXPECT_THROW(echo.client().decrypt(arrays), base::InputError);
  arrays[0][0].scale = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(echo.client().decrypt(arrays), base::InputError);
}

TEST(Client, OutputsOfAnotherShapeAreRefused) {
  const Echo echo({10});
  EXPECT_THROW(echo.client().decrypt({}), base::InputError);
  auto arrays = encrypt(echo.client(), Tensors{ramp(10)});
  arrays[0].push_back(arrays[0][0]);
  EXPECT_THROW(echo.client().decrypt(arrays), base::InputError);
}

TEST(Client, AModelOfOtherParametersIsRefused) {
  Echo echo({10});
  Echo other({10});
  other.literal.q_bits.push_back(40);
  other.model.literal = other.literal;
  EXPECT_THROW(Client(std::make_shared<const ClientModel>(other.model), echo.context, echo.secret), base::KeyMismatch);
  echo.model.interface.inputs[0].level = 3;
  EXPECT_THROW(echo.client(), base::InputError);
  echo = Echo({10});
  echo.model.interface.outputs[0].scale = 0;
  EXPECT_THROW(echo.client(), base::InputError);
}

TEST(Client, WhatTheParametersCarryIsStatedInUnitsOfTheTensor) {
  Echo echo({2}, 0, 0);
  echo.model.interface.inputs[0].units = {1, 0x1p10};
  const double most = largest_value(echo.context->parameters(), 2, 0x1p40);
  EXPECT_NO_THROW(encrypt(echo.client(), Tensors{{0.99 * most, 0.99 * most / 0x1p10}}));
  EXPECT_THAT(
      [&] {
        encrypt(echo.client(), Tensors{{1.01 * most, 0}});
      },
      ThrowsMessage<base::InputError>(HasSubstr(fmt::format("parameters carry {:.3g} at the most", most))));
  EXPECT_THAT(
      [&] {
        encrypt(echo.client(), Tensors{{0, -1.01 * most / 0x1p10}});
      },
      ThrowsMessage<base::InputError>(
          AllOf(HasSubstr("element 1"), HasSubstr(fmt::format("carry {:.3g} at the most", most / 0x1p10)))));
}

}  // namespace
}  // namespace tacit::runtime
