#include "app/service/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/error.h"
#include "base/temporary_folder_for_test.h"

namespace tacit::app::service {
namespace {

using testing::HasSubstr;
using testing::Not;

class TokenFileTest : public testing::Test {
 protected:
  base::TemporaryFolder folder_;
  std::filesystem::path file_ = folder_.path() / "tokens";
};

TEST_F(TokenFileTest, KnowsATokenByItsDigestAlone) {
  const std::string anna = TokenFile::add(file_, "anna"), ben = TokenFile::add(file_, "ben");
  EXPECT_EQ(anna.size(), 6U + 64U);
  EXPECT_NE(anna, ben);
  std::ifstream stored(file_);
  const std::string text{std::istreambuf_iterator<char>(stored), {}};
  EXPECT_THAT(text, Not(HasSubstr(anna.substr(6))));
  const TokenFile tokens(file_);
  EXPECT_EQ(tokens.name_of("Bearer " + anna), "anna");
  EXPECT_EQ(tokens.name_of("Bearer " + ben), "ben");
  EXPECT_EQ(tokens.name_of("bearer " + anna), "anna");
  EXPECT_EQ(tokens.name_of("BEARER " + ben), "ben");
  EXPECT_EQ(tokens.name_of("Basic " + ben), std::nullopt);
  EXPECT_EQ(tokens.name_of("bearer"), std::nullopt);
  EXPECT_EQ(tokens.name_of("Bearer " + ben + "0"), std::nullopt);
  EXPECT_EQ(tokens.name_of(anna), std::nullopt);
  EXPECT_EQ(tokens.name_of(""), std::nullopt);
}

TEST_F(TokenFileTest, ANewTokenTakesThePlaceOfTheOldOneWithoutARestart) {
  const std::string old = TokenFile::add(file_, "anna");
  const TokenFile tokens(file_);
  ASSERT_EQ(tokens.name_of("Bearer " + old), "anna");
  const std::string fresh = TokenFile::add(file_, "anna");
  std::filesystem::last_write_time(file_, std::filesystem::last_write_time(file_) + std::chrono::seconds(2));
  EXPECT_EQ(tokens.name_of("Bearer " + fresh), "anna");
  EXPECT_EQ(tokens.name_of("Bearer " + old), std::nullopt);
}

TEST_F(TokenFileTest, RefusesOtherFilesAndNames) {
  EXPECT_THROW(TokenFile::add(file_, "no name"), base::InputError);
  EXPECT_THROW(TokenFile::add(file_, std::string(65, 'a')), base::InputError);
  TokenFile::add(file_, "anna");
  std::ofstream(file_, std::ios::app) << "ben 1234\n";
  EXPECT_THROW(const TokenFile tokens(file_), base::InputError);
  TokenFile::add(folder_.path() / "open", "anna");
  std::filesystem::permissions(folder_.path() / "open", std::filesystem::perms(0644));
  EXPECT_THROW(const TokenFile tokens(folder_.path() / "open"), base::InputError);
}

TEST_F(TokenFileTest, NamesHaveUpTo64Characters) {
  const std::string longest(64, 'a');
  const std::string token = TokenFile::add(file_, longest);
  EXPECT_EQ(TokenFile(file_).name_of("Bearer " + token), longest);
  EXPECT_EQ(token.substr(0, 6), "tacit_");
  const std::string every = TokenFile::add(file_, "Az0-9_.");
  EXPECT_EQ(TokenFile(file_).name_of("Bearer " + every), "Az0-9_.");
  EXPECT_THROW(TokenFile::add(file_, ""), base::InputError);
}

TEST_F(TokenFileTest, CommentsAndEmptyLinesAreSkippedAndOtherLinesToldByNumber) {
  TokenFile::add(file_, "anna");  // a comment and a line
  // SHA-256 of "abc" (FIPS 180-4).
  const std::string digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  std::ofstream(file_, std::ios::app) << "\n# ben's\nben " << digest << "\n";
  EXPECT_EQ(TokenFile(file_).name_of("Bearer abc"), "ben");
  const auto good = std::filesystem::file_size(file_);
  for (const std::string& line : {"carl " + digest.substr(1), "carl " + digest + "0", "carl " + digest + " more",
                                  "c/l " + digest, std::string("carl")}) {
    std::filesystem::resize_file(file_, good);
    std::ofstream(file_, std::ios::app) << line << "\n";
    EXPECT_THAT([&] { const TokenFile tokens(file_); },
                testing::ThrowsMessage<base::InputError>(HasSubstr(", line 6: it is no name and SHA-256 of a token")))
        << line;
  }
}

}  // namespace
}  // namespace tacit::app::service
