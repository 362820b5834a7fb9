#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <utility>

#include "runtime/key_file.h"
#include "scheme/ckks/context.h"
#include "scheme/ckks/key_series.h"
#include "scheme/ckks/keys.h"
#include "scheme/ckks/serialize.h"

/// Keys on disk. Every file carries its Binding. Loading checks the parameters against the context (KeyMismatch), and
/// the model unless `model` is null (KeyMismatch). It checks the artefact and the encoding of its bytes (InputError).
/// Each loader returns the provenance in `found`. `save` returns the root of the written file.
namespace tacit::runtime {

/// Writes the secret key to a file of mode 0600. Wipes the memory that held the key's bytes.
inline base::Digest save(const scheme::ckks::ContextPtr& context, const scheme::ckks::SecretKey& key,
                         const Binding& binding, const Sink& sink) {
  return save_key(sink, {ArtefactKind::secret_key, ArtefactScheme::ckks}, *context, key, binding);
}
inline base::Digest save(const scheme::ckks::ContextPtr& context, const scheme::ckks::PublicKey& key,
                         const Binding& binding, const Sink& sink) {
  return save_key(sink, {ArtefactKind::public_key, ArtefactScheme::ckks}, *context, key, binding);
}
/// Writes one section per key, one key at a time, so that memory holds the keys only once.
base::Digest save(const scheme::ckks::ContextPtr& context, const scheme::ckks::EvaluationKeys& keys,
                  const Binding& binding, const Sink& sink);
/// Makes the keys of a series while it writes them, so that memory holds one of them. The bytes are those of `save`.
/// For sinks that want facts the keys are made twice. Throws Cancelled.
base::Digest make_and_save(const scheme::ckks::ContextPtr& context, scheme::ckks::KeySeries& series,
                           const Binding& binding, const Sink& sink, base::Progress& progress);

inline scheme::ckks::SecretKey load_secret_key(const Source& source, const scheme::ckks::ContextPtr& context,
                                               const ModelId* model, Provenance& found) {
  return load_key(source, {ArtefactKind::secret_key, ArtefactScheme::ckks}, *context, model, found,
                  scheme::ckks::deserialize_secret_key);
}
inline scheme::ckks::PublicKey load_public_key(const Source& source, const scheme::ckks::ContextPtr& context,
                                               const ModelId* model, Provenance& found) {
  return load_key(source, {ArtefactKind::public_key, ArtefactScheme::ckks}, *context, model, found,
                  scheme::ckks::deserialize_public_key);
}
/// The same for the public key of somebody who owns parts of a secret key, or receives results of several owners.
inline base::Digest save_receiver_key(const scheme::ckks::ContextPtr& context, const scheme::ckks::PublicKey& key,
                                      const Binding& binding, const Sink& sink) {
  return save_key(sink, {ArtefactKind::receiver_key, ArtefactScheme::ckks}, *context, key, binding);
}
inline scheme::ckks::PublicKey load_receiver_key(const Source& source, const scheme::ckks::ContextPtr& context,
                                                 const ModelId* model, Provenance& found) {
  return load_key(source, {ArtefactKind::receiver_key, ArtefactScheme::ckks}, *context, model, found,
                  scheme::ckks::deserialize_public_key);
}
/// Reads evaluation keys. Refuses a file with a secret key, and says so.
scheme::ckks::EvaluationKeys load_evaluation_keys(const Source& source, const scheme::ckks::ContextPtr& context,
                                                  const ModelId* model, Provenance& found);

/// Calls body(name, keys) with every key by itself, so that memory holds the bytes of one key at a time.
void for_each_key(const scheme::ckks::EvaluationKeys& keys,
                  const std::function<void(const std::string&, const scheme::ckks::EvaluationKeys&)>& body);

/// Combines evaluation keys that were separated. Throws InputError for parts that do not belong together.
class KeyCollector {
 public:
  /// Returns the copy to keep of an added key.
  using Keep = std::function<scheme::rlwe::SwitchingKey(const scheme::rlwe::SwitchingKey&)>;
  /// Without `keep` the keys stay in their memory.
  explicit KeyCollector(Keep keep = [](const scheme::rlwe::SwitchingKey& key) { return key; })
      : keep_(std::move(keep)) {}
  void add(const scheme::ckks::EvaluationKeys& part);
  scheme::ckks::EvaluationKeys take(const scheme::ckks::Context& context);

 private:
  scheme::ckks::GaloisKey kept(const scheme::ckks::GaloisKey& key) const { return {keep_(key.key), key.automorphism}; }
  Keep keep_;
  scheme::ckks::EvaluationKeys all_;
};

}  // namespace tacit::runtime
