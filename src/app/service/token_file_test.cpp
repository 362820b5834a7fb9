#include "app/service/token_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
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

/// A file of anna's and ben's tokens that was read, and a clock that the test moves.
class RevokedTokenTest : public TokenFileTest {
 protected:
  bool knows(const std::string& token) const { return tokens_.name_of("Bearer " + token).has_value(); }
  std::string text() const {
    std::ifstream stored(file_);
    return {std::istreambuf_iterator<char>(stored), {}};
  }
  /// Writes into the file that is there.
  void write(const std::string& text) const { std::ofstream(file_, std::ios::trunc) << text; }

  const std::string anna_ = TokenFile::add(file_, "anna"), ben_ = TokenFile::add(file_, "ben");
  TokenFile::Clock::time_point now_{};
  const TokenFile tokens_{file_, [this] { return now_; }};
};

TEST_F(RevokedTokenTest, NobodyHasAccessAtOnceByAFileThatOthersMayRead) {
  const std::string both = text();
  ASSERT_TRUE(knows(anna_));
  // As `grep -v anna tokens > t && mv t tokens` leaves it.
  std::ofstream(folder_.path() / "t") << both.substr(both.find("ben"));
  std::filesystem::permissions(folder_.path() / "t", std::filesystem::perms(0644));
  std::filesystem::rename(folder_.path() / "t", file_);
  testing::internal::CaptureStderr();
  EXPECT_FALSE(knows(anna_));
  EXPECT_FALSE(knows(ben_));
  const std::string told = testing::internal::GetCapturedStderr();
  EXPECT_THAT(told, HasSubstr("others may read or change this tokens of clients (mode 0644)"));
  EXPECT_EQ(std::count(told.begin(), told.end(), '\n'), 1) << "once, not at each request";
  std::filesystem::permissions(file_, std::filesystem::perms(0600));
  EXPECT_FALSE(knows(anna_));
  EXPECT_TRUE(knows(ben_));
}

TEST_F(RevokedTokenTest, NobodyHasAccessAtOnceWithoutAFile) {
  std::filesystem::rename(file_, folder_.path() / "away");
  EXPECT_FALSE(knows(anna_));
  std::filesystem::rename(folder_.path() / "away", file_);
  EXPECT_TRUE(knows(anna_));
}

TEST_F(RevokedTokenTest, AFileWithTheSameTimeIsReadAgain) {
  const auto time = std::filesystem::last_write_time(file_);
  const std::string both = text();
  const auto begin = both.find("anna"), end = both.find('\n', begin);
  std::string without = both;
  without.replace(begin, end - begin, end - begin, '#');  // of the same size
  write(without);
  std::filesystem::last_write_time(file_, time);
  EXPECT_FALSE(knows(anna_));
  EXPECT_TRUE(knows(ben_));
  // Another file in its place, with the same size and time.
  std::ofstream(folder_.path() / "t") << both;
  std::filesystem::permissions(folder_.path() / "t", std::filesystem::perms(0600));
  std::filesystem::last_write_time(folder_.path() / "t", time);
  std::filesystem::rename(folder_.path() / "t", file_);
  EXPECT_TRUE(knows(anna_));
}

TEST_F(RevokedTokenTest, AHalfWrittenFileHoldsForASecondAndIsTriedAtEachRequest) {
  const std::string both = text();
  write(both.substr(0, both.size() - 10));
  EXPECT_TRUE(knows(anna_));
  now_ += std::chrono::milliseconds(999);
  EXPECT_TRUE(knows(anna_));
  now_ += std::chrono::milliseconds(1);
  EXPECT_FALSE(knows(anna_));
  write(both);
  EXPECT_TRUE(knows(anna_));
  EXPECT_TRUE(knows(ben_));
  // The second begins anew.
  write("ben x\n");
  EXPECT_TRUE(knows(anna_));
}

}  // namespace
}  // namespace tacit::app::service
