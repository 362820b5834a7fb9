#include "runtime/slots/key_store.h"

#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/private_file.h"
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

params::ParameterIdentity identity(const Context& context) { return context.parameters().identity(); }

template <class Key>
void add_key(ArtefactWriter& writer, std::string_view name, const Context& context, const Key& key) {
  writer.begin_section(name, SectionType::key);
  scheme::ckks::serialize(context, key,
                          [&](std::span<const std::uint8_t> piece) { writer.write(std::as_bytes(piece)); });
}

template <class Key>
base::Digest save_single(const Context& context, const Key& key, ArtefactKind kind, const Binding& binding,
                         const std::filesystem::path& path) {
  ArtefactWriter writer(path, kind);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  add_key(writer, kKeySection, context, key);
  return writer.finish();
}

}  // namespace

base::Digest save(const ContextPtr& context, const SecretKey& key, const Binding& binding,
                  const std::filesystem::path& path) {
  return save_single(*context, key, ArtefactKind::secret_key, binding, path);
}

base::Digest save(const ContextPtr& context, const PublicKey& key, const Binding& binding,
                  const std::filesystem::path& path) {
  return save_single(*context, key, ArtefactKind::public_key, binding, path);
}

base::Digest save(const ContextPtr& context, const EvaluationKeys& keys, const Binding& binding,
                  const std::filesystem::path& path) {
  ArtefactWriter writer(path, ArtefactKind::evaluation_keys);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  const params::KeyManifest manifest = keys.manifest();
  const auto add = [&](const std::string& name, std::optional<SwitchingKey> relinearise,
                       std::optional<GaloisKey> conjugate, std::map<std::int64_t, GaloisKey> rotations,
                       RaiseKeys raise = {}) {
    add_key(writer, name, *context,
            EvaluationKeys(keys.parameters(), std::move(relinearise), std::move(conjugate), std::move(rotations),
                           std::move(raise), keys.rotation_primes()));
  };
  if (const int level = manifest.relinearise_level; level >= 0) add("relinearise", keys.relinearise(level), {}, {});
  if (const int level = manifest.conjugate_level; level >= 0) add("conjugate", {}, keys.conjugate(level), {});
  for (const auto& [steps, level] : manifest.rotations)
    add("rotate " + std::to_string(steps), {}, {}, {{steps, keys.rotation(steps, level)}});
  if (keys.raise().to_ephemeral) add("raise", {}, {}, {}, {.to_ephemeral = keys.raise().to_ephemeral, .to_secret = {}});
  for (const auto& [steps, key] : keys.raise().to_secret)
    add("raised rotate " + std::to_string(steps), {}, {}, {}, {.to_ephemeral = {}, .to_secret = {{steps, key}}});
  return writer.finish();
}

SecretKey load_secret_key(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                          Provenance& found) {
  const ArtefactReader reader(path, ArtefactKind::secret_key);
  base::require_private(path, "secret key");
  std::optional<SecretKey> key;
  parsing(path, [&] {
    found = checked_provenance(reader, identity(*context), model);
    const WipedBytes bytes(reader.read(reader.section(kKeySection, SectionType::key)));
    key.emplace(scheme::ckks::deserialize_secret_key(*context, bytes.get()));
  });
  return std::move(*key);
}

PublicKey load_public_key(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                          Provenance& found) {
  const ArtefactReader reader(path, ArtefactKind::public_key);
  PublicKey key;
  parsing(path, [&] {
    found = checked_provenance(reader, identity(*context), model);
    const WipedBytes bytes(reader.read(reader.section(kKeySection, SectionType::key)));
    key = scheme::ckks::deserialize_public_key(*context, bytes.get());
  });
  return key;
}

EvaluationKeys load_evaluation_keys(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                                    Provenance& found) {
  refuse_secret_key(path, "the computing side");
  const ArtefactReader reader(path, ArtefactKind::evaluation_keys);
  std::optional<SwitchingKey> relinearise;
  std::optional<GaloisKey> conjugate;
  std::map<std::int64_t, GaloisKey> rotations;
  RaiseKeys raise;
  params::RotationPrimes rotation_primes;
  parsing(path, [&] {
    found = checked_provenance(reader, identity(*context), model);
    for (const Section& section : reader.sections()) {
      if (section.type != SectionType::key) continue;
      const WipedBytes bytes(reader.read(section));
      const EvaluationKeys part = scheme::ckks::deserialize_evaluation_keys(*context, bytes.get());
      const params::KeyManifest manifest = part.manifest();
      if (const int level = manifest.relinearise_level; level >= 0) relinearise = part.relinearise(level);
      if (const int level = manifest.conjugate_level; level >= 0) conjugate = part.conjugate(level);
      if (!manifest.rotations.empty()) {
        if (!rotations.empty() && manifest.rotation_primes != rotation_primes)
          throw base::InputError("its rotation keys are over different primes");
        rotation_primes = manifest.rotation_primes;
      }
      for (const auto& [steps, level] : manifest.rotations)
        rotations.insert_or_assign(steps, part.rotation(steps, level));
      if (part.raise().to_ephemeral) raise.to_ephemeral = part.raise().to_ephemeral;
      for (const auto& [steps, key] : part.raise().to_secret) raise.to_secret.insert_or_assign(steps, key);
    }
    if (!raise.to_secret.empty() && !raise.to_ephemeral)
      throw base::InputError("it has rotations of raised ciphertexts, and the key to the ephemeral secret is missing");
  });
  return {context->parameters().hash(), std::move(relinearise), std::move(conjugate),
          std::move(rotations),         std::move(raise),       rotation_primes};
}

}  // namespace tacit::runtime
