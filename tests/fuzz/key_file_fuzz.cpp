#include "artefact_parts.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "runtime/slots/key_store.h"
#include "tiny_set.h"

namespace tacit::fuzz {

using runtime::ArtefactKind;

namespace {

runtime::Binding binding_of(const TinySet& set) {
  runtime::Binding binding;
  binding.parameters = set.context->parameters().hash();
  binding.key_set[0] = 7;
  return binding;
}

template <class Key>
void save_again(const TinySet& set, const Key& key, const runtime::Provenance& found) {
  static const base::TemporaryFolder folder;
  save(set.context, key, found, folder.path() / "again");
}

void load(const std::filesystem::path& path, const TinySet& set) {
  runtime::Provenance found;
  switch (runtime::artefact_kind(path)) {
    case ArtefactKind::secret_key: save_again(set, load_secret_key(path, set.context, nullptr, found), found); return;
    case ArtefactKind::public_key: save_again(set, load_public_key(path, set.context, nullptr, found), found); return;
    default: save_again(set, load_evaluation_keys(path, set.context, nullptr, found), found);
  }
}

}  // namespace

std::string_view target_name() { return "key_file"; }

std::vector<Bytes> seeds() {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "key";
  std::vector<Bytes> all;
  const auto add = [&](const TinySet& set, const auto& key) {
    save(set.context, key, binding_of(set), path);
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  };
  for (const TinySet* set : {&tiny_set(), &tiny_bootstrapping_set()}) {
    add(*set, set->secret);
    add(*set, set->open);
    add(*set, set->evaluation);
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_artefact(from, other, random); }

/// A file of keys fits one of two parameter sets, and what was loaded can be saved.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  try {
    load(file.path(), tiny_set());
  } catch (const base::KeyMismatch&) {
    load(file.path(), tiny_bootstrapping_set());
  }
}

}  // namespace tacit::fuzz
