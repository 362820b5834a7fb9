#include "runtime/integers/integer_files.h"

#include "scheme/tfhe/serialize.h"

namespace tacit::runtime {

using scheme::tfhe::Context;
using scheme::tfhe::LweCiphertexts;
using scheme::tfhe::SecretKey;
using scheme::tfhe::SeededEvaluationKeys;
using scheme::tfhe::SeededLweCiphertexts;

namespace {

constexpr ArtefactScheme kScheme = ArtefactScheme::tfhe;

template <class Ciphertexts, class Read>
std::vector<Ciphertexts> read_tensors(const SampleReader& file, std::size_t sample, const Read& read) {
  std::vector<Ciphertexts> tensors;
  file.read(sample, [&](base::ByteReader& bytes) {
    for (std::size_t t = 0; t < file.head().names.size(); ++t) tensors.push_back(read(bytes.take(bytes.u64())));
  });
  return tensors;
}

}  // namespace

base::Digest save(const Context& context, const SecretKey& key, const Binding& binding,
                  const std::filesystem::path& path) {
  return save_key({path, ArtefactKind::secret_key, kScheme}, context, key, binding);
}

base::Digest save(const Context& context, const SeededEvaluationKeys& keys, const Binding& binding,
                  const std::filesystem::path& path) {
  return save_key({path, ArtefactKind::evaluation_keys, kScheme}, context, keys, binding);
}

SecretKey load_tfhe_secret_key(const std::filesystem::path& path, const Context& context, const ModelId* model,
                               Provenance& found) {
  return load_key({path, ArtefactKind::secret_key, kScheme}, context, model, found,
                  scheme::tfhe::deserialize_secret_key);
}

SeededEvaluationKeys load_tfhe_evaluation_keys(const std::filesystem::path& path, const Context& context,
                                               const ModelId* model, Provenance& found) {
  return load_key({path, ArtefactKind::evaluation_keys, kScheme}, context, model, found,
                  scheme::tfhe::deserialize_evaluation_keys);
}

template <class Ciphertexts>
SampleWriter::Pieces pieces_of(const Context& context, std::span<const Ciphertexts> tensors) {
  return [&context, tensors](const std::function<void(std::span<const std::byte>)>& out) {
    for (const Ciphertexts& tensor : tensors) {
      const std::vector<std::uint8_t> bytes = scheme::tfhe::serialize(context, tensor);
      const std::uint64_t size = bytes.size();
      out(std::as_bytes(std::span(&size, 1)));
      out(std::as_bytes(std::span(bytes)));
    }
  };
}
template SampleWriter::Pieces pieces_of(const Context&, std::span<const SeededLweCiphertexts>);
template SampleWriter::Pieces pieces_of(const Context&, std::span<const LweCiphertexts>);

base::Digest digest_of(const Context& context, std::span<const SeededLweCiphertexts> question) {
  return digest_of(pieces_of(context, question));
}

std::vector<SeededLweCiphertexts> read_inputs(const SampleReader& file, std::size_t sample, const Context& context) {
  return read_tensors<SeededLweCiphertexts>(file, sample, [&](std::span<const std::uint8_t> bytes) {
    return scheme::tfhe::deserialize_seeded_ciphertexts(context, bytes);
  });
}

std::vector<LweCiphertexts> read_results(const SampleReader& file, std::size_t sample, const Context& context) {
  return read_tensors<LweCiphertexts>(file, sample, [&](std::span<const std::uint8_t> bytes) {
    return scheme::tfhe::deserialize_ciphertexts(context, bytes);
  });
}

SampleReader open_samples(const std::filesystem::path& path, const Context& context, CiphertextRole expected) {
  return SampleReader(path, ArtefactScheme::tfhe, expected, context.parameters().hash(),
                      context.parameters().literal().name);
}

}  // namespace tacit::runtime
