#include "app/service/key_shelf.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/service/first_bytes.h"
#include "app/service/named_sentence.h"
#include "app/service/refusal.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/file_descriptor.h"
#include "runtime/artefact.h"
#include "runtime/artefact_format.h"
#include "runtime/description.h"
#include "session/bounded_file.h"

namespace tacit::app::service {
namespace {

constexpr std::uintmax_t kMostDescription = 64 << 10;
constexpr std::chrono::hours kStaleUpload{24};
constexpr int kRetrySeconds = 30;

std::string size_text(std::uint64_t bytes) { return base::byte_size_text(static_cast<double>(bytes)); }

std::uint64_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

std::uint64_t bytes_in(const std::filesystem::path& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto entry = std::filesystem::recursive_directory_iterator(folder, error);
       !error && entry != std::filesystem::recursive_directory_iterator(); entry.increment(error))
    if (entry->is_regular_file(error)) bytes += size_of(entry->path());
  return bytes;
}

void forget_upload(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::remove(folder / "total", ignored);
  std::filesystem::remove(folder / "upload", ignored);
}

std::optional<StoredKeys> stored_in(const std::filesystem::path& folder) {
  try {
    const nlohmann::json about = nlohmann::json::parse(session::read_bounded(folder / "ready", kMostDescription));
    StoredKeys stored;
    stored.root = about.at("root").get<std::string>();
    stored.file = folder / about.at("file").get<std::string>();
    stored.bytes = about.at("bytes").get<std::uint64_t>();
    runtime::from_hexadecimal(about.at("key_set").get<std::string>(), stored.key_set);
    if (size_of(stored.file) != stored.bytes) return {};
    return stored;
  } catch (const base::InputError&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

}  // namespace

KeyShelf::KeyShelf(const std::filesystem::path& state, const KeyBounds& bounds)
    : keys_folder_(state / "keys"), bounds_(bounds) {
  std::filesystem::create_directories(keys_folder_);
  std::filesystem::permissions(keys_folder_, std::filesystem::perms::owner_all);
}

std::filesystem::path KeyShelf::folder(const std::string& client, const std::string& model) const {
  return keys_folder_ / base::hexadecimal(base::sha256(std::as_bytes(std::span(client)))).substr(0, 32) / model;
}

KeyState KeyShelf::state(const std::string& client, const std::string& model) const {
  const std::filesystem::path own = folder(client, model);
  KeyState state{.ready = stored_in(own)};
  try {
    state.total = std::stoull(session::read_bounded(own / "total", 32));
    state.received = size_of(own / "upload");
  } catch (const std::exception&) {  // there is no upload
    state.total = 0;
  }
  return state;
}

void KeyShelf::require_room(const Stretch& stretch, const std::filesystem::path& own, const Owners& needed) {
  std::set<std::filesystem::path> stays{own};
  for (const auto& [owner, model] : needed) stays.insert(folder(owner, model));
  const std::uint64_t stored = bytes_in(own.parent_path()) - size_of(own / "upload");
  if (stored + stretch.total > bounds_.of_client)
    throw Refusal(413, fmt::format("your keys would take {} here and may take {}; delete those of another model first",
                                   size_text(stored + stretch.total), size_text(bounds_.of_client)));
  std::uint64_t all = bytes_in(keys_folder_);
  // Keys of others, the one that was used longest ago first; where somebody uploads or uses them they stay.
  struct Old {
    std::filesystem::file_time_type used;
    std::filesystem::path folder;
  };
  std::vector<Old> old;
  std::error_code error;
  for (const auto& of_client : std::filesystem::directory_iterator(keys_folder_, error))
    for (const auto& of_model : std::filesystem::directory_iterator(of_client.path(), error))
      if (!stays.contains(of_model.path()))
        old.push_back({std::filesystem::last_write_time(of_model.path() / "ready", error), of_model.path()});
  std::ranges::sort(old, {}, &Old::used);
  for (const Old& each : old) {
    if (all + stretch.total <= bounds_.on_disk) break;
    const FileLock lock = FileLock::try_lock(each.folder / "lock");
    if (!lock.held()) continue;
    const std::uint64_t freed = bytes_in(each.folder);
    std::filesystem::remove_all(each.folder, error);
    all -= std::min(all, freed);
  }
  if (all + stretch.total > bounds_.on_disk)
    throw Refusal(503, "the server has no room for more keys at the moment", kRetrySeconds);
}

KeyState KeyShelf::upload(const std::string& client, const OfferedModel& model, const Stretch& stretch,
                          const Body& body, const Owners& needed) {
  if (stretch.total > model.most_key_bytes)
    throw Refusal(413, fmt::format("{} are more than evaluation keys of this model have, at most {}",
                                   size_text(stretch.total), size_text(model.most_key_bytes)));
  if (stretch.bytes == 0 || stretch.offset >= stretch.total || stretch.bytes > stretch.total - stretch.offset)
    throw Refusal(400, "the bytes that were announced do not lie within the file");
  if (needed.contains({client, model.id}))
    throw Refusal(409,
                  "jobs wait for the keys that are here; let them finish, or delete them, and send the new keys then",
                  kRetrySeconds);
  const std::filesystem::path own = folder(client, model.id);
  std::filesystem::create_directories(own);
  const FileLock lock = FileLock::try_lock(own / "lock");
  if (!lock.held()) throw Refusal(409, "another upload of these keys is under way", 2);
  const std::filesystem::path upload = own / "upload";
  const KeyState before = state(client, model.id);
  if (stretch.offset > 0 && (before.total != stretch.total || before.received != stretch.offset))
    throw Refusal(409, fmt::format("{} of {} bytes are here; go on from there", before.received, before.total));
  const base::FileDescriptor file(upload, O_RDWR | O_CREAT);
  if (!file.is_open()) throw base::InputError(upload.string() + ": cannot write: " + std::strerror(errno));
  if (stretch.offset == 0) {
    require_room(stretch, own, needed);
    if (::ftruncate(file.number(), 0) != 0)
      throw Refusal(503, "the server cannot store keys at the moment", kRetrySeconds);
    write_durably(own / "total", std::to_string(stretch.total));
  }
  // Too little to tell what it is waits, so that a secret key is never stored.
  bool known = stretch.offset >= runtime::format::kHeaderBytes;
  std::vector<char> start(known ? 0 : stretch.offset);
  if (file.read(0, std::as_writable_bytes(std::span(start))) != start.size())
    throw Refusal(503, "the server cannot read what it stored of the keys", kRetrySeconds);
  std::uint64_t offset = stretch.offset;
  const bool whole = body([&](std::span<const char> bytes) {
    if (!known) {
      start.insert(start.end(), bytes.begin(), bytes.end());
      const bool last = start.size() >= stretch.offset + stretch.bytes;
      if (start.size() < runtime::format::kHeaderBytes && !last) return true;
      require_beginning_of_kind(start, runtime::ArtefactKind::evaluation_keys);
      known = true;
      bytes = std::span<const char>(start).subspan(stretch.offset);
    }
    if (bytes.size() > stretch.offset + stretch.bytes - offset) return false;
    if (!file.write(offset, std::as_bytes(bytes)))
      throw Refusal(503, "the server's disk is full at the moment", kRetrySeconds);
    offset += bytes.size();
    const std::lock_guard counting(mutex_);
    counts_.received += bytes.size();
    return true;
  });
  if (!whole) throw Refusal(400, fmt::format("the body ended early: {} of {} bytes are here", offset, stretch.total));
  if (offset < stretch.total) return state(client, model.id);
  check(model, upload, own);
  return state(client, model.id);
}

void KeyShelf::check(const OfferedModel& model, const std::filesystem::path& upload, const std::filesystem::path& own) {
  std::shared_ptr<const session::LoadedKeys> keys;
  try {
    const std::lock_guard one(loading_);
    runtime::ArtefactReader(upload, runtime::ArtefactKind::evaluation_keys, model.half->model().scheme).verify();
    keys = model.half->load_keys(upload);
  } catch (const base::Error& error) {
    forget_upload(own);
    throw Refusal(dynamic_cast<const base::InternalError*>(&error) != nullptr ? 500 : 400,
                  named_sentence(error.what(), upload, "the upload"));
  }
  const std::string root = base::hexadecimal(keys->provenance().root);
  const std::optional<StoredKeys> before = stored_in(own);
  StoredKeys stored{.file = own / ("keys-" + root.substr(0, 16)),
                    .root = root,
                    .key_set = keys->provenance().key_set,
                    .bytes = size_of(upload)};
  make_durable(upload);
  std::filesystem::rename(upload, stored.file);
  write_durably(own / "ready", nlohmann::json{{"root", root},
                                              {"file", stored.file.filename().string()},
                                              {"bytes", stored.bytes},
                                              {"key_set", base::hexadecimal(stored.key_set)}}
                                   .dump());
  forget_upload(own);
  std::error_code ignored;
  if (before && before->file != stored.file) std::filesystem::remove(before->file, ignored);
  keep(root, std::move(keys));
  const std::lock_guard lock(mutex_);
  ++counts_.uploads;
}

void KeyShelf::remove(const std::string& client, const std::string& model) {
  const std::filesystem::path own = folder(client, model);
  if (!std::filesystem::exists(own)) return;
  const FileLock lock = FileLock::try_lock(own / "lock");
  if (!lock.held()) throw Refusal(409, "an upload of these keys is under way", 2);
  if (const std::optional<StoredKeys> stored = stored_in(own)) {
    const std::lock_guard guard(mutex_);
    std::erase_if(loaded_, [&](const auto& entry) { return entry.first == stored->root; });
  }
  std::error_code ignored;
  std::filesystem::remove_all(own, ignored);
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
  const std::filesystem::path own = folder(client, model.id);
  const std::optional<StoredKeys> stored = stored_in(own);
  if (!stored) throw Refusal(409, "there are no keys of yours for this model; upload them first");
  std::error_code ignored;
  std::filesystem::last_write_time(own / "ready", std::filesystem::file_time_type::clock::now(), ignored);
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
    throw Refusal(409, named_sentence(error.what(), stored->file, "the file of your keys at this server"));
  }
  keep(stored->root, keys);
  const std::lock_guard lock(mutex_);
  ++counts_.loads;
  return keys;
}

void KeyShelf::tidy() {
  std::error_code error;
  for (const auto& of_client : std::filesystem::directory_iterator(keys_folder_, error))
    for (const auto& of_model : std::filesystem::directory_iterator(of_client.path(), error)) {
      std::error_code absent;
      const auto changed = std::filesystem::last_write_time(of_model.path() / "upload", absent);
      if (absent || changed + kStaleUpload > std::filesystem::file_time_type::clock::now()) continue;
      const FileLock lock = FileLock::try_lock(of_model.path() / "lock");
      if (lock.held()) forget_upload(of_model.path());
    }
}

KeyShelf::Counts KeyShelf::counts() const {
  const std::lock_guard lock(mutex_);
  Counts counts = counts_;
  counts.in_memory = 0;
  for (const auto& [root, keys] : loaded_) counts.in_memory += keys->bytes();
  return counts;
}

}  // namespace tacit::app::service
