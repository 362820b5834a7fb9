#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "app/service/durable_file.h"
#include "app/service/key_folder.h"

namespace tacit::app::service {

/// Bounds of keys on disk and in memory.
struct KeyBounds {
  std::uint64_t of_client = 64ull << 30;  ///< bytes on disk, of one client, uploads by what they announce
  std::uint64_t on_disk = 512ull << 30;   ///< of all keys, and as much again of uploads under way
  std::uint64_t in_memory = 0;            ///< loaded keys that are kept for the next evaluation
};

/// Owners and models of keys.
using KeyOwners = std::set<std::pair<std::string, std::string>>;
/// The keys that jobs wait for at the time of the call. None where the function is empty.
using NeededKeys = std::function<KeyOwners()>;

/// The room that keys take on disk. An upload takes the bytes that it announces, from its announcement on. Keys that
/// are ready give way to new ones once those are whole and were checked, never to an announcement. Several processes
/// may share the folder. Thread safe.
class KeyRoom {
 public:
  KeyRoom(std::filesystem::path keys, const KeyBounds& bounds) : keys_(std::move(keys)), bounds_(bounds) {}

  KeyFolder folder(const std::string& client, const std::string& model) const;

  /// Records an upload into `own`, whose lock the caller holds. Throws Refusal: 413 where the client's keys and uploads
  /// would take more than a client's may; 503 where all uploads and the needed keys would take more than all may.
  void announce(const KeyFolder& own, std::uint64_t total, const NeededKeys& needed) const;

  /// Removes keys that were used longest ago until those that stay and `bytes` for `own` are within the bound. Keys
  /// that jobs need stay, and those of a client who uploads at the moment. Throws Refusal 503 where that is not enough.
  void make_room(const KeyFolder& own, std::uint64_t bytes, const NeededKeys& needed) const;

  /// Forgets uploads that nobody has gone on with for a day.
  void tidy() const;

 private:
  std::vector<KeyFolder> folders() const;
  std::set<std::filesystem::path> needed_folders(const NeededKeys& needed) const;
  /// Held while room is counted and taken, by one thread of all processes.
  FileLock counting() const { return FileLock::lock(keys_ / "lock"); }

  const std::filesystem::path keys_;
  const KeyBounds bounds_;
};

}  // namespace tacit::app::service
