#include "runtime/integers/integer_files.h"

namespace tacit::runtime {

using scheme::tfhe::Context;
using scheme::tfhe::FreshLweCiphertexts;
using scheme::tfhe::LweCiphertexts;

namespace {

template <class Ciphertexts>
std::vector<Ciphertexts> read_tensors(std::size_t names, base::ByteReader& bytes, const Context& context,
                                      Ciphertexts (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  std::vector<Ciphertexts> tensors;
  for (std::size_t t = 0; t < names; ++t) tensors.push_back(deserialize(context, bytes.take(bytes.u64())));
  return tensors;
}

template <class Ciphertexts>
std::vector<Ciphertexts> read_tensors(const SampleReader& file, std::size_t sample, const Context& context,
                                      Ciphertexts (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  std::vector<Ciphertexts> tensors;
  file.read(sample, [&](base::ByteReader& bytes) {
    tensors = read_tensors(file.head().names.size(), bytes, context, deserialize);
  });
  return tensors;
}

}  // namespace

std::vector<std::byte> bytes_of(const Context& context, std::span<const LweCiphertexts> sample) {
  std::vector<std::byte> bytes;
  pieces_of(context,
            sample)([&](std::span<const std::byte> piece) { bytes.insert(bytes.end(), piece.begin(), piece.end()); });
  return bytes;
}

std::vector<LweCiphertexts> arrays_of(const Context& context, std::size_t names, base::ByteReader& bytes) {
  return read_tensors(names, bytes, context, scheme::tfhe::deserialize_ciphertexts);
}

base::Digest digest_of(const Context& context, std::span<const FreshLweCiphertexts> question) {
  return digest_of(pieces_of(context, question));
}

std::vector<FreshLweCiphertexts> read_inputs(const SampleReader& file, std::size_t sample, const Context& context) {
  return read_tensors(file, sample, context, scheme::tfhe::deserialize_fresh_ciphertexts);
}

std::vector<LweCiphertexts> read_results(const SampleReader& file, std::size_t sample, const Context& context) {
  return read_tensors(file, sample, context, scheme::tfhe::deserialize_ciphertexts);
}

SampleReader open_samples(const Source& source, const Context& context, CiphertextRole expected) {
  return SampleReader(source, ArtefactScheme::tfhe, expected, context.parameters().hash(),
                      context.parameters().literal().name);
}

base::Digest make_and_save(const scheme::tfhe::KeySeries& series, const Binding& binding, const Sink& sink,
                           base::Progress& progress) {
  progress.begin("generating keys", series.steps() * (sink.wants_facts() ? 2 : 1));
  const base::Digest root =
      write_artefact(sink, ArtefactKind::evaluation_keys, ArtefactScheme::tfhe, [&](ArtefactWriter& writer) {
        writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
        writer.begin_section(kKeySection, SectionType::key);
        serialize(series, progress, [&](std::span<const std::uint8_t> piece) { writer.write(std::as_bytes(piece)); });
      });
  progress.end();
  return root;
}

}  // namespace tacit::runtime
