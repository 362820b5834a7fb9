#include "runtime/integers/integer_files.h"

namespace tacit::runtime {

using scheme::tfhe::Context;
using scheme::tfhe::FreshLweCiphertexts;
using scheme::tfhe::LweCiphertexts;

namespace {

template <class Ciphertexts>
std::vector<Ciphertexts> read_tensors(const SampleReader& file, std::size_t sample, const Context& context,
                                      Ciphertexts (*deserialize)(const Context&, std::span<const std::uint8_t>)) {
  std::vector<Ciphertexts> tensors;
  file.read(sample, [&](base::ByteReader& bytes) {
    for (std::size_t t = 0; t < file.head().names.size(); ++t)
      tensors.push_back(deserialize(context, bytes.take(bytes.u64())));
  });
  return tensors;
}

}  // namespace

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

}  // namespace tacit::runtime
