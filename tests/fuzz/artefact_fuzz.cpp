#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/error.h"
#include "memory_file.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"

namespace {

using namespace tacit;
using runtime::ArtefactKind;

void read_all(std::span<const std::byte> bytes) {
  const fuzz::MemoryFile file(bytes);
  try {
    runtime::refuse_secret_key(file.path(), "fuzz");
    const runtime::ArtefactReader reader(file.path(), runtime::artefact_kind(file.path()));
    for (const runtime::Section& section : reader.sections())
      if (reader.read(section).size() != section.bytes) std::abort();
    reader.verify();
  } catch (const base::InputError&) {
  }
}

/// A file whose digests and root are right, so that the section table is reached whatever the bytes are.
std::vector<std::byte> vouched(std::span<const std::byte> body, std::uint32_t sections, std::uint64_t table_offset) {
  runtime::format::Header header;
  header.kind = static_cast<std::uint32_t>(ArtefactKind::ciphertexts);
  header.body_bytes = body.size();
  header.table_offset = table_offset;
  header.sections = sections;
  std::vector<base::Digest> digests;
  for (std::size_t at = 0; at < body.size(); at += runtime::kChunkBytes)
    digests.push_back(base::sha256(body.subspan(at, std::min(runtime::kChunkBytes, body.size() - at))));
  header.file_bytes = runtime::format::kHeaderBytes + body.size() + digests.size() * sizeof(base::Digest);
  header.root = runtime::format::root(header, digests);
  const auto first = runtime::format::encode(header);
  std::vector<std::byte> file(first.begin(), first.end());
  file.insert(file.end(), body.begin(), body.end());
  const auto last = std::as_bytes(std::span(digests));
  file.insert(file.end(), last.begin(), last.end());
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  read_all(bytes);
  if (size >= 2) read_all(vouched(bytes.subspan(2), data[0], std::min<std::uint64_t>(64ull * data[1], size - 2)));
  return 0;
}
