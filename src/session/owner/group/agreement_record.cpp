#include "session/owner/group/agreement_record.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace tacit::session {
namespace {

/// What the file holds, as it lies there.
struct Note {
  char magic[16];
  base::Digest group;
  runtime::KeySetId key_set;
};
constexpr char kNoteMagic[sizeof(Note::magic) + 1] = "tacit agreed 1\n\n";

}  // namespace

std::filesystem::path agreement_beside(const std::filesystem::path& secret, const base::Digest& group) {
  std::filesystem::path path = secret;
  path += "." + base::hexadecimal(std::span(group).first<4>()) + ".agreed";
  return path;
}

void note_agreement(const std::filesystem::path& secret, const base::Digest& group, const runtime::KeySetId& key_set) {
  const std::filesystem::path path = agreement_beside(secret, group);
  const auto fail = [&] {
    base::refuse("{}: the note of the agreed group cannot be written: {}; no part of the keys is made", path.string(),
                 std::strerror(errno));
  };
  const base::FileDescriptor file(path, O_RDWR | O_CREAT);
  if (!file.is_open() || !file.lock(LOCK_EX)) fail();
  if (file.size() != 0) {
    Note note{};
    const bool whole = file.is_regular() && file.size() == sizeof(Note) &&
                       file.read(0, std::as_writable_bytes(std::span(&note, 1))) == sizeof(Note);
    if (!whole || std::memcmp(note.magic, kNoteMagic, sizeof note.magic) != 0 || note.group != group)
      base::refuse("{} is no note of an agreed group, or is damaged; make a new group, and no part for this one",
                   path.string());
    if (note.key_set != key_set)
      base::refuse(
          "parts of the keys of this group were made with other commitments ({}): parts for both would reveal your "
          "secret; make a new group",
          path.string());
    return;
  }
  Note note{.magic = {}, .group = group, .key_set = key_set};
  std::memcpy(note.magic, kNoteMagic, sizeof note.magic);
  if (!file.write(0, std::as_bytes(std::span(&note, 1))) || ::fsync(file.number()) != 0) fail();
}

}  // namespace tacit::session
