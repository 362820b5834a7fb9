#include "app/service/first_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "app/service/refusal_for_test.h"
#include "runtime/artefact_format.h"

namespace tacit::app::service {
namespace {

using runtime::ArtefactKind;
using testing::AllOf;
using testing::HasSubstr;

/// What a file begins with, up to the bytes that name its kind.
std::string start_of(ArtefactKind kind) {
  std::string start(runtime::format::kKindOffset + sizeof kind, '\0');
  std::memcpy(start.data(), runtime::format::kMagic.data(), runtime::format::kMagic.size());
  std::memcpy(start.data() + runtime::format::kKindOffset, &kind, sizeof kind);
  return start;
}

std::string whole(const std::string& start, ArtefactKind wanted) {
  return refusal([&] { require_kind(start, wanted); });
}
std::string begun(const std::string& start, ArtefactKind wanted) {
  return refusal([&] { require_beginning_of_kind(start, wanted); });
}

TEST(FirstBytes, NameTheKindOfAFile) {
  for (const ArtefactKind wanted : {ArtefactKind::evaluation_keys, ArtefactKind::ciphertexts}) {
    const std::string file = wanted == ArtefactKind::evaluation_keys
                                 ? "400 this is no file of evaluation keys; send what keygen wrote to --evaluation"
                                 : "400 this is no file of inputs; send what encrypt wrote";
    for (const ArtefactKind kind : {ArtefactKind::server_model, ArtefactKind::client_model, ArtefactKind::public_key,
                                    ArtefactKind::evaluation_keys, ArtefactKind::ciphertexts}) {
      EXPECT_EQ(whole(start_of(kind), wanted), kind == wanted ? base::kNotRefused : file);
      EXPECT_EQ(begun(start_of(kind), wanted), kind == wanted ? base::kNotRefused : file);
      EXPECT_EQ(whole(start_of(kind) + "more", wanted), kind == wanted ? base::kNotRefused : file);
    }
    EXPECT_EQ(whole("", wanted), file);
    EXPECT_EQ(whole(std::string(16, 'x'), wanted), file);
    std::string other = start_of(wanted);
    other[7] = 'x';
    EXPECT_EQ(whole(other, wanted), file);
  }
}

TEST(FirstBytes, OfASecretKeyAreRefusedByName) {
  const std::string secret = start_of(ArtefactKind::secret_key);
  EXPECT_THAT(whole(secret, ArtefactKind::evaluation_keys),
              AllOf(HasSubstr("400 this is a secret key, and it was not stored"), HasSubstr("make new keys"),
                    HasSubstr("send the evaluation keys")));
  EXPECT_THAT(begun(secret, ArtefactKind::ciphertexts),
              AllOf(HasSubstr("400 this is a secret key"), HasSubstr("send inputs under them")));
}

TEST(FirstBytes, MayEndBeforeTheKindWhereMoreFollow) {
  const std::string start = start_of(ArtefactKind::ciphertexts);
  for (std::size_t length = 0; length < start.size(); ++length) {
    EXPECT_EQ(begun(start.substr(0, length), ArtefactKind::ciphertexts), base::kNotRefused) << length;
    EXPECT_THAT(whole(start.substr(0, length), ArtefactKind::ciphertexts), HasSubstr("400 this is no file")) << length;
  }
  EXPECT_THAT(begun("\x89TAC1T", ArtefactKind::ciphertexts), HasSubstr("400 this is no file of inputs"));
  EXPECT_THAT(begun("x", ArtefactKind::ciphertexts), HasSubstr("400 this is no file of inputs"));
}

TEST(FirstBytes, OfASecretKeyAreRefusedWhereSeveralKindsAreTaken) {
  const auto told = [](const std::string& start) { return refusal([&] { require_no_secret(start); }); };
  EXPECT_THAT(told(start_of(ArtefactKind::secret_key)), HasSubstr("400 this is a secret key, and it was not stored"));
  for (const ArtefactKind kind : {ArtefactKind::owner_group, ArtefactKind::key_part, ArtefactKind::result_share})
    EXPECT_EQ(told(start_of(kind)), base::kNotRefused);
  const std::string file = start_of(ArtefactKind::key_part);
  EXPECT_THAT(told(file.substr(0, file.size() - 1)), HasSubstr("400 this is no file that Tacit wrote"));
  EXPECT_THAT(told(std::string(100, 'x')), HasSubstr("400 this is no file that Tacit wrote"));
}

}  // namespace
}  // namespace tacit::app::service
