#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "base/refusal_for_test.h"
#include "params/noise.h"
#include "params/sharing.h"
#include "runtime/slots/client.h"
#include "runtime/slots/decryption_check.h"
#include "runtime/slots/small_program_for_test.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"

namespace tacit::runtime {
namespace {

using layout::Layout;
using testing::HasSubstr;
using testing::Not;

/// A model of levels 0 to 2 whose program hands its input of so many elements back.
struct Returned {
  params::CkksLiteral literal = small_insecure_literal(2);
  scheme::ckks::ContextPtr context;
  std::shared_ptr<const scheme::ckks::SecretKey> secret;
  ClientModel model;

  explicit Returned(const layout::Shape& shape, bool real_slots = false, double lowest = -1, double highest = 1) {
    literal.real_slots = real_slots;
    context = scheme::ckks::Context::make(params::CkksParameters::check(literal));
    secret = std::make_shared<const scheme::ckks::SecretKey>(scheme::ckks::KeyGenerator(context).secret_key());
    const Layout layout = Layout::row_major(shape, static_cast<layout::Index>(context->parameters().slots()));
    model.name = "returned";
    model.literal = literal;
    model.interface.inputs = {{"x", layout, 2, 0x1p40, lowest, highest}};
    model.interface.outputs = {{"y", layout, 0, 1, lowest, highest, 2, 0x1p40}};
  }
  program::ClientInput& input() { return model.interface.inputs[0]; }
  program::ClientOutput& output() { return model.interface.outputs[0]; }
  Client client() const { return {std::make_shared<const ClientModel>(model), context, secret}; }

  using Sample = std::vector<std::vector<double>>;
  std::vector<CiphertextArray> encrypt(const std::vector<Sample>& samples) const { return client().encrypt(samples); }
  std::string objection(const std::vector<Sample>& samples) const {
    return base::refusal([&] { encrypt(samples); });
  }
  DecryptedOutput decrypt(const std::vector<double>& tensor, const std::optional<params::Sharing>& sharing = {}) const {
    return client().decrypt(encrypt({{tensor}}), sharing).front();
  }
  /// Of a fresh ciphertext.
  double fresh_noise() const { return params::symmetric_encryption_noise(context->parameters(), 0x1p40); }
};

const std::vector<double> kFour{0.1, 0.7, -0.9, 0.2};

TEST(ClientModelCheck, LevelsScalesAndLayoutsAreThoseOfTheParameters) {
  const auto with = [](const std::function<void(Returned&)>& change) {
    Returned made({4});
    change(made);
    return base::refusal([&] { made.client(); });
  };
  const auto refused = [](const char* tensor) {
    return fmt::format("model 'returned': {} has a layout, level or scale that its parameters do not have", tensor);
  };
  const std::string input = refused("input 'x'"), output = refused("output 'y'");
  EXPECT_EQ(with([](Returned&) {}), base::kNotRefused);
  for (const int level : {0, 2}) {
    EXPECT_EQ(with([&](Returned& it) { it.input().level = level; }), base::kNotRefused) << level;
    EXPECT_EQ(with([&](Returned& it) { it.output().level = level; }), base::kNotRefused) << level;
  }
  for (const int level : {-1, 3}) {
    EXPECT_EQ(with([&](Returned& it) { it.input().level = level; }), input) << level;
    EXPECT_EQ(with([&](Returned& it) { it.output().level = level; }), output) << level;
  }
  EXPECT_EQ(with([](Returned& it) { it.input().scale = it.output().scale = 1; }), base::kNotRefused);
  for (const double scale : {0.999, -2.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    EXPECT_EQ(with([&](Returned& it) { it.input().scale = scale; }), input) << scale;
    EXPECT_EQ(with([&](Returned& it) { it.output().scale = scale; }), output) << scale;
  }
  EXPECT_EQ(with([](Returned& it) { it.input().layout = Layout::row_major({4}, 256); }), input);
  EXPECT_EQ(with([](Returned& it) { it.output().layout = Layout::row_major({4}, 1024); }), output);
}

TEST(ClientInputs, AreRefusedWithWhatWasGivenAndWhatIsNeeded) {
  const Returned model({4});
  EXPECT_EQ(model.objection({{kFour}}), base::kNotRefused);
  EXPECT_EQ(model.objection({{kFour, kFour}}), "2 inputs were given and the model 'returned' has 1");
  EXPECT_EQ(model.objection({{}}), "0 inputs were given and the model 'returned' has 1");
  EXPECT_EQ(model.objection({{{1, 1, 1}}}), "input 'x' has 3 elements and the model needs 4");
  EXPECT_EQ(model.objection({{{0, 0, 0, std::nan("")}}}),
            "input 'x': element 3 is nan; only finite numbers can be encrypted");
}

TEST(ClientInputs, OfABatchTheSampleIsNamed) {
  Returned model({2, 2});
  model.model.interface.batch = 2;
  EXPECT_EQ(model.objection({{{0.5, 1}}, {{-1, 0}}}), base::kNotRefused);
  EXPECT_EQ(model.objection({{{0.5, 1}}}), base::kNotRefused);
  EXPECT_EQ(model.objection({{{0.5}}}), "input 'x' has 1 elements and the model needs 2");
  EXPECT_EQ(model.objection({{{0.5, 1}}, {{-1, 0, 1}}}),
            "sample 1 of a batch: input 'x' has 3 elements and the model needs 2");
  EXPECT_THAT(model.objection({{{0.5, 2}}, {{-1, 0}}}), HasSubstr("sample 0 of a batch: input 'x': element 1 is"));
  const DecryptedOutput both = model.client().decrypt(model.encrypt({{{0.5, 1}}, {{-1, 0.25}}})).front();
  const std::vector<double> expected{0.5, 1, -1, 0.25};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(both.values[i], expected[i], 1e-8) << i;
}

TEST(ClientInputs, AnElementAtTheLargestValueIsAccepted) {
  const Returned model({2}, false, 0, 0);
  const double most = largest_value(model.context->parameters(), 2, 0x1p40);
  EXPECT_EQ(model.objection({{{most, -most}}}), base::kNotRefused);
  EXPECT_THAT(
      model.objection({{{0, -std::nextafter(most, 2 * most)}}}),
      HasSubstr(fmt::format("element 1 is a private value (--verbose shows it), and the parameters carry {:.3g} "
                            "at the most",
                            most)));
}

TEST(ClientResults, NoiseIsToldInUnitsOfTheTensor) {
  Returned model({4});
  model.output().unit = -10;
  const double fresh = model.fresh_noise();
  const DecryptedOutput measured = model.decrypt(kFour);
  EXPECT_GT(measured.noise, 10 * fresh / 2);
  EXPECT_LT(measured.noise, 10 * fresh * 2);
  EXPECT_EQ(measured.added, measured.noise);
  // A larger one that the compiler modelled is told, but not added: complex slots show theirs.
  model.output().noise = 1e-6;
  const DecryptedOutput modelled = model.decrypt(kFour);
  EXPECT_EQ(modelled.noise, 1e-6 * 10);
  EXPECT_GT(modelled.added, 10 * fresh / 2);
  EXPECT_LT(modelled.added, 10 * fresh * 2);
}

TEST(ClientResults, RealSlotsTakeTheModelledNoise) {
  Returned model({4}, true);
  model.output().noise = 1e-6;
  const DecryptedOutput result = model.decrypt(kFour);
  EXPECT_EQ(result.noise, 1e-6);
  EXPECT_EQ(result.added, 1e-6);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(result.values[i], kFour[i], 2e-5) << i;
}

// They show none: it is taken to be that of a key switch.
TEST(ClientResults, RealSlotsWhoseNoiseIsNotKnownTakeThatOfAKeySwitch) {
  const Returned model({4}, true);
  const double switched = params::key_switch_noise(model.context->parameters(), 2, 0x1p40);
  const DecryptedOutput result = model.decrypt(kFour);
  EXPECT_DOUBLE_EQ(result.noise, switched);
  EXPECT_DOUBLE_EQ(result.added, switched);
}

// A flood of 2^(20 / 2) sqrt(12) times the noise of 2^-30, 2^-18.2, leaves steps of four of it: 16 bits.
TEST(ClientResults, AreSharedToAsManyBitsAsTheFloodLeaves) {
  Returned model({4});
  model.output().noise = 0x1p-30;
  const auto sharing = [](int bits) { return params::Sharing{.bits = bits, .statistical_bits = 20, .decryptions = 1}; };
  const DecryptedOutput shared = model.decrypt(kFour, sharing(16));
  EXPECT_EQ(shared.noise, 0x1p-30);
  EXPECT_NEAR(shared.added / (0x1p-20 * std::sqrt(12.0)), 1, 1e-12);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(shared.values[i] * 0x1p16, std::nearbyint(shared.values[i] * 0x1p16)) << i;
    EXPECT_NEAR(shared.values[i], kFour[i], 4 * 0x1p-16) << i;
  }
  const auto objection = [&](int bits) { return base::refusal([&] { model.decrypt(kFour, sharing(bits)); }); };
  EXPECT_EQ(objection(17),
            "output 'y': 17 bits behind the binary point cannot be shared, 16 can: its noise of 2^-30.0 is hidden by a "
            "flood of 2^-18.2 (20 statistical bits, 1 decryptions); ask for fewer bits, compile with --share 17 for "
            "parameters that leave room, or share labels alone if the model has labels");
  // In units of the tensor noise and flood are four times as large.
  model.output().unit = -4;
  EXPECT_EQ(objection(14), base::kNotRefused);
  EXPECT_THAT(objection(15),
              HasSubstr("output 'y': 15 bits behind the binary point cannot be shared, 14 can: its noise "
                        "of 2^-28.0 is hidden by a flood of 2^-16.2 (20 statistical"));
  EXPECT_EQ(model.decrypt(kFour, sharing(14)).noise, 0x1p-28);
}

TEST(ClientResults, InTheClearAreRefused) {
  const Returned model({4});
  std::vector<CiphertextArray> arrays = model.encrypt({{kFour}});
  const auto objection = [&] { return base::refusal([&] { model.client().decrypt(arrays); }); };
  EXPECT_EQ(objection(), base::kNotRefused);
  arrays[0][0].c1.zero();
  const std::string clear =
      "output 'y': the server answered with a number that nothing encrypts: it does not depend on the question, so "
      "nothing is shown";
  EXPECT_EQ(objection(), clear);
  // One word makes it a ciphertext, of something else.
  for (const std::size_t row : {std::size_t{0}, std::size_t{2}}) {
    arrays[0][0].c1.zero();
    arrays[0][0].c1.limb(row)[0] = 1;
    EXPECT_NE(objection(), clear) << row;
    EXPECT_NE(objection(), base::kNotRefused) << row;
  }
}

TEST(ClientResults, OfAnotherShapeAreNoneOfTheModel) {
  Returned model({4});
  const std::vector<CiphertextArray> arrays = model.encrypt({{kFour}});
  const auto objection = [&](const std::vector<CiphertextArray>& outputs) {
    return base::refusal([&] { model.client().decrypt(outputs); });
  };
  const std::string none = "output 'y': the ciphertexts that came back are not those of the model 'returned'";
  EXPECT_EQ(objection({}), none);
  EXPECT_EQ(objection({{}}), none);
  EXPECT_EQ(objection({{arrays[0][0], arrays[0][0]}}), none);
  model.output().program_output = 1;
  EXPECT_EQ(objection(arrays), none);
  const std::vector<CiphertextArray> second{{}, arrays[0]};
  EXPECT_EQ(objection(second), base::kNotRefused);
  EXPECT_EQ(base::refusal([&] { model.client().decrypt(std::span(second).first(1)); }), none);
  EXPECT_EQ(DecryptedOutput{}.noise, 0.0);
  EXPECT_EQ(DecryptedOutput{}.added, 0.0);
}

}  // namespace
}  // namespace tacit::runtime
