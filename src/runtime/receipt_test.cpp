#include "runtime/receipt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"
#include "merkle/rescue.h"
#include "runtime/artefact.h"

namespace tacit::runtime {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

Receipt example() {
  Receipt receipt{.version = "0.1.0"};
  for (std::uint8_t i = 0; i < 32; ++i) {
    receipt.parameters[i] = static_cast<std::uint8_t>(255 - i);
    receipt.model_id[i] = static_cast<std::uint8_t>(200 + i);
    receipt.model[i] = i;
    receipt.keys[i] = static_cast<std::uint8_t>(2 * i);
    receipt.input[i] = static_cast<std::uint8_t>(3 * i);
    receipt.output[i] = static_cast<std::uint8_t>(4 * i);
  }
  return receipt;
}

TEST(Receipt, RoundTripsThroughAFile) {
  const base::TemporaryFolder folder;
  save(example(), folder.path() / "r");
  EXPECT_EQ(load_receipt(folder.path() / "r"), example());
  EXPECT_THROW(load_receipt(folder.path() / "absent"), base::InputError);
  EXPECT_THROW(load_receipt(folder.path()), base::InputError);
  EXPECT_THROW(save(example(), folder.path() / "no" / "folder"), base::InputError);
}

TEST(Receipt, CommitsToEveryField) {
  const base::Digest all = commitment(example());
  for (base::Digest Receipt::*field :
       {&Receipt::model_id, &Receipt::model, &Receipt::keys, &Receipt::input, &Receipt::output}) {
    Receipt other = example();
    (other.*field)[9] ^= 1;
    EXPECT_NE(commitment(other), all);
  }
  Receipt other = example();
  other.parameters[31] ^= 1;
  EXPECT_NE(commitment(other), all);
  other = example();
  other.version = "0.1.1";
  EXPECT_NE(commitment(other), all);
  other = example();
  std::swap(other.input, other.output);
  EXPECT_NE(commitment(other), all);
}

TEST(Receipt, IsRefusedAfterEveryChangeOfADigit) {
  const std::string text = receipt_json(example());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!std::isxdigit(static_cast<unsigned char>(text[i]))) continue;
    std::string changed = text;
    changed[i] = text[i] == '0' ? '1' : '0';
    EXPECT_THROW(parse_receipt(changed, "r"), base::InputError) << i;
    ++refused;
  }
  EXPECT_GT(refused, 6 * 64u);
}

TEST(Receipt, IsRefusedWithoutAFieldOrWithAnotherType) {
  const auto good = nlohmann::json::parse(receipt_json(example()));
  for (const auto& item : good.items()) {
    auto json = good;
    json.erase(item.key());
    EXPECT_THROW(parse_receipt(json.dump(), "r"), base::InputError) << item.key();
    for (const nlohmann::json& value :
         {nlohmann::json(), nlohmann::json(7), nlohmann::json("x"), nlohmann::json("ABCD"),
          nlohmann::json(std::string(64, 'f')), nlohmann::json::array({1})}) {
      json[item.key()] = value;
      EXPECT_THROW(parse_receipt(json.dump(), "r"), base::InputError) << item.key() << value;
    }
  }
  Receipt terminal = example();
  terminal.version = "1\x1b[2J";
  EXPECT_THROW(parse_receipt(receipt_json(terminal), "r"), base::InputError);
  EXPECT_THROW(parse_receipt("", "r"), base::InputError);
  EXPECT_THROW(parse_receipt("[]", "r"), base::InputError);
  EXPECT_THROW(parse_receipt(std::string(5000, '['), "r"), base::InputError);
}

TEST(Receipt, IsRefusedWithAFieldThatTheFormatLacksOrAFieldTwice) {
  const std::string text = receipt_json(example());
  const auto with = [&](const std::string& field) {
    std::string more = text;
    return more.insert(1, field + ",");
  };
  EXPECT_NO_THROW(parse_receipt(text, "r"));
  EXPECT_THAT([&] { parse_receipt(with(R"("signed_by": "ACME")"), "r"); },
              ThrowsMessage<base::InputError>(HasSubstr("not part of the format")));
  for (const char* number : {"2.0", "20e-1", "2.00000000000000001", "\"2\""}) {
    std::string other = text;
    const std::string field = "\"format_version\": ";
    EXPECT_THROW(parse_receipt(other.replace(other.find(field) + field.size(), 1, number), "r"), base::InputError);
  }
  EXPECT_THROW(parse_receipt(text + std::string("\0and more", 9), "r"), base::InputError);
  const std::string model = nlohmann::json::parse(text).at("model").dump();
  EXPECT_THAT([&] { parse_receipt(with(R"("model": )" + model), "r"); },
              ThrowsMessage<base::InputError>(HasSubstr("'model' is there twice")));
}

TEST(Receipt, CarriesItsSignatureAndIsRefusedWithAnother) {
  const base::TemporaryFolder folder;
  base::write_file(folder.path() / "key.pem",
                   std::string("-----BEGIN PRIVATE KEY-----\n"
                               "MC4CAQAwBQYDK2VwBCIEIJ1hsZ3v/VpguoRK9JLsLMREScVpezJpGXA7rAMcrn9g\n"
                               "-----END PRIVATE KEY-----\n"));
  Receipt receipt = example();
  sign(receipt, base::SigningKey::from_pem(folder.path() / "key.pem"));
  const std::string text = receipt_json(receipt);
  EXPECT_EQ(parse_receipt(text, "r"), receipt);
  EXPECT_EQ(commitment(receipt), commitment(example()));
  Receipt other = example();
  other.output[0] ^= 1;
  other.signed_by = receipt.signed_by;
  EXPECT_THAT([&] { parse_receipt(receipt_json(other), "r"); },
              ThrowsMessage<base::InputError>(HasSubstr("its signature is not")));
  auto json = nlohmann::json::parse(text);
  json.erase("signature");
  EXPECT_THROW(parse_receipt(json.dump(), "r"), base::InputError);
}

/// The documented tree over an artefact: the header is leaf 0, the chunks are the others.
TEST(ArtefactRoot, IsThatOfTheTreeOverHeaderAndChunks) {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "a";
  ArtefactWriter writer(path, ArtefactKind::evaluation_keys);
  std::vector<std::byte> content(2 * kChunkBytes + 12345);
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<std::byte>(i * i % 251);
  writer.add_section("x", SectionType::key, content);
  const base::Digest written = writer.finish();
  const std::vector<char> file = base::read_file(path);
  const auto bytes = std::as_bytes(std::span(file));
  std::uint64_t body = 0;
  std::memcpy(&body, bytes.data() + 24, 8);
  std::vector<merkle::Digest> nodes;
  const auto add_leaf = [&](std::span<const std::byte> chunk) {
    const base::Digest value = base::sha256(chunk);
    nodes.push_back(merkle::leaf_of_sha256(kArtefactTree, std::as_bytes(std::span(value))));
  };
  add_leaf(bytes.first(96));
  for (std::size_t at = 0; at < body; at += kChunkBytes)
    add_leaf(bytes.subspan(128 + at, std::min<std::size_t>(kChunkBytes, body - at)));
  ASSERT_EQ(nodes.size(), 4u);
  const merkle::Digest top = merkle::merge(kArtefactTree, merkle::merge(kArtefactTree, nodes[0], nodes[1]),
                                           merkle::merge(kArtefactTree, nodes[2], nodes[3]));
  const auto root = std::bit_cast<base::Digest>(merkle::root_of(kArtefactTree, top, 4));
  EXPECT_EQ(written, root);
  EXPECT_EQ(ArtefactReader(path, ArtefactKind::evaluation_keys).root(), root);
  EXPECT_EQ(std::memcmp(root.data(), bytes.data() + 96, 32), 0);
}

TEST(Receipt, NamesWhatItsSignatureLacks) {
  for (const auto& [there, lacking] : {std::pair("signer", "signature"), {"signature", "signer"}}) {
    auto json = nlohmann::json::parse(receipt_json(example()));
    json[there] = std::string(std::string(there) == "signer" ? 64 : 128, '0');
    EXPECT_THAT([&] { parse_receipt(json.dump(), "r"); },
                ThrowsMessage<base::InputError>(HasSubstr('"' + std::string(lacking) + "\" is missing")));
  }
}

TEST(Receipt, SaysWhichFormatOtherProgramsHaveToRead) {
  const auto json = nlohmann::json::parse(receipt_json(example()));
  EXPECT_EQ(json.at("format"), "tacit-receipt");
  EXPECT_EQ(json.at("format_version"), 2);
  EXPECT_EQ(json.at("tacit"), "0.1.0");
  EXPECT_EQ(json.at("chunk_bytes"), kChunkBytes);
  EXPECT_EQ(json.at("commitment"), base::hexadecimal(commitment(example())));
}

TEST(Receipt, VersionsAreLettersDigitsAndThreeSigns) {
  const auto objection = [](const std::string& version) -> std::string {
    Receipt receipt = example();
    receipt.version = version;
    return base::refusal([&] { EXPECT_EQ(parse_receipt(receipt_json(receipt), "it"), receipt); });
  };
  for (const std::string& version : {std::string("0"), std::string("09azAZ.-+"), std::string(64, '1')})
    EXPECT_EQ(objection(version), base::kNotRefused) << version;
  for (const std::string& version :
       {std::string(), std::string("/"), std::string(":"), std::string("`"), std::string("{"), std::string("@"),
        std::string("["), std::string("1 2"), std::string(","), std::string(65, '1')})
    EXPECT_EQ(objection(version), "it: its version is no version") << version;
}

TEST(Receipt, AFileThatIsTooLargeIsNotRead) {
  const base::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "r";
  const auto objection = [&](std::size_t bytes) -> std::string {
    base::write_file(path, std::string(bytes, ' '));
    return base::refusal([&] { load_receipt(path); });
  };
  EXPECT_THAT(objection(65537), HasSubstr("this is no receipt of Tacit: it is too large for one"));
  EXPECT_THAT(objection(65536), testing::Not(HasSubstr("too large")));
  // A receipt may be followed by blanks up to that size.
  std::string text = receipt_json(example());
  text.resize(65536, ' ');
  base::write_file(path, text);
  EXPECT_EQ(load_receipt(path), example());
}

}  // namespace
}  // namespace tacit::runtime
