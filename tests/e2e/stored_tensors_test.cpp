#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/ckks.h>
#include <tacit/tile.h>

#include "base/refusal_for_test.h"
#include "params/ckks_parameters.h"
#include "params/requirement.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/context.h"
#include "tests/command/workspace.h"

namespace tacit::test {
namespace {

using base::refusal;
using runtime::CiphertextArray;
using runtime::CiphertextRole;

constexpr const char* kTiles = "slots 64, depth 3, fraction 40 bits, integer 5 bits, security 0";

/// A file of tensors that is written again with other words or more content, as nothing but a hand would.
class StoredTiles : public ::testing::Test {
 protected:
  StoredTiles() {
    const tile::Session rehearsal = tile::Session::cost(kTiles, InsecureParameters::allow);
    // Three rows lie in four of eight places: the sum is in those, and has yet to be copied to the others.
    const auto total = [](const tile::Session& session) {
      const std::vector<double> values(18, 0.5);
      return tile::sum(tile::encrypt(session, tile::Shape("{r any|8}{c any|8}"), {3, 6}, values), 0);
    };
    tile::replicate(total(rehearsal), 0);
    session_.emplace(tile::Session::encrypted(kTiles, rehearsal, InsecureParameters::allow));
    tile::save(total(*session_), workspace_("sum"));
    reader_.emplace(workspace_("sum"), context_, CiphertextRole::tiles);
  }
  /// What a load says of a file with these tensors, so many times.
  std::string loaded(const std::vector<std::string>& names, int samples = 1) const {
    const std::string path = workspace_("written");
    {
      runtime::CiphertextWriter writer(path, context_, CiphertextRole::tiles, reader_->binding(), names);
      const std::vector<CiphertextArray> sample(names.size(), reader_->read(0).front());
      for (int i = 0; i < samples; ++i) writer.add(sample);
      writer.finish();
    }
    const std::string said = refusal([&] { tile::load(*session_, path); });
    return said.starts_with(path + ": ") ? said.substr(path.size() + 2) : said;
  }

  const Workspace workspace_;
  const scheme::ckks::ContextPtr context_ = scheme::ckks::Context::make(
      params::CkksParameters::check(params::parameters_for(params::Requirement::parse(kTiles)).literal));
  std::optional<tile::Session> session_;
  std::optional<runtime::CiphertextReader> reader_;
};

TEST_F(StoredTiles, AreOneTensorOfAShapeThatFitsThem) {
  EXPECT_EQ(loaded({"{r 5|8}{c 6|8}"}), base::kNotRefused);
  for (const char* shape : {"{r 9|8}{c 6|8}", "{r 5|8}{c 6|16}", "{r 5|8}{c 6|4}"})
    EXPECT_EQ(loaded({shape}), fmt::format("the shape {} does not fit its 1 tiles of 64 slots", shape));
  EXPECT_THAT(loaded({"{r any|8}{c 6|8}"}), ::testing::HasSubstr(" does not fit its 1 tiles of 64 slots"));
  const std::string more = "holds more or less than one tensor; it was not written by tile::save";
  EXPECT_EQ(loaded({"{r 5|8}{c 6|8}", "{r 5|8}{c 6|8}"}), more);
  EXPECT_EQ(loaded({"{r 5|8}{c 6|8}"}, 2), more);
}

TEST_F(StoredTiles, AreCopiedWhereTheirSumLeftOff) {
  ASSERT_EQ(reader_->names().size(), 1U);
  EXPECT_THAT(reader_->names().front(), ::testing::EndsWith("{c 6|8} 0 4"));
  const tile::Tensor copied = tile::replicate(tile::load(*session_, workspace_("sum")), 0);
  EXPECT_EQ(copied.shape().to_string(), "{r copy 8}{c 6|8}");
  for (const double value : copied.decrypt()) EXPECT_NEAR(value, 1.5, 1e-5);
}

// Tiles of one tensor are at one level, and at the scale of that level.
TEST_F(StoredTiles, AreAtTheLevelAndScaleOfEachOther) {
  const auto stored = [&](int level) {
    tile::save(tile::encrypt(*session_, tile::Shape("{r any|8}{c any|8}"), {5, 6}, std::vector<double>(30, 0.5), level),
               workspace_("x"));
    return runtime::CiphertextReader(workspace_("x"), context_, CiphertextRole::tiles).read(0).front().front();
  };
  const auto loading = [&](const std::string& name, const CiphertextArray& tiles) {
    runtime::CiphertextWriter writer(workspace_("y"), context_, CiphertextRole::tiles, reader_->binding(), {name});
    writer.add(std::vector<CiphertextArray>{tiles});
    writer.finish();
    return refusal([&] { tile::load(*session_, workspace_("y")); });
  };
  const auto high = stored(3), low = stored(1);
  const std::string two = "{r 9|8}{c 6|8}", file = workspace_("y") + ": ";
  EXPECT_EQ(loading(two, {high, high}), base::kNotRefused);
  EXPECT_EQ(loading(two, {low, low}), base::kNotRefused);
  EXPECT_EQ(loading(two, {high, low}), file + "tiles: one is at level 1 and another at 3");
  EXPECT_EQ(loading(two, {low, high}), file + "tiles: one is at level 3 and another at 1");
  auto scaled = high;
  scaled.scale *= 1.5;
  for (const CiphertextArray& tiles : {CiphertextArray{scaled, high}, CiphertextArray{high, scaled}})
    EXPECT_THAT(loading(two, tiles), ::testing::HasSubstr(", and at level 3 it is "));
}

// Of eight places 1, 2 or 4 may hold a sum. Its dimension leads, and has one value.
TEST_F(StoredTiles, SayHowFarASumWent) {
  const std::string shape = "{r 1|8}{c 6|8}", damaged = "the tensor's description is damaged";
  EXPECT_EQ(loaded({shape}), base::kNotRefused);
  for (const char* pending : {" 0 1", " 0 2", " 0 4"})
    EXPECT_EQ(loaded({shape + pending}), base::kNotRefused) << pending;
  for (const char* pending :
       {" 0 0", " 0 -1", " 0 3",  " 0 6",  " 0 8", " 0 16", " -1 2", " 1 2",  " 2 2",           " ",
        " 0",   " 0 ",   " 0 2 ", " 0 2x", " 0,2", " x 2",  " 0 x",  "  0 2", " 99999999999 2", "x"})
    EXPECT_EQ(loaded({shape + pending}), damaged) << pending;
  EXPECT_EQ(loaded({"{r 5|8}{c 6|8} 0 2"}), damaged) << "there are several values";
  EXPECT_EQ(loaded({"{r 5|8}{c 1|8} 1 2"}), damaged) << "it does not lead";
  EXPECT_EQ(loaded({"{r 1|1}{c 1|64} 1 2"}), base::kNotRefused) << "nothing else has several places";
  EXPECT_EQ(loaded({"{r 1|1}{c 1|64} 1 32"}), base::kNotRefused);
  EXPECT_EQ(loaded({"{r 1|1}{c 1|64} 1 64"}), damaged);
  EXPECT_EQ(loaded({"{r 1|1}{c 1|64} 0 1"}), damaged);
}

// A large integer part leaves levels below the lowest that tiles have.
TEST(StoredTileLevels, AreThoseOfTheSession) {
  const char* const requirement = "slots 64, depth 3, fraction 40 bits, integer 20 bits, security 0";
  ASSERT_GT(params::parameters_for(params::Requirement::parse(requirement)).base_level, 0);
  const Workspace workspace;
  const tile::Session rehearsal = tile::Session::cost(requirement, InsecureParameters::allow);
  const tile::Session session = tile::Session::encrypted(requirement, rehearsal, InsecureParameters::allow);
  const std::vector<double> values{1000, -2000, 3000, 0.5};
  for (const int level : {0, 1, 3}) {
    tile::save(tile::encrypt(session, tile::Shape("{n any|64}"), {4}, values, level), workspace("x"));
    const tile::Tensor read = tile::load(session, workspace("x"));
    EXPECT_EQ(read.level(), level);
    const std::vector<double> found = read.decrypt();
    ASSERT_EQ(found.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found[i], values[i], 1e-3) << level << " " << i;
  }
}

TEST(StoredVectors, AreOneCiphertext) {
  const std::string literal = R"({"name": "small", "log_n": 10, "q_bits": [50, 40], "p_bits": [50], "log_scale": 40,
                                  "insecure": true})";
  const Workspace workspace;
  const ckks::Context context(ckks::Parameters::from_json(literal, InsecureParameters::allow));
  const ckks::SecretKey secret = ckks::KeyGenerator(context).secret_key();
  ckks::Encryptor(context, secret).encrypt(std::vector<double>{0.5}).save(workspace("x"));
  const auto inner = scheme::ckks::Context::make(params::CkksParameters::check(params::literal_from_json(literal)));
  const runtime::CiphertextReader reader(workspace("x"), inner, CiphertextRole::vectors);
  const auto loaded = [&](const std::vector<std::string>& names, const CiphertextArray& array, int samples) {
    {
      runtime::CiphertextWriter writer(workspace("y"), inner, CiphertextRole::vectors, reader.binding(), names);
      for (int i = 0; i < samples; ++i) writer.add(std::vector<CiphertextArray>(names.size(), array));
      writer.finish();
    }
    return refusal([&] { ckks::Ciphertext::load(context, workspace("y")); });
  };
  const CiphertextArray one = reader.read(0).front();
  const std::string more =
      workspace("y") + ": holds more or less than one ciphertext; it was not written by Ciphertext::save";
  EXPECT_EQ(loaded({"ciphertext"}, one, 1), base::kNotRefused);
  EXPECT_EQ(loaded({"ciphertext"}, one, 2), more);
  EXPECT_EQ(loaded({"ciphertext", "another"}, one, 1), more);
  EXPECT_EQ(loaded({"ciphertext"}, {one.front(), one.front()}, 1), more);
}

}  // namespace
}  // namespace tacit::test
