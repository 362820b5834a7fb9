#include "runtime/binding.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "base/refusal_for_test.h"

namespace tacit::runtime {
namespace {

Binding binding(std::uint8_t model, std::uint8_t parameters, std::uint8_t key_set) {
  Binding binding;
  binding.model = {model, 0x23, 0x45, 0x67, 0x89};
  binding.parameters = {parameters, 0x01, 0x02, 0x03, 0x04};
  binding.key_set = {key_set, 0xCD, 0xEF, 0x01, 0x23};
  return binding;
}

TEST(Binding, NamesBothThingsAndEightDigitsOfWhatDiffers) {
  const Binding expected = binding(1, 2, 3);
  const auto keys = [&](const Binding& actual) {
    return base::refusal<base::KeyMismatch>([&] { require_same_keys(expected, "keys", actual, "inputs"); });
  };
  const auto model = [&](const Binding& actual) {
    return base::refusal<base::KeyMismatch>([&] { require_same_model(expected, "model", actual, "keys"); });
  };
  EXPECT_EQ(keys(expected), base::kNotRefused);
  EXPECT_EQ(keys(binding(1, 2, 0xAB)),
            "inputs and keys do not belong together: key set abcdef01 against 03cdef01; use the keys that one key "
            "generation made");
  EXPECT_EQ(model(binding(1, 2, 0xAB)), base::kNotRefused);
  const std::string other_model = "model ab234567 against 01234567; make the keys for this model";
  EXPECT_EQ(keys(binding(0xAB, 2, 3)), "inputs and keys do not belong together: " + other_model);
  EXPECT_EQ(model(binding(0xAB, 2, 3)), "keys and model do not belong together: " + other_model);
  EXPECT_THAT(base::refusal<base::KeyMismatch>(
                  [&] { require_same_keys(expected, "keys", binding(0xAB, 2, 3), "answers", kNameResults); }),
              testing::EndsWith("against 01234567; name the results that this model gave"));
  // Of several the first in this order.
  const std::string other_set = "parameter set ab010203 against 02010203; make the keys for this model";
  EXPECT_EQ(keys(binding(0xAB, 0xAB, 0xAB)), "inputs and keys do not belong together: " + other_set);
  EXPECT_EQ(keys(binding(0xAB, 2, 0xAB)), "inputs and keys do not belong together: " + other_model);
  Binding last = expected;
  last.key_set.back() ^= 1;
  EXPECT_NE(keys(last), base::kNotRefused) << "all digits count";
}

TEST(Binding, AModelIsKnownByItsParametersAndBothHalves) {
  const params::ParameterHash parameters{1, 2};
  const base::Digest server{3, 4}, client{5, 6};
  constexpr std::string_view kDomain = "tacit model 3";
  std::vector<std::uint8_t> bytes(kDomain.begin(), kDomain.end());
  for (const auto& part : {parameters, server, client}) bytes.insert(bytes.end(), part.begin(), part.end());
  EXPECT_EQ(model_id(parameters, server, client), base::sha256(std::as_bytes(std::span(bytes))));
  EXPECT_NE(model_id(parameters, client, server), model_id(parameters, server, client));
}

TEST(Binding, EveryKeyGenerationHasAKeySetOfItsOwn) { EXPECT_NE(new_key_set_id(), new_key_set_id()); }

}  // namespace
}  // namespace tacit::runtime
