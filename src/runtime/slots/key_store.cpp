#include "runtime/slots/key_store.h"

#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "runtime/artefact.h"
#include "runtime/key_file.h"
#include "scheme/ckks/serialize.h"

namespace tacit::runtime {

using scheme::ckks::Context;
using scheme::ckks::ContextPtr;
using scheme::ckks::EvaluationKeys;
using scheme::ckks::GaloisKey;
using scheme::ckks::PublicKey;
using scheme::ckks::RaiseKeys;
using scheme::ckks::SecretKey;
using scheme::rlwe::SwitchingKey;

namespace {

constexpr ArtefactScheme kScheme = ArtefactScheme::ckks;

}  // namespace

base::Digest save(const ContextPtr& context, const SecretKey& key, const Binding& binding,
                  const std::filesystem::path& path) {
  return save_key({path, ArtefactKind::secret_key, kScheme}, *context, key, binding);
}

base::Digest save(const ContextPtr& context, const PublicKey& key, const Binding& binding,
                  const std::filesystem::path& path) {
  return save_key({path, ArtefactKind::public_key, kScheme}, *context, key, binding);
}

void for_each_key(const EvaluationKeys& keys,
                  const std::function<void(const std::string&, const EvaluationKeys&)>& body) {
  const params::KeyManifest manifest = keys.manifest();
  const auto give = [&](const std::string& name, std::optional<SwitchingKey> relinearise,
                        std::optional<GaloisKey> conjugate, std::map<std::int64_t, GaloisKey> rotations,
                        RaiseKeys raise = {}) {
    body(name, EvaluationKeys(keys.parameters(), std::move(relinearise), std::move(conjugate), std::move(rotations),
                              std::move(raise), keys.rotation_primes()));
  };
  if (const int level = manifest.relinearise_level; level >= 0) give("relinearise", keys.relinearise(level), {}, {});
  if (const int level = manifest.conjugate_level; level >= 0) give("conjugate", {}, keys.conjugate(level), {});
  for (const auto& [steps, level] : manifest.rotations)
    give("rotate " + std::to_string(steps), {}, {}, {{steps, keys.rotation(steps, level)}});
  if (keys.raise().to_ephemeral)
    give("raise", {}, {}, {}, {.to_ephemeral = keys.raise().to_ephemeral, .to_secret = {}});
  for (const auto& [steps, key] : keys.raise().to_secret)
    give("raised rotate " + std::to_string(steps), {}, {}, {}, {.to_ephemeral = {}, .to_secret = {{steps, key}}});
}

void KeyCollector::add(const EvaluationKeys& part) {
  const params::KeyManifest manifest = part.manifest();
  if (const int level = manifest.relinearise_level; level >= 0) relinearise_ = keep_(part.relinearise(level));
  if (const int level = manifest.conjugate_level; level >= 0) conjugate_ = kept(part.conjugate(level));
  if (!manifest.rotations.empty()) {
    if (!rotations_.empty() && manifest.rotation_primes != rotation_primes_)
      throw base::InputError("its rotation keys are over different primes");
    rotation_primes_ = manifest.rotation_primes;
  }
  for (const auto& [steps, level] : manifest.rotations)
    rotations_.insert_or_assign(steps, kept(part.rotation(steps, level)));
  if (part.raise().to_ephemeral) raise_.to_ephemeral = keep_(*part.raise().to_ephemeral);
  for (const auto& [steps, key] : part.raise().to_secret) raise_.to_secret.insert_or_assign(steps, kept(key));
}

EvaluationKeys KeyCollector::take(const Context& context) {
  if (!raise_.to_secret.empty() && !raise_.to_ephemeral)
    throw base::InputError("it has rotations of raised ciphertexts, and the key to the ephemeral secret is missing");
  return {context.parameters().hash(), std::move(relinearise_), std::move(conjugate_),
          std::move(rotations_),       std::move(raise_),       rotation_primes_};
}

base::Digest save(const ContextPtr& context, const EvaluationKeys& keys, const Binding& binding,
                  const std::filesystem::path& path) {
  ArtefactWriter writer(path, ArtefactKind::evaluation_keys);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  for_each_key(keys, [&](const std::string& name, const EvaluationKeys& key) { add_key(writer, name, *context, key); });
  return writer.finish();
}

SecretKey load_secret_key(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                          Provenance& found) {
  return load_key({path, ArtefactKind::secret_key, kScheme}, *context, model, found,
                  scheme::ckks::deserialize_secret_key);
}

PublicKey load_public_key(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                          Provenance& found) {
  return load_key({path, ArtefactKind::public_key, kScheme}, *context, model, found,
                  scheme::ckks::deserialize_public_key);
}

EvaluationKeys load_evaluation_keys(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                                    Provenance& found) {
  const ArtefactReader reader = KeyFile{path, ArtefactKind::evaluation_keys, kScheme}.open();
  KeyCollector keys;
  std::optional<EvaluationKeys> all;
  parsing(path, [&] {
    found = checked_provenance(reader, context->parameters().identity(), model);
    for (const Section& section : reader.sections())
      if (section.type == SectionType::key)
        keys.add(read_key(reader, section, *context, scheme::ckks::deserialize_evaluation_keys));
    all.emplace(keys.take(*context));
  });
  return std::move(*all);
}

}  // namespace tacit::runtime
