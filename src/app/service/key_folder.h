#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "runtime/binding.h"

namespace tacit::app::service {

/// Keys that were received whole, read, and found to be for their model.
struct StoredKeys {
  std::filesystem::path file;
  std::string root;  ///< hexadecimal
  runtime::KeySetId key_set{};
  std::uint64_t bytes = 0;
};

/// The size of a file; 0 where there is none.
std::uint64_t size_of(const std::filesystem::path& file);

/// The folder of one client's keys for one model. `ready` describes the keys, `upload` holds what was received of
/// others and `total` how many bytes were announced of them. `lock` is held during an upload. `switch` is held while
/// keys take the place of others or go, and shared while a job for them is accepted.
class KeyFolder {
 public:
  explicit KeyFolder(std::filesystem::path path) : path_(std::move(path)) {}
  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path lock() const { return path_ / "lock"; }
  std::filesystem::path switching() const { return path_ / "switch"; }
  std::filesystem::path upload() const { return path_ / "upload"; }
  std::filesystem::path ready() const { return path_ / "ready"; }

  /// The keys that are ready; none where there are none, or where their file is not whole.
  std::optional<StoredKeys> stored() const;
  /// Bytes of the files except the upload.
  std::uint64_t stored_bytes() const;
  /// Bytes that were announced of an upload; 0: there is none.
  std::uint64_t announced() const;
  /// Records an upload of so many bytes of which none are here. `announced` counts it from then on.
  void announce(std::uint64_t total) const;
  void forget_upload() const;
  /// Removes the keys that are ready.
  void forget_keys() const;

 private:
  std::filesystem::path path_;
};

}  // namespace tacit::app::service
