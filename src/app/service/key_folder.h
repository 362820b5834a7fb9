#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/binding.h"

namespace tacit::app::service {

/// Completely received keys that were read and belong to their model.
struct StoredKeys {
  std::filesystem::path file;
  std::string root;  ///< hexadecimal
  runtime::KeySetId key_set{};
  std::uint64_t bytes = 0;
};

/// Returns the size of a file; 0 if there is none.
std::uint64_t size_of(const std::filesystem::path& file);

/// The folder of one client's keys for one model.
/// - `ready` describes the keys.
/// - `upload` holds the received bytes of other keys, and `total` their announced size.
/// - `lock` is held during an upload.
/// - `switch` is held while keys are replaced or removed, and shared while a job for them is accepted.
class KeyFolder {
 public:
  explicit KeyFolder(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path lock() const { return path_ / "lock"; }
  std::filesystem::path switching() const { return path_ / "switch"; }
  std::filesystem::path upload() const { return path_ / "upload"; }
  std::filesystem::path ready() const { return path_ / "ready"; }

  /// Returns the keys that are ready; none if there are none, or if their file is incomplete.
  std::optional<StoredKeys> stored() const;
  /// The bytes of the files except the upload.
  std::uint64_t stored_bytes() const;
  /// The announced bytes of an upload; 0: there is none.
  std::uint64_t announced() const;
  /// Records an upload of `total` bytes, of which none are received. `announced` includes it afterwards.
  void announce(std::uint64_t total) const;
  void forget_upload() const;
  /// Removes the keys that are ready.
  void forget_keys() const;

 private:
  std::filesystem::path path_;
};

}  // namespace tacit::app::service
