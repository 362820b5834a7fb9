#include "runtime/slots/ciphertext_file.h"

#include <utility>

#include "base/byte_stream.h"
#include "base/error.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

// A sample is a section: per array the number of ciphertexts, per ciphertext its size and its bytes.
using Count = std::uint64_t;

/// Hands the bytes of a sample to `out`, piece by piece.
template <class Out>
void write_sample(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample, const Out& out) {
  const auto count = [&](Count value) { out(std::as_bytes(std::span(&value, 1))); };
  for (const CiphertextArray& array : sample) {
    count(array.size());
    for (const scheme::ckks::Ciphertext& ciphertext : array) {
      const std::vector<std::uint8_t> bytes = scheme::ckks::serialize(context, ciphertext);
      count(bytes.size());
      out(std::as_bytes(std::span(bytes)));
    }
  }
}

}  // namespace

base::Digest digest_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample) {
  base::Sha256 hash;
  write_sample(context, sample, [&](std::span<const std::byte> piece) { hash.update(piece); });
  return hash.finish();
}

std::vector<std::byte> bytes_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample) {
  std::vector<std::byte> bytes;
  write_sample(context, sample,
               [&](std::span<const std::byte> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

std::vector<CiphertextArray> arrays_of(const scheme::ckks::Context& context, std::size_t names,
                                       base::ByteReader& bytes) {
  std::vector<CiphertextArray> arrays(names);
  for (CiphertextArray& array : arrays)
    for (Count left = bytes.u64(); left > 0; --left) {
      const Count size = bytes.u64();
      array.push_back(scheme::ckks::deserialize_ciphertext(context, bytes.take(size)));
    }
  return arrays;
}

CiphertextWriter::CiphertextWriter(const std::filesystem::path& path, scheme::ckks::ContextPtr context,
                                   CiphertextRole role, const Binding& binding, std::vector<std::string> names,
                                   const std::optional<BatchedInputs>& batched)
    : context_(std::move(context)), file_(path, ArtefactScheme::ckks, {role, binding, std::move(names), batched}) {}

void CiphertextWriter::check(std::span<const CiphertextArray> sample) const {
  if (sample.size() != file_.names())
    throw base::InternalError("a sample of " + std::to_string(sample.size()) + " arrays where " +
                              std::to_string(file_.names()) + " are named");
}

void CiphertextWriter::add(std::span<const CiphertextArray> sample) {
  check(sample);
  file_.add([&](const auto& out) { write_sample(*context_, sample, out); });
}

void CiphertextWriter::add(std::span<const CiphertextArray> sample, const base::Digest& question) {
  check(sample);
  file_.add([&](const auto& out) { write_sample(*context_, sample, out); }, question);
}

base::Digest CiphertextWriter::finish() { return file_.finish(); }

CiphertextReader::CiphertextReader(const std::filesystem::path& path, scheme::ckks::ContextPtr context,
                                   CiphertextRole expected)
    : context_(std::move(context)),
      file_(path, ArtefactScheme::ckks, expected, context_->parameters().hash(),
            context_->parameters().literal().name) {}

std::vector<CiphertextArray> CiphertextReader::read(std::size_t sample) const {
  std::vector<CiphertextArray> arrays;
  file_.read(sample, [&](base::ByteReader& bytes) { arrays = arrays_of(*context_, names().size(), bytes); });
  return arrays;
}

}  // namespace tacit::runtime
