#include "runtime/receipt.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "merkle/rescue.h"
#include "merkle/root_stream.h"
#include "runtime/artefact.h"

namespace tacit::runtime {
namespace {

constexpr std::string_view kFormat = "tacit-receipt";
constexpr int kFormatVersion = 1;
constexpr std::uintmax_t kLargestReceipt = 1 << 16;
constexpr std::size_t kLongestVersion = 64;

struct Field {
  const char* name;
  base::Digest Receipt::*root;
};
constexpr Field kRoots[] = {
    {"model", &Receipt::model}, {"keys", &Receipt::keys}, {"input", &Receipt::input}, {"output", &Receipt::output}};

[[noreturn]] void refuse(std::string_view what, std::string_view why) {
  throw base::InputError(fmt::format("{}: {}", what, why));
}

std::string text_field(const nlohmann::json& json, const char* name, std::string_view what) {
  const auto found = json.find(name);
  if (found == json.end() || !found->is_string())
    refuse(what, fmt::format("the receipt has no text under \"{}\"", name));
  return found->get<std::string>();
}

base::Digest bytes_field(const nlohmann::json& json, const char* name, std::string_view what) {
  const std::string text = text_field(json, name, what);
  base::Digest bytes{};
  const auto digit = [](char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const int high = text.size() == 64 ? digit(text[2 * i]) : -1, low = high < 0 ? -1 : digit(text[2 * i + 1]);
    if (low < 0) refuse(what, fmt::format("\"{}\" is not 64 lower-case hexadecimal digits", name));
    bytes[i] = static_cast<std::uint8_t>(16 * high + low);
  }
  return bytes;
}

}  // namespace

base::Digest commitment(const Receipt& receipt) {
  constexpr merkle::Scheme kScheme{};
  merkle::RootStream tree(kScheme);
  for (const Field& field : kRoots) tree.append(std::bit_cast<merkle::Digest>(receipt.*field.root));
  tree.append(merkle::leaf_of_bytes(kScheme, std::as_bytes(std::span(receipt.parameters))));
  tree.append(merkle::leaf_of_bytes(kScheme, std::as_bytes(std::span(receipt.version))));
  return std::bit_cast<base::Digest>(tree.root());
}

std::string receipt_json(const Receipt& receipt) {
  nlohmann::ordered_json json{{"format", kFormat},
                              {"format_version", kFormatVersion},
                              {"tacit", receipt.version},
                              {"hash", merkle::scheme_name(kArtefactTree)},
                              {"chunk_bytes", kArtefactTree.chunk_bytes},
                              {"parameters", base::hexadecimal(receipt.parameters)}};
  for (const Field& field : kRoots) json[field.name] = base::hexadecimal(receipt.*field.root);
  json["commitment"] = base::hexadecimal(commitment(receipt));
  return json.dump(2) + "\n";
}

Receipt parse_receipt(std::string_view text, std::string_view what) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (json.is_discarded() || !json.is_object() || !json.contains("format") || json["format"] != kFormat)
    refuse(what, "this is no receipt of Tacit");
  if (!json.contains("format_version") || json["format_version"] != kFormatVersion)
    refuse(what, fmt::format("a receipt of another format; this program reads format {}", kFormatVersion));
  if (text_field(json, "hash", what) != merkle::scheme_name(kArtefactTree) || !json.contains("chunk_bytes") ||
      json["chunk_bytes"] != kArtefactTree.chunk_bytes)
    refuse(what, "its roots are made with another hash or chunk size than those of artefacts");
  Receipt receipt;
  receipt.version = text_field(json, "tacit", what);
  const auto part_of_version = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' ||
           c == '+';
  };
  if (receipt.version.empty() || receipt.version.size() > kLongestVersion ||
      !std::all_of(receipt.version.begin(), receipt.version.end(), part_of_version))
    refuse(what, "its version is no version");
  receipt.parameters = bytes_field(json, "parameters", what);
  for (const Field& field : kRoots) {
    receipt.*field.root = bytes_field(json, field.name, what);
    if (!merkle::is_canonical(std::bit_cast<merkle::Digest>(receipt.*field.root)))
      refuse(what, fmt::format("\"{}\" is no root: a word is not below 2^64 - 2^32 + 1", field.name));
  }
  if (bytes_field(json, "commitment", what) != commitment(receipt))
    refuse(what, "its commitment does not match its fields; it was altered or damaged");
  return receipt;
}

void save(const Receipt& receipt, const std::filesystem::path& path) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << receipt_json(receipt);
  file.flush();
  if (!file) refuse(path.string(), "cannot write the receipt");
}

Receipt load_receipt(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) refuse(path.string(), "there is no such file");
  if (std::filesystem::file_size(path, error) > kLargestReceipt || error)
    refuse(path.string(), "this is no receipt of Tacit: it is too large for one");
  std::ifstream file(path, std::ios::binary);
  std::string text(kLargestReceipt, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return parse_receipt(text, path.string());
}

}  // namespace tacit::runtime
