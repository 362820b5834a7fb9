#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

#include "base/refusal_for_test.h"
#include "merkle/proof_format.h"

namespace tacit::merkle {
namespace {

using FileBytes = std::vector<std::byte>;

const Digest kFirst{{1, 2, 3, 4}}, kSecond{{5, 6, 7, 8}};
constexpr const char* kFirstDigits = "0100000000000000020000000000000003000000000000000400000000000000";
constexpr const char* kSecondDigits = "0500000000000000060000000000000007000000000000000800000000000000";

template <class Number>
FileBytes with(FileBytes bytes, std::size_t at, Number number) {
  std::memcpy(bytes.data() + at, &number, sizeof number);
  return bytes;
}

std::string why_not_parsed(std::span<const std::byte> bytes) {
  return base::refusal([&] { parse_proof(bytes, "p"); });
}
std::string why_not_read(const std::string& text) { return why_not_parsed(std::as_bytes(std::span(text))); }

TEST(ProofFormatRefusals, SayWhatTheBinaryFormHasWrong) {
  const FileBytes inclusion = proof_bytes(InclusionProof{{}, 1, 0, {0}, {kFirst}, {}}),
                  consistency = proof_bytes(ConsistencyProof{{}, 1, 2, {kFirst, kSecond}}),
                  cap = proof_bytes(Cap{{}, 1, 0, {kFirst}});
  const auto version = [&](std::uint32_t number) { return why_not_parsed(with(cap, 8, number)); };
  EXPECT_EQ(version(0), "p: format version 0; this program reads 1; check it with the version that wrote it");
  EXPECT_EQ(version(2), "p: format version 2; this program reads 1; check it with the version that wrote it");
  const auto kind = [](const FileBytes& bytes, std::uint32_t number) {
    return why_not_parsed(with(bytes, 12, number));
  };
  EXPECT_EQ(kind(cap, 0), "p: unknown kind 0");
  EXPECT_EQ(kind(cap, 4), "p: unknown kind 4");
  EXPECT_EQ(kind(cap, 3), base::kNotRefused);
  EXPECT_EQ(kind(cap, 1), base::kNotRefused);  // an inclusion of nothing: verify says so
  EXPECT_EQ(kind(inclusion, 2), "p: fields are set that a consistency proof has not");
  EXPECT_EQ(kind(inclusion, 3), "p: fields are set that a cap has not");
  EXPECT_EQ(why_not_parsed(with(consistency, 28, std::uint32_t{1})),
            "p: fields are set that a consistency proof has not");
  for (const FileBytes& bytes : {inclusion, cap})
    EXPECT_EQ(why_not_parsed(with(bytes, 48, std::uint64_t{1})), "p: fields are set that only a consistency proof has");
  const std::string size = "p: its size is not what its header says; it was truncated or damaged";
  EXPECT_EQ(why_not_parsed(with(cap, 64, std::uint64_t{0})), size);
  EXPECT_EQ(why_not_parsed(with(cap, 64, std::uint64_t{2})), size);
  EXPECT_EQ(why_not_parsed(with(inclusion, 56, std::uint64_t{0})), size);
  EXPECT_EQ(why_not_parsed(with(inclusion, 56, std::uint64_t{2})), size);
  EXPECT_EQ(why_not_parsed(with(inclusion, 56, std::uint64_t{1} << 61)), size);
  FileBytes longer = cap;
  longer.push_back(std::byte{0});
  EXPECT_EQ(why_not_parsed(longer), size);
}

TEST(ProofFormatRefusals, TellAFileThatIsCutOffFromOneOfAnotherKind) {
  const FileBytes header = proof_bytes(Cap{{}, 1, 0, {}});
  ASSERT_EQ(header.size(), 72u);
  EXPECT_EQ(why_not_parsed(header), base::kNotRefused);
  EXPECT_EQ(why_not_parsed(std::span(header).first(71)), "p: the proof is cut off");
  EXPECT_EQ(why_not_parsed(std::span(header).first(8)), "p: the proof is cut off");
  const std::string neither = "p: this is no proof or cap: neither the binary form nor JSON";
  EXPECT_EQ(why_not_parsed(std::span(header).first(7)), neither);
  EXPECT_EQ(why_not_read(""), neither);
  EXPECT_EQ(why_not_read(" \t\r\n"), neither);
  EXPECT_EQ(why_not_read("[]"), neither);
  EXPECT_EQ(why_not_read(" \n{}"), "p: the field \"format\" is missing");
}

TEST(ProofFormatRefusals, NumbersOfTheFieldAndSchemesAreChecked) {
  const Digest bad{{0, 0, 0, goldilocks::kModulus}};
  const std::string digest = "p: a word of a digest is not below 2^64 - 2^32 + 1";
  EXPECT_EQ(why_not_parsed(proof_bytes(InclusionProof{{}, 2, 1, {0}, {bad}, {kFirst}})), digest);
  EXPECT_EQ(why_not_parsed(proof_bytes(InclusionProof{{}, 2, 1, {0}, {kFirst}, {bad}})), digest);
  EXPECT_EQ(why_not_parsed(proof_bytes(ConsistencyProof{{}, 1, 2, {kFirst, bad}})), digest);
  EXPECT_EQ(why_not_parsed(proof_bytes(Cap{{}, 1, 0, {bad}})), digest);
  EXPECT_EQ(why_not_parsed(proof_bytes(Cap{{.mode = static_cast<Mode>(3)}, 1, 0, {kFirst}})),
            "p: unknown hash (variant 3, mode 3)");
  EXPECT_EQ(why_not_parsed(proof_bytes(Cap{{.chunk_bytes = 1}, 1, 0, {kFirst}})), "p: digests have no chunk size");
}

TEST(ProofFormatRefusals, EveryFieldHasItsPlaceInTheBinaryForm) {
  const auto word = [](const FileBytes& bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, size);
    return value;
  };
  const TreeScheme scheme{.variant = Variant::a, .leaf_rule = LeafRule::bytes, .chunk_bytes = 4096};
  const FileBytes consistency = proof_bytes(ConsistencyProof{scheme, 37, 100, {kFirst, kSecond}});
  EXPECT_EQ(consistency.size(), 72u + 64);
  EXPECT_EQ(word(consistency, 8, 4), 1u);
  EXPECT_EQ(word(consistency, 12, 4), 2u);
  EXPECT_EQ(word(consistency, 16, 4), 1u);
  EXPECT_EQ(word(consistency, 20, 4), 1u);
  EXPECT_EQ(word(consistency, 24, 4), 3u);
  EXPECT_EQ(word(consistency, 28, 4), 0u);
  EXPECT_EQ(word(consistency, 32, 8), 4096u);
  EXPECT_EQ(word(consistency, 40, 8), 37u);
  EXPECT_EQ(word(consistency, 48, 8), 100u);
  EXPECT_EQ(word(consistency, 56, 8), 0u);
  EXPECT_EQ(word(consistency, 64, 8), 2u);
  EXPECT_EQ(word(consistency, 72, 8), 1u);
  EXPECT_EQ(word(consistency, 104, 8), 5u);
  const FileBytes cap = proof_bytes(Cap{{.mode = Mode::strict}, 16, 3, {kFirst, kSecond}});
  EXPECT_EQ(word(cap, 12, 4), 3u);
  EXPECT_EQ(word(cap, 16, 4), 3u);
  EXPECT_EQ(word(cap, 20, 4), 2u);
  EXPECT_EQ(word(cap, 24, 4), 1u);
  EXPECT_EQ(word(cap, 28, 4), 3u);
  EXPECT_EQ(word(cap, 40, 8), 16u);
  EXPECT_EQ(word(cap, 48, 8), 0u);
  EXPECT_EQ(word(cap, 64, 8), 2u);
}

TEST(ProofFormatRefusals, TheJsonFormNamesEveryField) {
  EXPECT_EQ(proof_json(Cap{{}, 1, 0, {kFirst}}), std::string(R"({
  "format": "tacit-merkle-proof",
  "version": 1,
  "kind": "cap",
  "hash": "rescue-prime-c.1",
  "leaf": "digests",
  "chunk_bytes": 0,
  "leaves": 1,
  "height": 0,
  "nodes": [
    ")") + kFirstDigits + "\"\n  ]\n}\n");
  EXPECT_EQ(proof_json(ConsistencyProof{{.variant = Variant::a, .mode = Mode::strict}, 1, 2, {}}), R"({
  "format": "tacit-merkle-proof",
  "version": 1,
  "kind": "consistency",
  "hash": "rescue-prime-a.1-strict",
  "leaf": "digests",
  "chunk_bytes": 0,
  "old_leaves": 1,
  "new_leaves": 2,
  "nodes": []
}
)");
  EXPECT_EQ(proof_json(InclusionProof{{.leaf_rule = LeafRule::sha256, .chunk_bytes = 7}, 9, 4, {8}, {kSecond}, {}}),
            std::string(R"({
  "format": "tacit-merkle-proof",
  "version": 1,
  "kind": "inclusion",
  "hash": "rescue-prime-c.1",
  "leaf": "sha256",
  "chunk_bytes": 7,
  "leaves": 9,
  "height": 4,
  "indices": [
    8
  ],
  "leaf_digests": [
    ")") + kSecondDigits +
                "\"\n  ],\n  \"nodes\": []\n}\n");
}

TEST(ProofFormatRefusals, SayWhatTheJsonFormHasWrong) {
  const auto good = nlohmann::json::parse(proof_json(InclusionProof{{}, 1, 0, {0}, {kFirst}, {}}));
  const auto why = [&](const char* field, const nlohmann::json& value) {
    auto json = good;
    json[field] = value;
    return why_not_read(json.dump());
  };
  EXPECT_EQ(why("version", 1), base::kNotRefused);
  EXPECT_EQ(
      why("version", 0),
      "p: its format version is another than 1, which this program reads; check it with the version that wrote it");
  EXPECT_EQ(
      why("version", 2),
      "p: its format version is another than 1, which this program reads; check it with the version that wrote it");
  EXPECT_EQ(why("format", "tacit"), "p: this is no proof or cap: its \"format\" is another");
  EXPECT_EQ(why("kind", "proof"), "p: unknown kind 'proof'");
  EXPECT_EQ(why("height", 64), base::kNotRefused);  // no tree is as high: verify says so
  EXPECT_EQ(why("height", 65), "p: height 65 is above any tree");
  EXPECT_EQ(why("nodes", {1}), "p: \"nodes\" holds something else than digests");
  EXPECT_EQ(why("leaf_digests", {1.5}), "p: \"leaf_digests\" holds something else than digests");
  EXPECT_EQ(why("nodes", {"12"}), "p: a digest is 64 hexadecimal digits");
  EXPECT_EQ(why("indices", {-1}), "p: \"indices\" holds something else than whole numbers");
  EXPECT_EQ(why("indices", {"x"}), "p: \"indices\" holds something else than whole numbers");
  EXPECT_EQ(why("indices", nlohmann::json::parse("[[]]")), "p: nested deeper than 2");
  EXPECT_EQ(why("more", 1), "p: it has fields that are not part of the format");
  auto cap = nlohmann::json::parse(proof_json(Cap{{}, 1, 0, {kFirst}}));
  cap["indices"] = nlohmann::json::array();
  EXPECT_EQ(why_not_read(cap.dump()), "p: it has fields that are not part of the format");
}

TEST(ProofFormatRefusals, JsonIsBoundedInBytesAndValues) {
  const std::size_t most = std::size_t{1} << 26;
  std::string text(most + 1, ' ');
  text[0] = '{';
  text[1] = 'x';  // what is read ends here
  EXPECT_EQ(why_not_read(text),
            "p: 67108865 bytes of JSON are more than the 67108864 that are read; use the binary form");
  text.pop_back();
  EXPECT_EQ(why_not_read(text).substr(0, 20), "p: not JSON, at byte");
  // With the object and the list themselves, one value more than is read.
  std::string values = "{\"a\":[";
  for (std::size_t i = 0; i < (std::size_t{1} << 21) - 1; ++i) values += "0,";
  values.back() = ']';
  EXPECT_EQ(why_not_read(values + "}"), "p: more than 2097152 values");
}

}  // namespace
}  // namespace tacit::merkle
