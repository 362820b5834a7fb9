#include "app/service/key_shelf.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/service/first_bytes.h"
#include "app/service/path_names.h"
#include "app/service/refusal.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"

namespace tacit::app::service {
namespace {

constexpr int kShelfRetrySeconds = 30;
constexpr const char* kNoKeys = "there are no keys of yours for this model; upload them first";

[[noreturn]] void refuse_in_use() {
  throw Refusal(409,
                "jobs wait for the keys that are here; let them finish, or delete them, and send the new keys then",
                kShelfRetrySeconds);
}

/// Whether jobs wait for a client's keys of a model.
std::function<bool()> in_use(const NeededKeys& needed, const std::string& client, const std::string& model) {
  return [&needed, key = std::pair(client, model)] { return needed && needed().contains(key); };
}

}  // namespace

KeyShelf::KeyShelf(const std::filesystem::path& state, const KeyBounds& bounds)
    : keys_folder_(state / "keys"), bounds_(bounds), room_(keys_folder_, bounds) {
  std::filesystem::create_directories(keys_folder_);
  std::filesystem::permissions(keys_folder_, std::filesystem::perms::owner_all);
}

KeyState KeyShelf::state(const std::string& client, const std::string& model) const {
  const KeyFolder own = room_.folder(client, model);
  KeyState state{.ready = own.stored(), .received = 0, .total = own.announced()};
  if (state.total > 0) state.received = size_of(own.upload());
  return state;
}

KeyState KeyShelf::upload(const std::string& client, const OfferedModel& model, const Stretch& stretch,
                          const Body& body, const NeededKeys& needed) {
  if (stretch.total > model.most_key_bytes)
    throw Refusal(413, fmt::format("{} are more than evaluation keys of this model have, at most {}",
                                   base::byte_size_text(static_cast<double>(stretch.total)),
                                   base::byte_size_text(static_cast<double>(model.most_key_bytes))));
  if (stretch.bytes == 0 || stretch.offset >= stretch.total || stretch.bytes > stretch.total - stretch.offset)
    throw Refusal(400, "the bytes that were announced do not lie within the file");
  const std::function<bool()> used = in_use(needed, client, model.id);
  if (used()) refuse_in_use();
  const KeyFolder own = room_.folder(client, model.id);
  std::filesystem::create_directories(own.path());
  const FileLock lock = FileLock::try_lock(own.lock());
  if (!lock.held()) throw Refusal(409, "another upload of these keys is under way", 2);
  const KeyState before = state(client, model.id);
  if (stretch.offset > 0 && (before.total != stretch.total || before.received != stretch.offset))
    throw Refusal(409, fmt::format("{} of {} bytes are here; go on from there", before.received, before.total));
  if (stretch.offset == 0) room_.announce(own, stretch.total, needed);
  receive(own, stretch, body);
  if (stretch.offset + stretch.bytes == stretch.total) take(model, own, used, needed);
  return state(client, model.id);
}

void KeyShelf::receive(const KeyFolder& own, const Stretch& stretch, const Body& body) {
  const base::FileDescriptor file(own.upload(), O_RDWR | O_CREAT);
  if (!file.is_open()) throw base::InputError(own.upload().string() + ": cannot write: " + std::strerror(errno));
  // Too little to tell what it is waits, so that a secret key is never stored.
  bool known = stretch.offset >= runtime::format::kHeaderBytes;
  std::vector<char> start(known ? 0 : stretch.offset);
  if (file.read(0, std::as_writable_bytes(std::span(start))) != start.size())
    throw Refusal(503, "the server cannot read what it stored of the keys", kShelfRetrySeconds);
  std::uint64_t offset = stretch.offset;
  const bool whole = body([&](std::span<const char> bytes) {
    if (!known) {
      start.insert(start.end(), bytes.begin(), bytes.end());
      const bool last = start.size() >= stretch.offset + stretch.bytes;
      if (start.size() < runtime::format::kHeaderBytes && !last) return true;
      try {
        require_beginning_of_kind(start, runtime::ArtefactKind::evaluation_keys);
      } catch (const Refusal&) {  // no keys: nothing of the kind takes room
        own.forget_upload();
        throw;
      }
      known = true;
      bytes = std::span<const char>(start).subspan(stretch.offset);
    }
    if (bytes.size() > stretch.offset + stretch.bytes - offset) return false;
    if (!file.write(offset, std::as_bytes(bytes)))
      throw Refusal(503, "the server's disk is full at the moment", kShelfRetrySeconds);
    offset += bytes.size();
    const std::lock_guard counting(mutex_);
    counts_.received += bytes.size();
    return true;
  });
  if (!whole || offset != stretch.offset + stretch.bytes)
    throw Refusal(400, fmt::format("the body ended early: {} of {} bytes are here", offset, stretch.total));
}

void KeyShelf::take(const OfferedModel& model, const KeyFolder& own, const std::function<bool()>& used,
                    const NeededKeys& needed) {
  std::shared_ptr<const session::LoadedKeys> keys;
  try {
    const std::lock_guard one(loading_);
    runtime::ArtefactReader(own.upload(), runtime::ArtefactKind::evaluation_keys, model.half->model().scheme).verify();
    keys = model.half->load_keys(own.upload());
  } catch (const base::Error& error) {
    own.forget_upload();
    throw Refusal(dynamic_cast<const base::InternalError*>(&error) != nullptr ? 500 : 400,
                  PathNames{{own.upload(), "the upload"}}.named(error.what()));
  }
  const std::string root = base::hexadecimal(keys->provenance().root);
  const std::uint64_t bytes = size_of(own.upload());
  // Jobs may have been accepted under the keys before while these arrived.
  const FileLock switching = FileLock::lock(own.switching());
  try {
    if (used()) refuse_in_use();
    room_.make_room(own, bytes, needed);
  } catch (const Refusal&) {
    own.forget_upload();
    throw;
  }
  const std::optional<StoredKeys> before = own.stored();
  const std::filesystem::path file = own.path() / ("keys-" + root.substr(0, 16));
  make_durable(own.upload());
  std::filesystem::rename(own.upload(), file);
  write_durably(own.ready(), nlohmann::json{{"root", root},
                                            {"file", file.filename().string()},
                                            {"bytes", bytes},
                                            {"key_set", base::hexadecimal(keys->provenance().key_set)}}
                                 .dump());
  own.forget_upload();
  std::error_code ignored;
  if (before && before->file != file) std::filesystem::remove(before->file, ignored);
  keep(root, std::move(keys));
  const std::lock_guard lock(mutex_);
  ++counts_.uploads;
}

void KeyShelf::remove(const std::string& client, const std::string& model, const NeededKeys& needed) {
  const KeyFolder own = room_.folder(client, model);
  if (!std::filesystem::exists(own.path())) return;
  const FileLock lock = FileLock::try_lock(own.lock());
  if (!lock.held()) throw Refusal(409, "an upload of these keys is under way", 2);
  const FileLock switching = FileLock::lock(own.switching());
  if (in_use(needed, client, model)())
    throw Refusal(409, "jobs wait for these keys; let them finish or delete them first");
  if (const std::optional<StoredKeys> stored = own.stored()) {
    const std::lock_guard guard(mutex_);
    std::erase_if(loaded_, [&](const auto& entry) { return entry.first == stored->root; });
  }
  std::error_code ignored;
  std::filesystem::remove_all(own.path(), ignored);
}

KeyShelf::Steady KeyShelf::steady(const std::string& client, const std::string& model) const {
  const KeyFolder own = room_.folder(client, model);
  if (!own.stored()) throw Refusal(409, kNoKeys);
  FileLock lock = FileLock::share(own.switching());
  std::optional<StoredKeys> keys = own.stored();
  if (!keys) throw Refusal(409, kNoKeys);
  return {.lock = std::move(lock), .keys = std::move(*keys)};
}

void KeyShelf::keep(const std::string& root, std::shared_ptr<const session::LoadedKeys> keys) {
  const std::lock_guard lock(mutex_);
  std::erase_if(loaded_, [&](const auto& entry) { return entry.first == root; });
  loaded_.emplace_front(root, std::move(keys));
  std::uint64_t bytes = 0;
  for (auto entry = loaded_.begin(); entry != loaded_.end();) {
    bytes += entry->second->bytes();
    // The one that is needed now stays, however large.
    entry = bytes > bounds_.in_memory && entry != loaded_.begin() ? loaded_.erase(entry) : std::next(entry);
  }
}

std::shared_ptr<const session::LoadedKeys> KeyShelf::load(const std::string& client, const OfferedModel& model) {
  const KeyFolder own = room_.folder(client, model.id);
  const std::optional<StoredKeys> stored = own.stored();
  if (!stored) throw Refusal(409, kNoKeys);
  std::error_code ignored;
  std::filesystem::last_write_time(own.ready(), std::filesystem::file_time_type::clock::now(), ignored);
  const auto find = [&]() -> std::shared_ptr<const session::LoadedKeys> {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find(loaded_, stored->root, [](const auto& entry) { return entry.first; });
    if (found == loaded_.end()) return nullptr;
    loaded_.splice(loaded_.begin(), loaded_, found);
    return found->second;
  };
  if (auto keys = find()) return keys;
  const std::lock_guard one(loading_);
  if (auto keys = find()) return keys;
  std::shared_ptr<const session::LoadedKeys> keys;
  try {
    keys = model.half->load_keys(stored->file);
  } catch (const base::InputError& error) {  // somebody damaged the state folder
    throw Refusal(409, PathNames{{stored->file, "the file of your keys at this server"}}.named(error.what()));
  }
  keep(stored->root, keys);
  const std::lock_guard lock(mutex_);
  ++counts_.loads;
  return keys;
}

void KeyShelf::tidy() { room_.tidy(); }

KeyShelf::Counts KeyShelf::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.in_memory = 0;
  for (const auto& [root, keys] : loaded_) counts.in_memory += keys->bytes();
  return counts;
}

}  // namespace tacit::app::service
