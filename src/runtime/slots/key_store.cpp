#include "runtime/slots/key_store.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/aligned.h"
#include "base/error.h"
#include "base/parallel.h"
#include "runtime/artefact.h"

namespace tacit::runtime {

/// Bytes of keys that are in memory beside the keys that they become: these, and at most one key more.
constexpr std::uint64_t kKeyBytesAtOnce = std::uint64_t{8} << 20;

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

namespace {

/// Writes an artefact whose keys `walk` gives, all or one after the other. Each has a section.
base::Digest write_keys(const ContextPtr& context, const Binding& binding, const Sink& sink,
                        const std::function<void(const std::function<void(const EvaluationKeys&)>&)>& walk) {
  return write_artefact(sink, ArtefactKind::evaluation_keys, ArtefactScheme::ckks, [&](ArtefactWriter& writer) {
    writer.add_section(kAboutSection, SectionType::text, to_json(binding).dump());
    walk([&](const EvaluationKeys& keys) {
      for_each_key(keys,
                   [&](const std::string& name, const EvaluationKeys& key) { add_key(writer, name, *context, key); });
    });
  });
}

}  // namespace

base::Digest save(const ContextPtr& context, const EvaluationKeys& keys, const Binding& binding, const Sink& sink) {
  return write_keys(context, binding, sink, [&](const auto& add) { add(keys); });
}

base::Digest make_and_save(const ContextPtr& context, scheme::ckks::KeySeries& series, const Binding& binding,
                           const Sink& sink, base::Progress& progress) {
  progress.begin("generating keys", series.steps() * (sink.wants_facts() ? 2 : 1));
  const base::Digest root = write_keys(context, binding, sink, [&](const auto& add) { series.walk(add, progress); });
  progress.end();
  return root;
}

namespace {

/// Reads the keys of neighbouring sections side by side. The bytes are read at once, so that a chunk in which sections
/// meet is checked once. Evaluation keys are public, so their bytes are not wiped.
std::vector<EvaluationKeys> read_keys(const ArtefactReader& reader, std::span<const Section> sections,
                                      const Context& context) {
  std::vector<EvaluationKeys> keys(sections.size());
  if (sections.empty()) return keys;
  Section all = sections.front();
  all.bytes = sections.back().offset + sections.back().bytes - all.offset;
  base::AlignedVector<std::byte> bytes(all.bytes);
  reader.read(all, 0, bytes);
  const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  base::parallel_for(0, sections.size(), [&](std::size_t i) {
    keys[i] = scheme::ckks::deserialize_evaluation_keys(
        context, {first + (sections[i].offset - all.offset), static_cast<std::size_t>(sections[i].bytes)});
  });
  return keys;
}

}  // namespace

EvaluationKeys load_evaluation_keys(const Source& source, const ContextPtr& context, const ModelId* model,
                                    Provenance& found) {
  const ArtefactReader reader = open_key(source, {ArtefactKind::evaluation_keys, ArtefactScheme::ckks});
  KeyCollector keys;
  std::optional<EvaluationKeys> all;
  parsing(source.name(), [&] {
    found = checked_provenance(reader, context->parameters().identity(), model);
    const std::span<const Section> sections = reader.sections();
    for (std::size_t first = 0, last = 0; first < sections.size(); first = last) {
      std::uint64_t bytes = 0;
      for (; last < sections.size() && sections[last].type == SectionType::key && bytes < kKeyBytesAtOnce; ++last)
        bytes += sections[last].bytes;
      for (const EvaluationKeys& key : read_keys(reader, sections.subspan(first, last - first), *context))
        keys.add(key);
      while (last < sections.size() && sections[last].type != SectionType::key) ++last;
    }
    all.emplace(keys.take(*context));
  });
  return std::move(*all);
}

}  // namespace tacit::runtime
