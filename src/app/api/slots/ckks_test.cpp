#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/ckks.h>

#include <cmath>
#include <fstream>
#include <numeric>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::ckks {
namespace {

using base::expect_refusal;

// Too small to be secure, large enough to be exact to 2^-20 and fast.
const char* const kSmallRing = R"({"name": "small", "log_n": 10, "q_bits": [50, 40, 40, 40], "p_bits": [50],
                               "log_scale": 40, "insecure": true})";

struct Party {
  explicit Party(const KeyRequest& request = {}, const char* literal = kSmallRing)
      : context(Parameters::from_json(literal, InsecureParameters::allow)),
        generator(context),
        secret(generator.secret_key()),
        evaluator(context, generator.evaluation_keys(secret, request)) {}

  Ciphertext encrypt(const std::vector<double>& values) const { return Encryptor(context, secret).encrypt(values); }
  std::vector<double> decrypt(const Ciphertext& ciphertext) const {
    return Decryptor(context, secret).decrypt(ciphertext);
  }
  std::size_t slots() const { return context.parameters().slots(); }

  Context context;
  KeyGenerator generator;
  SecretKey secret;
  Evaluator evaluator;
};

std::vector<double> ramp(std::size_t size, double step) {
  std::vector<double> values(size);
  for (std::size_t i = 0; i < size; ++i) values[i] = std::sin(step * static_cast<double>(i + 1));
  return values;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double worst = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  return worst;
}

TEST(CkksApi, ParametersTellWhatTheyOffer) {
  const auto set = Parameters::named("N14-d7");
  EXPECT_EQ(set.slots(), 8192u);
  EXPECT_EQ(set.max_level(), 7);
  EXPECT_EQ(set.security_bits(), 128);
  EXPECT_EQ(set.scale(), std::exp2(40));
  EXPECT_LE(set.log_qp(), 430);
  EXPECT_EQ(Parameters::from_json(set.to_json()).to_json(), set.to_json());
  EXPECT_THAT(Parameters::names(), ::testing::Contains("N16-d32"));
  EXPECT_EQ(Parameters::from_json(kSmallRing, InsecureParameters::allow).security_bits(), 0);
  expect_refusal<InputError>([] { Parameters::from_json(kSmallRing); }, "'small' is marked insecure");
  expect_refusal<InputError>([] { Parameters::named("N12-d99"); }, "N12-d99");
  expect_refusal<InputError>(
      [] {
        Parameters::from_json(R"({"name": "weak", "log_n": 13, "q_bits": [50, 50, 50, 50, 50], "p_bits": [50],
                                  "log_scale": 40})");
      },
      "214");
}

TEST(CkksApi, PublicAndSecretEncryptionDecryptAlike) {
  const Party party;
  const auto values = ramp(party.slots(), 0.3);
  const auto open = party.generator.public_key(party.secret);
  EXPECT_LT(distance(party.decrypt(Encryptor(party.context, open).encrypt(values)), values), 1e-7);
  EXPECT_LT(distance(party.decrypt(party.encrypt(values)), values), 1e-7);
}

TEST(CkksApi, ComplexSlotsConjugate) {
  const Party party({.conjugate = true});
  const Encoder encoder(party.context);
  const std::vector<std::complex<double>> values{{1.5, -0.5}, {0, 2}};
  const auto hidden = Encryptor(party.context, party.secret).encrypt(encoder.encode(values));
  const auto back = Decryptor(party.context, party.secret).decrypt_complex(party.evaluator.conjugate(hidden), 1e-8);
  EXPECT_LT(std::abs(back[0] - std::complex<double>(1.5, 0.5)), 1e-7);
  EXPECT_LT(std::abs(back[1] - std::complex<double>(0, -2)), 1e-7);
}

TEST(CkksApi, SumsBringTheFresherOperandToTheLevelAndScaleOfTheOther) {
  const Party party;
  const auto x = ramp(party.slots(), 0.7);
  const auto hidden = party.encrypt(x);
  const auto square = party.evaluator.square(hidden);
  for (const auto& sum : {party.evaluator.add(square, hidden), party.evaluator.add(hidden, square)}) {
    EXPECT_EQ(sum.level(), square.level());
    EXPECT_EQ(sum.scale(), square.scale());
    std::vector<double> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] * x[i] + x[i];
    EXPECT_LT(distance(party.decrypt(sum), expected), 1e-7);
  }
  std::vector<double> difference(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) difference[i] = x[i] - x[i] * x[i];
  EXPECT_LT(distance(party.decrypt(party.evaluator.sub(hidden, square)), difference), 1e-7);
  const auto other = party.evaluator.adjust(hidden, square.level(), square.scale() * 1.5);
  expect_refusal<InputError>([&] { party.evaluator.add(square, other); }, "scale");
}

TEST(CkksApi, PlainOperandsKeepTheScale) {
  const Party party;
  const auto x = ramp(party.slots(), 0.7), y = ramp(party.slots(), 0.2);
  const auto hidden = party.encrypt(x);
  const auto product = party.evaluator.multiply_plain(hidden, y);
  EXPECT_EQ(product.level(), hidden.level() - 1);
  EXPECT_EQ(product.scale(), hidden.scale());
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] * y[i] - y[i];
  EXPECT_LT(distance(party.decrypt(party.evaluator.sub_plain(product, y)), expected), 1e-7);
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = -2.5 * x[i];
  EXPECT_LT(distance(party.decrypt(party.evaluator.negate(party.evaluator.multiply_scalar(hidden, 2.5))), expected),
            1e-7);

  const Encoder encoder(party.context);
  const auto wide = party.evaluator.multiply_plain(hidden, encoder.encode(y));
  EXPECT_EQ(wide.level(), hidden.level());
  EXPECT_EQ(wide.scale(), hidden.scale() * party.context.parameters().scale());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[i] * y[i];
  EXPECT_LT(distance(party.decrypt(party.evaluator.rescale(wide)), expected), 1e-7);
}

TEST(CkksApi, RotationsTakeAnySign) {
  const Party party({.rotations = {1, -3}});
  const auto x = ramp(party.slots(), 0.7);
  const auto hidden = party.encrypt(x);
  const std::vector<std::int64_t> steps{1, -3, 0};
  const auto rotated = party.evaluator.rotate(hidden, steps);
  ASSERT_EQ(rotated.size(), 3u);
  for (std::size_t k = 0; k < steps.size(); ++k) {
    std::vector<double> expected(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[i] = x[(i + x.size() + static_cast<std::size_t>(steps[k])) % x.size()];
    EXPECT_LT(distance(party.decrypt(rotated[k]), expected), 1e-7) << steps[k];
    EXPECT_LT(distance(party.decrypt(party.evaluator.rotate(hidden, steps[k])), expected), 1e-7) << steps[k];
  }
  expect_refusal<InputError>([&] { party.evaluator.rotate(hidden, 2); }, "rotation");
}

TEST(CkksApi, MatricesOfAnyShapeIgnoreWhatLiesBeyondTheirColumns) {
  const Context context(Parameters::from_json(kSmallRing, InsecureParameters::allow));
  for (const auto& [rows, columns] :
       {std::pair<std::size_t, std::size_t>{1, 1}, {7, 30}, {64, 5}, {1, 512}, {512, 1}}) {
    const auto entries = ramp(rows * columns, 0.11);
    const auto transform = LinearTransform::from_matrix(context, rows, columns, entries, 2);
    const Party party({.multiply = false, .rotations = transform.rotations(), .level = 2});
    const auto x = ramp(party.slots(), 0.7);
    const auto product = party.evaluator.apply(transform, party.encrypt(x));
    EXPECT_EQ(product.level(), 1);
    EXPECT_EQ(product.scale(), party.context.parameters().scale());
    std::vector<double> expected(party.slots());
    for (std::size_t i = 0; i < rows; ++i)
      expected[i] = std::inner_product(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(columns),
                                       entries.begin() + static_cast<std::ptrdiff_t>(i * columns), 0.0);
    EXPECT_LT(distance(party.decrypt(product), expected), 1e-5) << rows << " x " << columns;
    const auto low = party.evaluator.drop_to_level(party.encrypt(x), 1);
    expect_refusal<InputError>([&] { party.evaluator.apply(transform, low); }, "prepared for level 2");
  }
  expect_refusal<InputError>([&] { LinearTransform::from_matrix(context, 513, 1, {}); }, "512");
  expect_refusal<InputError>([&] { LinearTransform::from_matrix(context, 2, 2, std::vector<double>(3)); }, "4 entries");
  expect_refusal<InputError>([&] { LinearTransform::from_diagonals(context, {}); }, "at least one");
  expect_refusal<InputError>([&] { LinearTransform::from_diagonals(context, {{1, {1.0}}, {-511, {1.0}}}); }, "twice");
}

TEST(CkksApi, DiagonalsMayRepeat) {
  const Context context(Parameters::from_json(kSmallRing, InsecureParameters::allow));
  const auto transform = LinearTransform::from_diagonals(context, {{-1, {0.5}}, {2, {1.0, -1.0}}});
  const Party party({.rotations = transform.rotations()});
  const auto x = ramp(party.slots(), 0.7);
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    expected[i] = 0.5 * x[(i + x.size() - 1) % x.size()] + (i % 2 == 0 ? 1 : -1) * x[(i + 2) % x.size()];
  EXPECT_LT(distance(party.decrypt(party.evaluator.apply(transform, party.encrypt(x))), expected), 1e-7);
}

TEST(CkksApi, PolynomialsAreChebyshevSeries) {
  const Party party;
  const auto x = ramp(party.slots(), 0.7);
  const auto result = party.evaluator.polynomial(party.encrypt(x), std::vector<double>{0.25, -1, 0.5, 2});
  EXPECT_EQ(result.level(), 1);
  EXPECT_EQ(result.scale(), party.context.parameters().scale());
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = std::acos(x[i]);
    expected[i] = 0.25 - x[i] + 0.5 * std::cos(2 * t) + 2 * std::cos(3 * t);
  }
  EXPECT_LT(distance(party.decrypt(result), expected), 1e-6);
  expect_refusal<InputError>([&] { party.evaluator.polynomial(party.encrypt(x), {}); }, "no coefficients");
}

TEST(CkksApi, LevelsRunOutInASentence) {
  const Party party;
  auto x = party.evaluator.drop_to_level(party.encrypt({0.5}), 0);
  expect_refusal<InputError>([&] { party.evaluator.square(x); }, "level");
  expect_refusal<InputError>([&] { party.evaluator.multiply_scalar(x, 2); }, "no level is left");
  expect_refusal<InputError>([&] { party.encrypt(std::vector<double>(party.slots() + 1)); }, "512");
  expect_refusal<InputError>([&] { party.encrypt({std::nan("")}); }, "");
}

TEST(CkksApi, KeysOfOthersAreTold) {
  const Party alice, bob;
  const Party carol({}, R"({"name": "other", "log_n": 10, "q_bits": [50, 40, 40], "p_bits": [50], "log_scale": 40,
                            "insecure": true})");
  const auto hidden = alice.encrypt({1, 2, 3});
  expect_refusal<KeyMismatch>([&] { bob.decrypt(hidden); }, "another secret key");
  expect_refusal<KeyMismatch>([&] { bob.evaluator.square(hidden); }, "another secret key");
  expect_refusal<KeyMismatch>([&] { Decryptor(carol.context, alice.secret); }, "");
  expect_refusal<KeyMismatch>([&] { carol.generator.public_key(alice.secret); }, "");
}

class CkksFiles : public ::testing::Test {
 protected:
  const base::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

TEST_F(CkksFiles, CarryEverythingAcrossProcesses) {
  const Party party({.rotations = {5}});
  const auto x = ramp(party.slots(), 0.7);
  party.secret.save(folder / "secret");
  party.generator.public_key(party.secret).save(folder / "public");
  party.generator.evaluation_keys(party.secret, {.rotations = {5}}).save(folder / "evaluation");
  party.encrypt(x).save(folder / "ciphertext");

  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(folder / "secret").permissions() & (perms::group_all | perms::others_all),
            perms::none);

  const Context context(Parameters::from_json(kSmallRing, InsecureParameters::allow));
  std::filesystem::permissions(folder / "secret", perms::owner_read | perms::owner_write | perms::group_read);
  EXPECT_THROW(SecretKey::load(context, folder / "secret"), InputError);
  std::filesystem::permissions(folder / "secret", perms::owner_read | perms::owner_write);
  const Evaluator evaluator(context, EvaluationKeys::load(context, folder / "evaluation"));
  const Encryptor encryptor(context, PublicKey::load(context, folder / "public"));
  const Decryptor decryptor(context, SecretKey::load(context, folder / "secret"));
  const auto y = ramp(party.slots(), 0.2);
  const auto sum =
      evaluator.add(evaluator.rotate(Ciphertext::load(context, folder / "ciphertext"), 5), encryptor.encrypt(y));
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = x[(i + 5) % x.size()] + y[i];
  EXPECT_LT(distance(decryptor.decrypt(sum), expected), 1e-7);
}

TEST_F(CkksFiles, AreRefusedWhenTheyAreNotWhatTheyShouldBe) {
  const Party party;
  party.secret.save(folder / "secret");
  party.encrypt({1}).save(folder / "ciphertext");
  expect_refusal<InputError>([&] { EvaluationKeys::load(party.context, folder / "secret"); }, "secret key");
  expect_refusal<InputError>([&] { SecretKey::load(party.context, folder / "ciphertext"); }, "ciphertext");
  expect_refusal<InputError>([&] { Ciphertext::load(party.context, folder / "absent"); }, "absent");
  const Context other(Parameters::named("N13-d4"));
  expect_refusal<KeyMismatch>([&] { SecretKey::load(other, folder / "secret"); }, "");

  const auto size = std::filesystem::file_size(folder / "ciphertext");
  {
    std::fstream file(folder / "ciphertext", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(static_cast<std::streamoff>(size / 2));
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(static_cast<std::streamoff>(size / 2));
    file.put(byte);
  }
  expect_refusal<InputError>([&] { Ciphertext::load(party.context, folder / "ciphertext"); }, "ciphertext");
  std::filesystem::resize_file(folder / "ciphertext", size / 2);
  expect_refusal<InputError>([&] { Ciphertext::load(party.context, folder / "ciphertext"); }, "ciphertext");
}

// The chain of S8 on a ring of 2^10.
const char* const kSmallS8 = R"({"name": "small S8", "log_n": 10, "log_scale": 40, "insecure": true,
    "q_bits": [50, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 50, 50, 50, 50, 50, 50, 29, 29, 50, 50, 50, 50, 50],
    "p_bits": [48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48, 48], "digits": [13, 12],
    "bootstrap": {"slots_to_coefficients": 3, "sine": [1, 2, 1, 1, 1, 1, 1, 1], "coefficients_to_slots": 4,
                  "ephemeral_weight": 32}})";

TEST(Bootstrapping, GivesLevelsBack) {
  EXPECT_THAT(Parameters::names(), ::testing::Contains("S8"));
  const Party party({.bootstrap = true}, kSmallS8);
  const Bootstrapping linear(party.context), folded(party.context, Bootstrapping::Form::folded, 6);
  EXPECT_EQ(linear.input_level(), 3);
  EXPECT_EQ(linear.output_level(), 11);
  const auto x = ramp(party.slots(), 0.7), y = ramp(party.slots(), 1.3);
  const auto low = [&](const std::vector<double>& values) {
    return party.evaluator.drop_to_level(party.encrypt(values), 4);
  };
  const Ciphertext fresh = party.evaluator.bootstrap(linear, low(x));
  EXPECT_EQ(fresh.level(), 11);
  EXPECT_LT(distance(party.decrypt(fresh), x), 0x1p-18);
  const Ciphertext twice = party.evaluator.bootstrap_twice(linear, low(x));
  EXPECT_EQ(twice.level(), 11);
  EXPECT_LT(distance(party.decrypt(twice), x), 0x1p-24);  // what the fresh ciphertext has
  // A product is at another scale, which costs the level above the one it starts from.
  const Ciphertext product = party.evaluator.multiply(party.evaluator.drop_to_level(party.encrypt(x), 5),
                                                      party.evaluator.drop_to_level(party.encrypt(y), 5));
  std::vector<double> expected(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) expected[i] = folded.result(x[i] * y[i]);
  const Ciphertext refreshed = party.evaluator.bootstrap(folded, product);
  EXPECT_EQ(refreshed.level(), 6);
  EXPECT_LT(distance(party.decrypt(refreshed), expected), 0x1p-20);
  EXPECT_NEAR(folded.inverse(folded.result(0.9)), 0.9, 1e-12);
  const auto [a, b] = party.evaluator.bootstrap(linear, low(x), low(y));
  EXPECT_LT(distance(party.decrypt(a), x), 0x1p-18);
  EXPECT_LT(distance(party.decrypt(b), y), 0x1p-18);
}

TEST(Bootstrapping, RefusesSetsLevelsAndKeys) {
  const Party leveled;
  expect_refusal<InputError>([&] { const Bootstrapping how(leveled.context); }, "the set is leveled; use one of S8");
  expect_refusal<InputError>([&] { leveled.generator.evaluation_keys(leveled.secret, {.bootstrap = true}); },
                             "the set is leveled");
  const Party party({}, kSmallS8);
  expect_refusal<InputError>([&] { const Bootstrapping how(party.context, Bootstrapping::Form::linear, 12); },
                             "the output level 12 is outside 3 to 11");
  const Bootstrapping how(party.context);
  const auto x = party.encrypt(ramp(party.slots(), 0.7));
  expect_refusal<InputError>([&] { party.evaluator.bootstrap(how, x); },
                             "the bootstrapping to-ephemeral key is missing");
  expect_refusal<InputError>([&] { party.evaluator.bootstrap(how, party.evaluator.drop_to_level(x, 2)); },
                             "begins at level 3 and the input is at level 2");
}

TEST(CkksApi, TheLastLevelCanBeSpent) {
  const Party party;
  const auto x = party.evaluator.drop_to_level(party.encrypt({0.5}), 1);
  const auto twice = party.evaluator.multiply_scalar(x, 2), square = party.evaluator.square(x);
  EXPECT_EQ(twice.level(), 0);
  EXPECT_EQ(square.level(), 0);
  EXPECT_NEAR(party.decrypt(twice)[0], 1, 1e-6);
  EXPECT_NEAR(party.decrypt(square)[0], 0.25, 1e-6);
}

TEST(CkksApi, AProductIsOneBelowTheLowerOfItsOperands) {
  const Party party;
  const auto x = ramp(party.slots(), 0.7);
  const auto high = party.encrypt(x), low = party.evaluator.drop_to_level(high, 1);
  std::vector<double> squares(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) squares[i] = x[i] * x[i];
  EXPECT_EQ(high.level(), 3);
  EXPECT_EQ(party.evaluator.multiply(high, high).level(), 2);
  for (const auto& product : {party.evaluator.multiply(high, low), party.evaluator.multiply(low, high)}) {
    EXPECT_EQ(product.level(), 0);
    EXPECT_LT(distance(party.decrypt(product), squares), 1e-7);
  }
}

TEST(CkksApi, AChangeOfScaleCostsALevel) {
  const Party party;
  const auto x = ramp(party.slots(), 0.7);
  const auto hidden = party.encrypt(x);
  const auto same = party.evaluator.adjust(hidden, 3, hidden.scale());
  EXPECT_EQ(same.level(), 3) << "nothing changes";
  for (const int level : {2, 0}) {
    const auto changed = party.evaluator.adjust(hidden, level, hidden.scale() * 1.5);
    EXPECT_EQ(changed.level(), level);
    EXPECT_EQ(changed.scale(), hidden.scale() * 1.5);
    EXPECT_LT(distance(party.decrypt(changed), x), 1e-7);
  }
  for (const int level : {3, 4, -1})
    expect_refusal<InputError>([&] { party.evaluator.adjust(hidden, level, hidden.scale() * 1.5); },
                               std::string("adjust: a change of scale costs a level, so level ") +
                                   std::to_string(level) + " must lie below the ciphertext's 3");
}

}  // namespace
}  // namespace tacit::ckks
