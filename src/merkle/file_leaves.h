#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_descriptor.h"
#include "base/progress.h"
#include "merkle/digest.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// Makes the leaves of files, in the order of the files. Every chunk is a leaf; the last chunk of a file may be
/// shorter, and an empty file has none. With the leaf rule `digests`, every 32 bytes are a leaf. Each of several files
/// begins with an extra leaf, leaf_of_file. It states the length and thus the end of the file, so that no other files
/// have the same leaves. Files are read while they are hashed, a few chunks at a time on all threads. Not thread safe.
class FileLeaves {
 public:
  /// Throws InputError for a scheme that does not exist, and for a file that cannot be opened or is not a regular file.
  /// A file of digests must be the only file, and have a multiple of 32 bytes. Otherwise a digest could pose as the
  /// leaf of a file.
  FileLeaves(const TreeScheme& scheme, const std::vector<std::filesystem::path>& files);

  /// A file and the place where its leaves begin, its own leaf first.
  struct Part {
    std::string name;  ///< without its folder
    std::uint64_t bytes = 0, first_leaf = 0;
  };
  /// Returns the parts of several files. A single file has none.
  std::vector<Part> parts() const;

  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Passes all leaves in order to `sink`, in runs. Progress counts bytes. Throws InputError if reading fails or a
  /// digest is not canonical.
  void read(const std::function<void(std::span<const Digest>)>& sink,
            base::Progress& progress = base::Progress::silent()) const;

 private:
  struct File {
    std::filesystem::path path;
    base::FileDescriptor opened;
    std::uint64_t bytes = 0;
  };
  bool several() const { return files_.size() > 1; }
  /// Returns the number of leaves of the file's bytes.
  std::uint64_t leaves_of(const File& file) const;
  void read_digests(const File& file, const std::function<void(std::span<const Digest>)>& sink,
                    base::Progress& progress) const;
  void read_chunks(const File& file, const std::function<void(std::span<const Digest>)>& sink,
                   base::Progress& progress) const;

  TreeScheme scheme_;
  std::vector<File> files_;
  std::uint64_t count_ = 0, bytes_ = 0;
};

/// Returns the leaf for the name and the length of one of several files, in a separate domain. It hashes the length in
/// 8 bytes, little-endian, and the name without its folder.
Digest leaf_of_file(const TreeScheme& scheme, std::string_view name, std::uint64_t bytes);
/// Returns one leaf from a chunk of bytes, for the leaf rules sha256 and bytes.
Digest leaf_of_chunk(const TreeScheme& scheme, std::span<const std::byte> chunk);

}  // namespace tacit::merkle
