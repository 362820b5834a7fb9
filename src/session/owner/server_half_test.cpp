#include "session/server_half.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "runtime/compiled_model.h"
#include "session/owner/halves.h"
#include "session/owner/small_perceptron_for_test.h"

namespace tacit::session {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// A perceptron of one layer on a small ring, and the file of its server's half.
class ServerHalfOnSlots : public testing::Test {
 protected:
  ServerHalfOnSlots() {
    halves_ = halves_of(small_perceptron());
    runtime::save(halves_.server, file_);
  }
  std::unique_ptr<ServerHalf> loaded(const base::MemoryBudget& memory = {}) {
    return load_server_half(file_, memory, [&](const params::ParameterIdentity&) { ++checks_; });
  }

  const base::TemporaryFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "server";
  Halves halves_;
  int checks_ = 0;
};

TEST_F(ServerHalfOnSlots, SaysWhatItServes) {
  const std::unique_ptr<ServerHalf> half = loaded();
  EXPECT_EQ(checks_, 1);
  EXPECT_EQ(half->model().name, "small");
  EXPECT_EQ(half->model().scheme, runtime::ArtefactScheme::ckks);
  EXPECT_EQ(half->model().binding.model, halves_.server.id);
  EXPECT_EQ(half->model().binding.parameters, half->model().parameters.hash);
  EXPECT_GT(half->model().key_bytes, 0u);
}

// Keys come and go with clients: what stays for all of them does not depend on how large they are.
TEST_F(ServerHalfOnSlots, WhatEvaluationsShareIsCountedWithoutKeys) {
  const auto shared = [&](std::uint64_t key_bytes) {
    return loaded()->prepare({.memory = {}, .evaluations = 1}, key_bytes, base::Progress::silent());
  };
  const std::uint64_t bytes = shared(0);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(shared(std::uint64_t{1} << 20), bytes);
  EXPECT_EQ(shared(std::uint64_t{1} << 30), bytes);
}

TEST_F(ServerHalfOnSlots, WhatDoesNotFitTheBudgetIsRefusedByName) {
  EXPECT_THAT([&] { loaded({.bytes = 1}); },
              ThrowsMessage<base::InputError>(AllOf(HasSubstr("model 'small'"), HasSubstr("need"))));
}

}  // namespace
}  // namespace tacit::session
