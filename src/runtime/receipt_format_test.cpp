#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "base/refusal_for_test.h"
#include "runtime/receipt.h"

namespace tacit::runtime {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

Receipt of_version_1() {
  Receipt receipt{.version = "1"};
  receipt.model[0] = 7;
  return receipt;
}

/// What such a receipt is refused with after a change.
std::string objection_to_change(const std::function<void(nlohmann::json&)>& change) {
  auto json = nlohmann::json::parse(receipt_json(of_version_1()));
  change(json);
  return base::refusal([&] { parse_receipt(json.dump(), "r"); });
}

TEST(ReceiptFormat, IsTextForPeopleAFieldALine) {
  const std::string text = receipt_json(of_version_1());
  EXPECT_THAT(
      text,
      StartsWith("{\n  \"format\": \"tacit-receipt\",\n  \"format_version\": 2,\n  \"tacit\": \"1\",\n  \"hash\": "));
  EXPECT_THAT(text, HasSubstr("\n  \"chunk_bytes\": 1048576,\n  \"parameters\": \"0000"));
  EXPECT_THAT(text, EndsWith("\"\n}\n"));
  EXPECT_EQ(parse_receipt(text, "r"), of_version_1());
}

TEST(ReceiptFormat, DigestsHave64DigitsAndSignatures128) {
  for (const char* field : {"parameters", "model_id", "model", "keys", "input", "output", "commitment"})
    EXPECT_EQ(objection_to_change([&](nlohmann::json& json) { json[field] = "abcd"; }),
              fmt::format("r: \"{}\" is not 64 lower-case hexadecimal digits", field));
  EXPECT_EQ(objection_to_change([](nlohmann::json& json) {
              json["signer"] = std::string(66, '0');
              json["signature"] = std::string(128, '0');
            }),
            "r: \"signer\" is not 64 lower-case hexadecimal digits");
  for (const std::size_t digits : {64, 127, 130})
    EXPECT_EQ(objection_to_change([&](nlohmann::json& json) {
                json["signer"] = std::string(64, '0');
                json["signature"] = std::string(digits, '0');
              }),
              "r: \"signature\" is not 128 lower-case hexadecimal digits")
        << digits;
}

TEST(ReceiptFormat, IsThatOfThisProgramAndOfItsArtefacts) {
  for (const int version : {1, 3})
    EXPECT_EQ(objection_to_change([&](nlohmann::json& json) { json["format_version"] = version; }),
              "r: a receipt of another format; this program reads format 2; check it with the version that wrote it")
        << version;
  EXPECT_EQ(objection_to_change([](nlohmann::json& json) { json["format"] = "tacit"; }),
            "r: this is no receipt of Tacit");
  const std::string roots =
      "r: its roots are made with another hash or chunk size than those of artefacts; check it with the "
      "version that wrote it, which it names (\"tacit\")";
  EXPECT_EQ(objection_to_change([](nlohmann::json& json) { json["hash"] = "md5"; }), roots);
  for (const int bytes : {1048575, 1048577})
    EXPECT_EQ(objection_to_change([&](nlohmann::json& json) { json["chunk_bytes"] = bytes; }), roots) << bytes;
  EXPECT_EQ(base::refusal([] { parse_receipt("[]", "r"); }), "r: this is no receipt of Tacit");
}

TEST(ReceiptFormat, IsFlatAndShort) {
  EXPECT_EQ(objection_to_change([](nlohmann::json& json) { json["more"] = nlohmann::json::object(); }),
            "r: nested deeper than 1");
  std::string text = receipt_json(of_version_1());
  text.resize(65536, ' ');
  EXPECT_EQ(parse_receipt(text, "r"), of_version_1());
  EXPECT_EQ(base::refusal([&] { parse_receipt(text + " ", "r"); }),
            "r: 65537 bytes of JSON are more than the 65536 that are read");
}

TEST(ReceiptFormat, RootsAreWordsOfTheField) {
  EXPECT_EQ(objection_to_change([](nlohmann::json& json) { json["keys"] = std::string(64, 'f'); }),
            "r: \"keys\" is no root: a word is not below 2^64 - 2^32 + 1");
  EXPECT_EQ(objection_to_change([](nlohmann::json& json) { json["model_id"] = std::string(64, 'f'); }),
            "r: its commitment does not match its fields; it was altered or damaged");
}

}  // namespace
}  // namespace tacit::runtime
