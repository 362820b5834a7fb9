#include "app/service/key_room.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "app/service/refusal.h"
#include "base/byte_size.h"
#include "base/sha256.h"

namespace tacit::app::service {
namespace {

using Clock = std::filesystem::file_time_type::clock;

constexpr std::chrono::hours kStaleUpload{24};
constexpr std::chrono::minutes kPausedUpload{10};  // after which it gives way to another
constexpr int kRoomRetrySeconds = 30;

/// Forgets an upload unless it is under way.
void forget_paused(const KeyFolder& folder) {
  const FileLock lock = FileLock::try_lock(folder.lock());
  if (lock.held()) folder.forget_upload();
}

/// When bytes of an upload arrived last.
Clock::time_point changed(const KeyFolder& folder) {
  std::error_code absent;
  return std::filesystem::last_write_time(folder.upload(), absent);
}

[[noreturn]] void refuse_for_room() {
  throw Refusal(503, "the server has no room for more keys at the moment", kRoomRetrySeconds);
}

}  // namespace

KeyFolder KeyRoom::folder(const std::string& client, const std::string& model) const {
  return KeyFolder(keys_ / base::hexadecimal(base::sha256(std::as_bytes(std::span(client)))).substr(0, 32) / model);
}

std::vector<KeyFolder> KeyRoom::folders() const {
  std::vector<KeyFolder> folders;
  std::error_code error;
  for (const auto& of_client : std::filesystem::directory_iterator(keys_, error))
    for (const auto& of_model : std::filesystem::directory_iterator(of_client.path(), error))
      folders.emplace_back(of_model.path());
  return folders;
}

std::set<std::filesystem::path> KeyRoom::needed_folders(const NeededKeys& needed) const {
  std::set<std::filesystem::path> paths;
  if (needed)
    for (const auto& [owner, model] : needed()) paths.insert(folder(owner, model).path());
  return paths;
}

void KeyRoom::announce(const KeyFolder& own, std::uint64_t total, const NeededKeys& needed) const {
  const FileLock lock = counting();
  const std::set<std::filesystem::path> stay = needed_folders(needed);
  std::uint64_t of_client = own.stored_bytes() + total, of_all = total;
  std::vector<KeyFolder> paused;
  for (const KeyFolder& other : folders()) {
    if (other.path() == own.path()) continue;
    const std::uint64_t stored = other.stored_bytes(), announced = other.announced();
    if (other.path().parent_path() == own.path().parent_path()) of_client += stored + announced;
    of_all += announced + (stay.contains(other.path()) ? stored : 0);
    if (announced > 0 && changed(other) + kPausedUpload < Clock::now()) paused.push_back(other);
  }
  if (of_client > bounds_.of_client)
    throw Refusal(413, fmt::format("your keys would take {} here and may take {}; delete those of another model first",
                                   base::byte_size_text(static_cast<double>(of_client)),
                                   base::byte_size_text(static_cast<double>(bounds_.of_client))));
  std::ranges::sort(paused, {}, changed);
  for (const KeyFolder& upload : paused) {
    if (of_all <= bounds_.on_disk) break;
    const std::uint64_t announced = upload.announced();
    forget_paused(upload);
    of_all -= announced - std::min(announced, upload.announced());
  }
  if (of_all > bounds_.on_disk) refuse_for_room();
  own.announce(total);
}

void KeyRoom::make_room(const KeyFolder& own, std::uint64_t bytes, const NeededKeys& needed) const {
  const FileLock lock = counting();
  struct Old {
    Clock::time_point used;
    KeyFolder folder;
    std::uint64_t bytes;
  };
  std::vector<Old> old;
  std::uint64_t of_all = bytes;
  std::error_code absent;
  for (const KeyFolder& other : folders()) {
    if (other.path() == own.path()) continue;
    old.push_back({std::filesystem::last_write_time(other.ready(), absent), other, other.stored_bytes()});
    of_all += old.back().bytes;
  }
  std::ranges::sort(old, {}, &Old::used);
  for (const Old& each : old) {
    if (of_all <= bounds_.on_disk) return;
    const FileLock uploading = FileLock::try_lock(each.folder.lock());
    const FileLock switching = FileLock::try_lock(each.folder.switching());
    if (!uploading.held() || !switching.held() || needed_folders(needed).contains(each.folder.path())) continue;
    each.folder.forget_keys();
    of_all -= each.bytes - std::min(each.bytes, each.folder.stored_bytes());
  }
  if (of_all > bounds_.on_disk) refuse_for_room();
}

void KeyRoom::tidy() const {
  for (const KeyFolder& folder : folders())
    if (std::filesystem::exists(folder.upload()) && changed(folder) + kStaleUpload <= Clock::now())
      forget_paused(folder);
}

}  // namespace tacit::app::service
