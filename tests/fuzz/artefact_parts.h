#pragma once

#include <optional>
#include <string>

#include "runtime/artefact.h"
#include "target.h"

/// Artefacts taken apart and put together again with sizes, digests and root that are right, so that mutations get past
/// them.
namespace tacit::fuzz {

struct Part {
  std::string name;
  runtime::SectionType type{};
  Bytes bytes;
};

struct Artefact {
  runtime::ArtefactKind kind{};
  std::vector<Part> parts{};
  runtime::ArtefactScheme scheme = runtime::ArtefactScheme::ckks;
};

/// Nothing for bytes that are no artefact.
std::optional<Artefact> taken_apart(const Bytes& file);
Bytes put_together(const Artefact& artefact);
/// The file with its last fields right for whatever its body is. Short files stay as they are.
Bytes vouched(const Bytes& file);

/// Changes one part. `other` is one of the same kind.
using MutatePart = Bytes (*)(const Part& part, const Bytes& other, Random& random);
/// As text or as bytes, by the part's type.
Bytes mutate_part(const Part& part, const Bytes& other, Random& random);

/// Mutates the content of a part, the list of parts, or the file as bytes. `repair` makes the artefact consistent in
/// itself.
Bytes mutate_artefact(const Bytes& from, const Bytes& other, Random& random, MutatePart mutate_one = mutate_part,
                      void (*repair)(Artefact&) = nullptr);

}  // namespace tacit::fuzz
