#include "app/service/first_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "app/service/refusal.h"
#include "runtime/artefact_format.h"

namespace tacit::app::service {

void require_kind(std::span<const char> start, runtime::ArtefactKind wanted) {
  const std::string_view right =
      wanted == runtime::ArtefactKind::evaluation_keys   ? "evaluation keys; send what keygen wrote to --evaluation"
      : wanted == runtime::ArtefactKind::search_question ? "questions; send what search query wrote"
                                                         : "inputs; send what encrypt wrote";
  std::uint32_t kind = 0;
  const bool artefact = start.size() >= runtime::format::kKindOffset + sizeof kind &&
                        std::memcmp(start.data(), runtime::format::kMagic.data(), runtime::format::kMagic.size()) == 0;
  if (artefact) std::memcpy(&kind, start.data() + runtime::format::kKindOffset, sizeof kind);
  if (artefact && kind == static_cast<std::uint32_t>(runtime::ArtefactKind::secret_key))
    throw Refusal(400, fmt::format("this is a secret key, and it was not stored; whoever saw it on the way reads every "
                                   "input and output: make new keys, and send {}",
                                   wanted == runtime::ArtefactKind::evaluation_keys ? "the evaluation keys"
                                                                                    : "inputs under them"));
  if (!artefact || kind != static_cast<std::uint32_t>(wanted))
    throw Refusal(400, fmt::format("this is no file of {}", right));
}

void require_no_secret(std::span<const char> start) {
  std::uint32_t kind = 0;
  const bool artefact = start.size() >= runtime::format::kKindOffset + sizeof kind &&
                        std::memcmp(start.data(), runtime::format::kMagic.data(), runtime::format::kMagic.size()) == 0;
  if (!start.empty() && start.front() == '{') return;  // the text of a receipt
  if (!artefact) throw Refusal(400, "this is no file that Tacit wrote; send a group, or a file for one");
  std::memcpy(&kind, start.data() + runtime::format::kKindOffset, sizeof kind);
  if (kind == static_cast<std::uint32_t>(runtime::ArtefactKind::secret_key))
    throw Refusal(400,
                  "this is a secret key, and it was not stored; whoever saw it on the way has your parts of the key: "
                  "make a new key pair, and propose a new group");
}

void require_beginning_of_kind(std::span<const char> start, runtime::ArtefactKind wanted) {
  const std::size_t compared = std::min(start.size(), runtime::format::kMagic.size());
  const bool names_kind = start.size() >= runtime::format::kKindOffset + sizeof(std::uint32_t);
  if (names_kind || std::memcmp(start.data(), runtime::format::kMagic.data(), compared) != 0)
    require_kind(start, wanted);
}

}  // namespace tacit::app::service
