#include "runtime/slots/ciphertext_file.h"

#include <utility>

#include "base/byte_stream.h"
#include "base/error.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {
namespace {

// A sample is a section: per array the number of ciphertexts, per ciphertext its size and its bytes.
using Count = std::uint64_t;

/// The bytes of a sample, which must outlive them.
SampleWriter::Pieces pieces_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample) {
  return [&context, sample](const std::function<void(std::span<const std::byte>)>& out) {
    const auto count = [&](Count value) { out(std::as_bytes(std::span(&value, 1))); };
    for (const CiphertextArray& array : sample) {
      count(array.size());
      for (const scheme::ckks::Ciphertext& ciphertext : array) {
        const std::vector<std::uint8_t> bytes = scheme::ckks::serialize(context, ciphertext);
        count(bytes.size());
        out(std::as_bytes(std::span(bytes)));
      }
    }
  };
}

}  // namespace

base::Digest digest_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample) {
  return digest_of(pieces_of(context, sample));
}

std::vector<std::byte> bytes_of(const scheme::ckks::Context& context, std::span<const CiphertextArray> sample) {
  std::vector<std::byte> bytes;
  pieces_of(context,
            sample)([&](std::span<const std::byte> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
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

std::uint64_t array_bytes(std::uint64_t ciphertexts, std::uint64_t each) {
  return sizeof(Count) + ciphertexts * (sizeof(Count) + each);
}

CiphertextWriter::CiphertextWriter(const Sink& sink, scheme::ckks::ContextPtr context, CiphertextRole role,
                                   const Binding& binding, std::vector<std::string> names,
                                   const std::optional<BatchedInputs>& batched)
    : CiphertextWriter(sink, std::move(context), {role, binding, std::move(names), batched}) {}

CiphertextWriter::CiphertextWriter(const Sink& sink, scheme::ckks::ContextPtr context, const SampleFileHead& head)
    : SampleWriter(sink, ArtefactScheme::ckks, head), context_(std::move(context)) {}

CiphertextWriter::CiphertextWriter(ArtefactWriter& artefact, scheme::ckks::ContextPtr context,
                                   const SampleFileHead& head)
    : SampleWriter(artefact, head), context_(std::move(context)) {}

void CiphertextWriter::add(std::span<const CiphertextArray> sample, const std::optional<base::Digest>& question) {
  if (sample.size() != names())
    throw base::InternalError("a sample of " + std::to_string(sample.size()) + " arrays where " +
                              std::to_string(names()) + " are named");
  SampleWriter::add(pieces_of(*context_, sample), question);
}

base::Digest save_sample(const scheme::ckks::ContextPtr& context, const SampleFileHead& head,
                         std::span<const CiphertextArray> sample, const Sink& sink) {
  return write_artefact(sink, ArtefactKind::ciphertexts, ArtefactScheme::ckks, [&](ArtefactWriter& artefact) {
    CiphertextWriter writer(artefact, context, head);
    writer.add(sample);
    writer.end();
  });
}

CiphertextReader::CiphertextReader(const Source& source, scheme::ckks::ContextPtr context, CiphertextRole expected)
    : SampleReader(source, ArtefactScheme::ckks, expected, context->parameters().hash(),
                   context->parameters().literal().name),
      context_(std::move(context)) {}

std::vector<CiphertextArray> CiphertextReader::read(std::size_t sample) const {
  std::vector<CiphertextArray> arrays;
  SampleReader::read(sample, [&](base::ByteReader& bytes) { arrays = arrays_of(*context_, names().size(), bytes); });
  return arrays;
}

}  // namespace tacit::runtime
