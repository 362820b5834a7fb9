#include "runtime/receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"
#include "runtime/artefact.h"
#include "runtime/description.h"

namespace tacit::runtime {
namespace {

constexpr std::string_view kFormat = "tacit-receipt";
constexpr std::uint64_t kFormatVersion = 2;
constexpr std::uintmax_t kLargestReceipt = 1 << 16;
constexpr std::size_t kLongestVersion = 64;

struct Field {
  const char* name;
  base::Digest Receipt::*root;
};
constexpr Field kRoots[] = {
    {"model", &Receipt::model}, {"keys", &Receipt::keys}, {"input", &Receipt::input}, {"output", &Receipt::output}};

[[noreturn]] void refuse(std::string_view what, std::string_view why) { base::refuse("{}: {}", what, why); }

template <std::size_t Size>
std::array<std::uint8_t, Size> bytes_of(base::JsonFields& fields, const char* name, std::string_view what) {
  const std::string digits = fields.text(name);
  std::array<std::uint8_t, Size> value{};
  try {
    from_hexadecimal(digits, value);
  } catch (const base::InputError&) {
    refuse(what, fmt::format("\"{}\" is not {} lower-case hexadecimal digits", name, 2 * Size));
  }
  return value;
}

/// What a signature is over.
std::string signed_text(const Receipt& receipt) {
  const base::Digest digest = commitment(receipt);
  return "tacit receipt 2" + std::string(digest.begin(), digest.end());
}

}  // namespace

base::Digest commitment(const Receipt& receipt) {
  constexpr merkle::TreeScheme kScheme{};
  merkle::RootStream tree(kScheme);
  for (const Field& field : kRoots) tree.append(std::bit_cast<merkle::Digest>(receipt.*field.root));
  tree.append(merkle::leaf_of_bytes(kScheme, std::as_bytes(std::span(receipt.model_id))));
  tree.append(merkle::leaf_of_bytes(kScheme, std::as_bytes(std::span(receipt.parameters))));
  tree.append(merkle::leaf_of_bytes(kScheme, std::as_bytes(std::span(receipt.version))));
  return std::bit_cast<base::Digest>(tree.root());
}

void sign(Receipt& receipt, const base::SigningKey& key) {
  receipt.signed_by = {key.signer(), key.sign(std::as_bytes(std::span<const char>(signed_text(receipt))))};
}

std::string receipt_json(const Receipt& receipt) {
  nlohmann::ordered_json json{{"format", kFormat},
                              {"format_version", kFormatVersion},
                              {"tacit", receipt.version},
                              {"hash", merkle::scheme_name(kArtefactTree)},
                              {"chunk_bytes", kArtefactTree.chunk_bytes},
                              {"parameters", base::hexadecimal(receipt.parameters)},
                              {"model_id", base::hexadecimal(receipt.model_id)}};
  for (const Field& field : kRoots) json[field.name] = base::hexadecimal(receipt.*field.root);
  json["commitment"] = base::hexadecimal(commitment(receipt));
  if (receipt.signed_by) {
    json["signer"] = base::hexadecimal(receipt.signed_by->signer);
    json["signature"] = base::hexadecimal(receipt.signed_by->signature);
  }
  return json.dump(2) + "\n";
}

Receipt parse_receipt(std::string_view text, std::string_view what) {
  const nlohmann::json json = base::json_from(text, what, {.bytes = kLargestReceipt, .depth = 1});
  if (!json.is_object()) refuse(what, "this is no receipt of Tacit");
  base::JsonFields fields(json, what);
  if (fields.text("format") != kFormat) refuse(what, "this is no receipt of Tacit");
  if (fields.number("format_version") != kFormatVersion)
    refuse(what,
           fmt::format("a receipt of another format; this program reads format {}; check it with the version that "
                       "wrote it",
                       kFormatVersion));
  if (fields.text("hash") != merkle::scheme_name(kArtefactTree) ||
      fields.number("chunk_bytes") != kArtefactTree.chunk_bytes)
    refuse(what,
           "its roots are made with another hash or chunk size than those of artefacts; check it with the version that "
           "wrote it, which it names (\"tacit\")");
  Receipt receipt;
  receipt.version = fields.text("tacit");
  const auto part_of_version = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+';
  };
  if (receipt.version.empty() || receipt.version.size() > kLongestVersion ||
      !std::all_of(receipt.version.begin(), receipt.version.end(), part_of_version))
    refuse(what, "its version is no version");
  receipt.parameters = bytes_of<32>(fields, "parameters", what);
  receipt.model_id = bytes_of<32>(fields, "model_id", what);
  for (const Field& field : kRoots) {
    receipt.*field.root = bytes_of<32>(fields, field.name, what);
    if (!merkle::is_canonical(std::bit_cast<merkle::Digest>(receipt.*field.root)))
      refuse(what, fmt::format("\"{}\" is no root: a word is not below 2^64 - 2^32 + 1", field.name));
  }
  if (bytes_of<32>(fields, "commitment", what) != commitment(receipt))
    refuse(what, "its commitment does not match its fields; it was altered or damaged");
  if (fields.has("signer") || fields.has("signature")) {
    receipt.signed_by = {bytes_of<32>(fields, "signer", what), bytes_of<64>(fields, "signature", what)};
    if (!base::verifies(receipt.signed_by->signer, std::as_bytes(std::span<const char>(signed_text(receipt))),
                        receipt.signed_by->signature))
      refuse(what, "its signature is not that of the signer that it names");
  }
  fields.require_no_others();
  return receipt;
}

void save(const Receipt& receipt, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << receipt_json(receipt);
  file.flush();
  if (!file) refuse(path.string(), "cannot write the receipt");
}

Receipt load_receipt(const Source& source) {
  std::error_code error;
  if (!source.file().empty() && !std::filesystem::is_regular_file(source.file(), error))
    refuse(source.name(), "there is no such file");
  const std::uint64_t size = source.size();
  if (size > kLargestReceipt) refuse(source.name(), "this is no receipt of Tacit: it is too large for one");
  std::string text(size, '\0');
  source.read(0, std::as_writable_bytes(std::span(text)));
  return parse_receipt(text, source.name());
}

}  // namespace tacit::runtime
