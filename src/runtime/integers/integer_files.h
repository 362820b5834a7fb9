#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "runtime/key_file.h"
#include "runtime/sample_file.h"
#include "scheme/tfhe/encryption.h"
#include "scheme/tfhe/evaluator.h"
#include "scheme/tfhe/serialize.h"

/// Keys and ciphertexts of TFHE on disk. Every file carries its Binding. Loading checks the parameters against the
/// context (KeyMismatch), and the model unless `model` is null (KeyMismatch). It checks the artefact and the encoding
/// of its bytes (InputError).
namespace tacit::runtime {

/// Writes the secret key to a file of mode 0600. Wipes the memory that held the key's bytes.
inline base::Digest save(const scheme::tfhe::Context& context, const scheme::tfhe::SecretKey& key,
                         const Binding& binding, const Sink& sink) {
  return save_key(sink, {ArtefactKind::secret_key, ArtefactScheme::tfhe}, context, key, binding);
}
inline base::Digest save(const scheme::tfhe::Context& context, const scheme::tfhe::PublicKey& key,
                         const Binding& binding, const Sink& sink) {
  return save_key(sink, {ArtefactKind::public_key, ArtefactScheme::tfhe}, context, key, binding);
}
inline base::Digest save(const scheme::tfhe::Context& context, const scheme::tfhe::SeededEvaluationKeys& keys,
                         const Binding& binding, const Sink& sink) {
  return save_key(sink, {ArtefactKind::evaluation_keys, ArtefactScheme::tfhe}, context, keys, binding);
}
/// Makes the keys while it writes them, so that memory holds a few MiB of them. The form is that of `save`. For sinks
/// that want facts the keys are made twice. Throws Cancelled.
base::Digest make_and_save(const scheme::tfhe::KeySeries& series, const Binding& binding, const Sink& sink,
                           base::Progress& progress);
inline scheme::tfhe::SecretKey load_tfhe_secret_key(const Source& source, const scheme::tfhe::Context& context,
                                                    const ModelId* model, Provenance& found) {
  return load_key(source, {ArtefactKind::secret_key, ArtefactScheme::tfhe}, context, model, found,
                  scheme::tfhe::deserialize_secret_key);
}
inline scheme::tfhe::PublicKey load_tfhe_public_key(const Source& source, const scheme::tfhe::Context& context,
                                                    const ModelId* model, Provenance& found) {
  return load_key(source, {ArtefactKind::public_key, ArtefactScheme::tfhe}, context, model, found,
                  scheme::tfhe::deserialize_public_key);
}
/// Reads evaluation keys. Refuses a file with a secret key, and says so.
inline scheme::tfhe::SeededEvaluationKeys load_tfhe_evaluation_keys(const Source& source,
                                                                    const scheme::tfhe::Context& context,
                                                                    const ModelId* model, Provenance& found) {
  return load_key(source, {ArtefactKind::evaluation_keys, ArtefactScheme::tfhe}, context, model, found,
                  scheme::tfhe::deserialize_evaluation_keys);
}

/// Returns the tensors of one input, or of one result, as a sample of a file. The number of bytes precedes the bytes of
/// each tensor.
template <class Ciphertexts>
SampleWriter::Pieces pieces_of(const scheme::tfhe::Context& context, std::span<const Ciphertexts> tensors) {
  return [&context, tensors](const std::function<void(std::span<const std::byte>)>& out) {
    for (const Ciphertexts& tensor : tensors) {
      const std::vector<std::uint8_t> bytes = scheme::tfhe::serialize(context, tensor);
      const std::uint64_t size = bytes.size();
      out(std::as_bytes(std::span(&size, 1)));
      out(std::as_bytes(std::span(bytes)));
    }
  };
}
/// Convert between tensors and their bytes in a sample. `arrays_of` reads `names` tensors from untrusted bytes. It
/// throws InputError and KeyMismatch as scheme::tfhe::deserialize_ciphertexts does.
std::vector<std::byte> bytes_of(const scheme::tfhe::Context& context,
                                std::span<const scheme::tfhe::LweCiphertexts> sample);
std::vector<scheme::tfhe::LweCiphertexts> arrays_of(const scheme::tfhe::Context& context, std::size_t names,
                                                    base::ByteReader& bytes);
/// Returns SHA-256 over these bytes, by which an answer names its question.
base::Digest digest_of(const scheme::tfhe::Context& context,
                       std::span<const scheme::tfhe::FreshLweCiphertexts> question);
std::vector<scheme::tfhe::FreshLweCiphertexts> read_inputs(const SampleReader& file, std::size_t sample,
                                                           const scheme::tfhe::Context& context);
std::vector<scheme::tfhe::LweCiphertexts> read_results(const SampleReader& file, std::size_t sample,
                                                       const scheme::tfhe::Context& context);

/// Opens a file of ciphertexts under these parameters. Throws as SampleReader does.
SampleReader open_samples(const Source& source, const scheme::tfhe::Context& context, CiphertextRole expected);

}  // namespace tacit::runtime
