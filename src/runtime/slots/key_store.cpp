#include "runtime/slots/key_store.h"

#include <optional>
#include <utility>

#include "base/error.h"
#include "runtime/artefact.h"

namespace tacit::runtime {

using scheme::ckks::Context;
using scheme::ckks::ContextPtr;
using scheme::ckks::EvaluationKeys;

void for_each_key(const EvaluationKeys& keys,
                  const std::function<void(const std::string&, const EvaluationKeys&)>& body) {
  const auto give = [&](const std::string& name, EvaluationKeys part) {
    part.parameters = keys.parameters;
    part.rotation_primes = keys.rotation_primes;
    body(name, part);
  };
  if (keys.relinearisation) give("relinearise", {.relinearisation = keys.relinearisation});
  if (keys.conjugation) give("conjugate", {.conjugation = keys.conjugation});
  for (const auto& [steps, key] : keys.rotations)
    give("rotate " + std::to_string(steps), {.rotations = {{steps, key}}});
  if (keys.raise.to_ephemeral) give("raise", {.raise = {.to_ephemeral = keys.raise.to_ephemeral}});
  for (const auto& [steps, key] : keys.raise.to_secret)
    give("raised rotate " + std::to_string(steps), {.raise = {.to_secret = {{steps, key}}}});
}

void KeyCollector::add(const EvaluationKeys& part) {
  if (part.relinearisation) all_.relinearisation = keep_(*part.relinearisation);
  if (part.conjugation) all_.conjugation = kept(*part.conjugation);
  if (!part.rotations.empty()) {
    if (!all_.rotations.empty() && part.rotation_primes != all_.rotation_primes)
      throw base::InputError("its rotation keys are over different primes");
    all_.rotation_primes = part.rotation_primes;
  }
  for (const auto& [steps, key] : part.rotations) all_.rotations.insert_or_assign(steps, kept(key));
  if (part.raise.to_ephemeral) all_.raise.to_ephemeral = keep_(*part.raise.to_ephemeral);
  for (const auto& [steps, key] : part.raise.to_secret) all_.raise.to_secret.insert_or_assign(steps, kept(key));
}

EvaluationKeys KeyCollector::take(const Context& context) {
  if (!all_.raise.to_secret.empty() && !all_.raise.to_ephemeral)
    throw base::InputError("it has rotations of raised ciphertexts, and the key to the ephemeral secret is missing");
  all_.parameters = context.parameters().hash();
  return std::move(all_);
}

base::Digest save(const ContextPtr& context, const EvaluationKeys& keys, const Binding& binding,
                  const std::filesystem::path& path) {
  ArtefactWriter writer(path, ArtefactKind::evaluation_keys);
  writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
  for_each_key(keys, [&](const std::string& name, const EvaluationKeys& key) { add_key(writer, name, *context, key); });
  return writer.finish();
}

EvaluationKeys load_evaluation_keys(const std::filesystem::path& path, const ContextPtr& context, const ModelId* model,
                                    Provenance& found) {
  const ArtefactReader reader = KeyFile{path, ArtefactKind::evaluation_keys, ArtefactScheme::ckks}.open();
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
