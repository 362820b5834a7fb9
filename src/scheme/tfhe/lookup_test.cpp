#include <gtest/gtest.h>

#include <random>

#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/evaluator.h"

namespace tacit::scheme::tfhe {
namespace {

TEST(Lookup, OneSet) {
  const ContextPtr context =
      Context::make(params::TfheParameters::check(params::named_tfhe_literal("T4")));
  const SecretKey secret = SecretKey::generate(*context);
  const Evaluator evaluator(context, SeededEvaluationKeys::generate(*context, secret));
  const Encryptor encryptor(context, secret);
  const Decryptor decryptor(context, secret);
  std::vector<std::int64_t> messages;
  for (int i = 0; i < 32; ++i) messages.push_back(i % 16);
  const LweCiphertexts fresh = encryptor.encrypt_messages(messages);
  for (int i = 0; i < 32; ++i) EXPECT_EQ(decryptor.decrypt(fresh)[i], messages[i]);
  const auto small = decryptor.phases(evaluator.key_switch(fresh));
  for (int i = 0; i < 32; ++i) EXPECT_EQ(decode(small[i], 4), messages[i]);
  const LookupTable table = LookupTable::of(*context, [](std::int64_t x) { return (x * x + 3) % 16; });
  const auto out = decryptor.decrypt(evaluator.lookup(fresh, table));
  for (int i = 0; i < 32; ++i) EXPECT_EQ(out[i], (messages[i] * messages[i] + 3) % 16) << i;
}

}  // namespace
}  // namespace tacit::scheme::tfhe
