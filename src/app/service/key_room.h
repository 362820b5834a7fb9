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
  std::uint64_t of_client = 64ull << 30;  ///< bytes on disk, of one client; an upload counts its announced bytes
  std::uint64_t on_disk = 512ull << 30;   ///< bytes of all keys, and as much again for uploads in progress
  std::uint64_t in_memory = 0;            ///< bytes of loaded keys that are kept for the next evaluation
};

/// Pairs of a client and a model.
using KeyOwners = std::set<std::pair<std::string, std::string>>;
/// Returns the keys that jobs need at the time of the call. An empty function needs none.
using NeededKeys = std::function<KeyOwners()>;

/// The room for keys on disk. An upload takes its announced bytes as soon as it is announced. New keys replace ready
/// ones when they are complete and checked, and not before. Several processes may share the folder. Thread safe.
class KeyRoom {
 public:
  KeyRoom(std::filesystem::path keys, const KeyBounds& bounds) : keys_(std::move(keys)), bounds_(bounds) {}

  KeyFolder folder(const std::string& client, const std::string& model) const;

  /// Records an upload into `own`. The caller holds the lock of `own`. Throws Refusal:
  /// - 413 if keys and uploads of the client would exceed the bound of a client;
  /// - 503 if all uploads and the needed keys would exceed the bound of all.
  void announce(const KeyFolder& own, std::uint64_t total, const NeededKeys& needed) const;

  /// Removes the least recently used keys until the rest and `bytes` for `own` are within the bound. Keys that jobs
  /// need stay. The keys of a client that is uploading stay too. Throws Refusal 503 if that is not enough.
  void make_room(const KeyFolder& own, std::uint64_t bytes, const NeededKeys& needed) const;

  /// Removes uploads that did not continue for a day.
  void tidy() const;

 private:
  std::vector<KeyFolder> folders() const;
  std::set<std::filesystem::path> needed_folders(const NeededKeys& needed) const;
  /// Locks the count of room, for one thread of all processes at a time.
  FileLock counting() const { return FileLock::lock(keys_ / "lock"); }

  const std::filesystem::path keys_;
  const KeyBounds bounds_;
};

}  // namespace tacit::app::service
