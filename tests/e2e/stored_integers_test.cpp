#include <gtest/gtest.h>
#include <tacit/tfhe.h>

#include "base/refusal_for_test.h"
#include "params/tfhe_parameters.h"
#include "runtime/integers/integer_files.h"
#include "runtime/sample_file.h"
#include "scheme/tfhe/context.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

/// A file of encrypted integers that is written again under other names, or more than once.
TEST(StoredIntegers, AreOnesThatWereEncryptedOrComputed) {
  const Workspace workspace;
  const tfhe::Parameters set = tfhe::Parameters::named("T1");
  const tfhe::SecretKey secret(set);
  secret.encrypt(std::vector<std::int64_t>{1, 0}).save(workspace("x"));
  const auto context = scheme::tfhe::Context::make(params::TfheParameters::check(params::named_tfhe_literal("T1")));
  const runtime::SampleReader reader =
      runtime::open_samples(workspace("x"), *context, runtime::CiphertextRole::vectors);
  ASSERT_EQ(reader.head().names, std::vector<std::string>{"fresh integers"});
  const std::vector<scheme::tfhe::FreshLweCiphertexts> one = runtime::read_inputs(reader, 0, *context);
  ASSERT_EQ(one.size(), 1U);
  const auto loaded = [&](const std::vector<std::string>& names, int samples) {
    {
      runtime::SampleWriter writer(workspace("y"), runtime::ArtefactScheme::tfhe,
                                   {runtime::CiphertextRole::vectors, reader.head().binding, names});
      const std::vector<scheme::tfhe::FreshLweCiphertexts> all(names.size(), one.front());
      for (int i = 0; i < samples; ++i) writer.add(runtime::pieces_of(*context, std::span(all)));
      writer.finish();
    }
    return base::refusal([&] {
      const tfhe::Ciphertexts read = tfhe::Ciphertexts::load(set, workspace("y"));
      EXPECT_EQ(secret.decrypt(read), (std::vector<std::int64_t>{1, 0}));
    });
  };
  const std::string other = workspace("y") + ": was not written by Ciphertexts::save";
  EXPECT_EQ(loaded({"fresh integers"}, 1), base::kNotRefused);
  EXPECT_EQ(loaded({"fresh integers"}, 2), other);
  EXPECT_EQ(loaded({"fresh integers", "fresh integers"}, 1), other);
  EXPECT_EQ(loaded({"integers"}, 1), other);
}

}  // namespace
}  // namespace tacit::test
