#include "merkle/proof_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "merkle/root_stream.h"
#include "merkle/tree_shape.h"

namespace tacit::merkle {
namespace {

static_assert(std::endian::native == std::endian::little, "words are copied as they lie in memory");

constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'T', 'M', 'R', 'K', 'L', '\r', '\n'};
constexpr std::string_view kJsonFormat = "tacit-merkle-proof";
// An object of lists.
constexpr base::JsonBounds kJsonBounds{.bytes = std::size_t{1} << 26, .values = std::size_t{1} << 21, .depth = 2};
constexpr std::uint32_t kVersion = 1;
constexpr std::string_view kWayOut = "check it with the version that wrote it";
// By the alternative of a ProofFile.
constexpr std::uint32_t kInclusion = 1, kConsistency = 2, kCap = 3;
constexpr const char* kKinds[] = {"inclusion", "consistency", "cap"};

struct Header {
  std::array<std::uint8_t, 8> magic = kMagic;
  std::uint32_t version = kVersion, kind = 0, variant = 0, mode = 0, leaf_rule = 0, height = 0;
  std::uint64_t chunk_bytes = 0, leaves = 0, new_leaves = 0, indices = 0, nodes = 0;
};
static_assert(sizeof(Header) == 72);

template <class T>
void put(std::vector<std::byte>& out, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  out.insert(out.end(), bytes.begin(), bytes.end());
}

template <class T>
std::vector<T> take(std::span<const std::byte>& bytes, std::uint64_t count) {
  std::vector<T> values(count);
  if (count != 0) std::memcpy(values.data(), bytes.data(), count * sizeof(T));
  bytes = bytes.subspan(count * sizeof(T));
  return values;
}

void put_scheme(Header& header, const TreeScheme& scheme) {
  header.variant = static_cast<std::uint32_t>(scheme.variant);
  header.mode = static_cast<std::uint32_t>(scheme.mode);
  header.leaf_rule = static_cast<std::uint32_t>(scheme.leaf_rule);
  header.chunk_bytes = scheme.chunk_bytes;
}

[[noreturn]] void refuse(std::string_view what, std::string_view why) { base::refuse("{}: {}", what, why); }

void require_canonical_digests(std::span<const Digest> digests, std::string_view what) {
  for (const Digest& digest : digests)
    if (!is_canonical(digest)) refuse(what, "a word of a digest is not below 2^64 - 2^32 + 1");
}

void require_sound(const ProofFile& file, std::string_view what) {
  const auto require = [&](const auto& proof) {
    require_valid(proof.scheme, what);
    require_canonical_digests(proof.nodes, what);
    if constexpr (requires { proof.leaf_digests; }) require_canonical_digests(proof.leaf_digests, what);
  };
  std::visit(require, file);
}

ProofFile parse_binary(std::span<const std::byte> bytes, std::string_view what) {
  Header header;
  if (bytes.size() < sizeof header) refuse(what, "the proof is cut off");
  std::memcpy(&header, bytes.data(), sizeof header);
  bytes = bytes.subspan(sizeof header);
  if (header.version != kVersion)
    refuse(what, fmt::format("format version {}; this program reads {}; {}", header.version, kVersion, kWayOut));
  if (header.kind < kInclusion || header.kind > kCap) refuse(what, fmt::format("unknown kind {}", header.kind));
  constexpr std::uint64_t kIndexBytes = sizeof(std::uint64_t) + sizeof(Digest);
  if (header.indices > bytes.size() / kIndexBytes ||
      header.nodes != (bytes.size() - header.indices * kIndexBytes) / sizeof(Digest) ||
      header.indices * kIndexBytes + header.nodes * sizeof(Digest) != bytes.size())
    refuse(what, "its size is not what its header says; it was truncated or damaged");
  const TreeScheme scheme{static_cast<Variant>(header.variant), static_cast<Mode>(header.mode),
                          static_cast<LeafRule>(header.leaf_rule), header.chunk_bytes};
  if (header.kind == kConsistency) {
    if (header.height != 0 || header.indices != 0) refuse(what, "fields are set that a consistency proof has not");
    return ConsistencyProof{scheme, header.leaves, header.new_leaves, take<Digest>(bytes, header.nodes)};
  }
  if (header.new_leaves != 0) refuse(what, "fields are set that only a consistency proof has");
  if (header.kind == kCap) {
    if (header.indices != 0) refuse(what, "fields are set that a cap has not");
    return Cap{scheme, header.leaves, header.height, take<Digest>(bytes, header.nodes)};
  }
  InclusionProof proof{scheme, header.leaves, header.height, {}, {}, {}};
  proof.indices = take<std::uint64_t>(bytes, header.indices);
  proof.leaf_digests = take<Digest>(bytes, header.indices);
  proof.nodes = take<Digest>(bytes, header.nodes);
  return proof;
}

nlohmann::ordered_json digests_json(const std::vector<Digest>& digests) {
  auto list = nlohmann::ordered_json::array();
  for (const Digest& digest : digests) list.push_back(hexadecimal(digest));
  return list;
}

std::vector<Digest> digests_of(const nlohmann::json& list, const char* name, std::string_view what) {
  std::vector<Digest> result;
  for (const auto& entry : list) {
    if (!entry.is_string()) refuse(what, fmt::format("\"{}\" holds something else than digests", name));
    result.push_back(digest_from_hexadecimal(entry.get<std::string>(), what));
  }
  return result;
}

ProofFile parse_json(std::string_view text, std::string_view what) {
  if (const std::size_t first = text.find_first_not_of(" \t\r\n"); first == text.npos || text[first] != '{')
    refuse(what, "this is no proof or cap: neither the binary form nor JSON");
  if (text.size() > kJsonBounds.bytes)
    refuse(what, fmt::format("{} bytes of JSON are more than the {} that are read; use the binary form", text.size(),
                             kJsonBounds.bytes));
  const nlohmann::json json = base::json_from(text, what, kJsonBounds);
  base::JsonFields fields(json, what);
  const auto digests = [&](const char* name) { return digests_of(fields.list(name), name, what); };
  if (fields.text("format") != kJsonFormat) refuse(what, "this is no proof or cap: its \"format\" is another");
  if (fields.number("version") != kVersion)
    refuse(what, fmt::format("its format version is another than {}, which this program reads; {}", kVersion, kWayOut));
  const std::string kind = fields.text("kind");
  TreeScheme scheme = scheme_from_name(fields.text("hash"));
  scheme.leaf_rule = leaf_rule_from_name(fields.text("leaf"));
  scheme.chunk_bytes = fields.number("chunk_bytes");
  const auto height = [&] {
    const std::uint64_t number = fields.number("height");
    if (number > 64) refuse(what, fmt::format("height {} is above any tree", number));
    return static_cast<unsigned>(number);
  };
  ProofFile proof;
  if (kind == "consistency") {
    proof = ConsistencyProof{scheme, fields.number("old_leaves"), fields.number("new_leaves"), digests("nodes")};
  } else if (kind == "cap") {
    proof = Cap{scheme, fields.number("leaves"), height(), digests("nodes")};
  } else if (kind == "inclusion") {
    InclusionProof inclusion{scheme, fields.number("leaves"), height(), {}, {}, {}};
    for (const auto& index : fields.list("indices")) {
      if (!index.is_number_unsigned()) refuse(what, "\"indices\" holds something else than whole numbers");
      inclusion.indices.push_back(index.get<std::uint64_t>());
    }
    inclusion.leaf_digests = digests("leaf_digests");
    inclusion.nodes = digests("nodes");
    proof = std::move(inclusion);
  } else {
    refuse(what, fmt::format("unknown kind '{}'", kind));
  }
  fields.require_no_others();
  return proof;
}

}  // namespace

std::vector<std::byte> proof_bytes(const ProofFile& file) {
  Header header;
  header.kind = kInclusion + static_cast<std::uint32_t>(file.index());
  std::vector<std::byte> body;
  const auto fill = [&](const auto& proof) {
    put_scheme(header, proof.scheme);
    if constexpr (requires { proof.height; }) {
      header.height = proof.height;
      header.leaves = proof.leaves;
    } else {
      header.leaves = proof.old_leaves;
      header.new_leaves = proof.new_leaves;
    }
    if constexpr (requires { proof.indices; }) {
      header.indices = proof.indices.size();
      put(body, proof.indices);
      put(body, proof.leaf_digests);
    }
    header.nodes = proof.nodes.size();
    put(body, proof.nodes);
  };
  std::visit(fill, file);
  std::vector<std::byte> bytes(sizeof header + body.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::copy(body.begin(), body.end(), bytes.begin() + sizeof header);
  return bytes;
}

std::string proof_json(const ProofFile& file) {
  nlohmann::ordered_json json{{"format", kJsonFormat}, {"version", kVersion}, {"kind", kKinds[file.index()]}};
  const auto fill = [&](const auto& proof) {
    json["hash"] = scheme_name(proof.scheme);
    json["leaf"] = leaf_rule_name(proof.scheme.leaf_rule);
    json["chunk_bytes"] = proof.scheme.chunk_bytes;
    if constexpr (requires { proof.height; }) {
      json["leaves"] = proof.leaves;
      json["height"] = proof.height;
    } else {
      json["old_leaves"] = proof.old_leaves;
      json["new_leaves"] = proof.new_leaves;
    }
    if constexpr (requires { proof.indices; }) {
      json["indices"] = proof.indices;
      json["leaf_digests"] = digests_json(proof.leaf_digests);
    }
    json["nodes"] = digests_json(proof.nodes);
  };
  std::visit(fill, file);
  return json.dump(2) + "\n";
}

ProofFile parse_proof(std::span<const std::byte> bytes, std::string_view what) {
  const bool binary = bytes.size() >= kMagic.size() && std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) == 0;
  ProofFile proof = binary ? parse_binary(bytes, what)
                           : parse_json({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, what);
  require_sound(proof, what);
  return proof;
}

}  // namespace tacit::merkle
