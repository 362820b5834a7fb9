#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/artefact.h"

/// The bytes of an artefact's header and section table, shared by the writer and the reader.
namespace tacit::runtime::format {

inline constexpr std::size_t kHeaderBytes = 128;
inline constexpr std::size_t kKindOffset = 12;
inline constexpr std::size_t kRootOffset = 96;
inline constexpr std::size_t kSectionAlignment = 64;
inline constexpr std::size_t kLongestName = 255;
inline constexpr std::uint32_t kMostSections = 1u << 20;
inline constexpr std::array<std::uint8_t, 8> kMagic{0x89, 'T', 'A', 'C', 'I', 'T', '\r', '\n'};
/// The root algorithm: a tree of the scheme kArtefactTree over the header's first kRootOffset bytes and the chunks.
inline constexpr std::uint32_t kRootTree = 2;

struct Header {
  std::uint32_t version = kArtefactVersion;
  std::uint32_t kind = 0;
  std::uint64_t file_bytes = 0;
  std::uint64_t body_bytes = 0;
  std::uint64_t table_offset = 0;  ///< within the body
  std::uint32_t sections = 0;
  std::uint32_t chunk_bytes = kChunkBytes;
  std::uint32_t root_algorithm = kRootTree;
  std::uint32_t scheme = static_cast<std::uint32_t>(ArtefactScheme::ckks);
  base::Digest root{};
};

using HeaderBytes = std::array<std::byte, kHeaderBytes>;

HeaderBytes encode(const Header& header);
/// Checks magic, version, kind, chunk size, algorithm and reserved bytes, and that the sizes add up to `real_bytes`.
/// Throws InputError naming `file`.
Header decode(const HeaderBytes& bytes, std::uint64_t real_bytes, const std::string& file);

base::Digest root(const Header& header, std::span<const base::Digest> chunks);

std::uint64_t chunk_count(std::uint64_t body_bytes);
std::uint64_t aligned(std::uint64_t offset);

std::vector<std::byte> encode(std::span<const Section> sections);
/// Reads the section table. Throws InputError naming `file` unless it describes `count` sections with distinct names.
/// They must follow each other in the body up to `table_offset`.
std::vector<Section> decode_table(std::span<const std::byte> bytes, std::uint32_t count, std::uint64_t table_offset,
                                  const std::string& file);

}  // namespace tacit::runtime::format
