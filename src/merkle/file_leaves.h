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

/// The leaves of files, one file after the other: every chunk is a leaf (the last of a file may be shorter, an empty
/// file has none), or every 32 bytes, where the leaf rule is digests. Of several files each begins with a leaf of its
/// own, leaf_of_file: where a file ends follows from the length that it states, so that no other files have the same
/// leaves. Files are read while they are hashed, a few chunks at a time on all threads. Not thread safe.
class FileLeaves {
 public:
  /// Throws InputError for a scheme that does not exist, and for a file that cannot be opened or is no regular file.
  /// A file of digests must have a multiple of 32 bytes, and be the only file: a digest that poses as the leaf of a
  /// file cannot be told from one.
  FileLeaves(const Scheme& scheme, const std::vector<std::filesystem::path>& files);

  /// A file and where its leaves begin, its own leaf first.
  struct Part {
    std::string name;  ///< without its folder
    std::uint64_t bytes = 0, first_leaf = 0;
  };
  /// Of several files; of a single one nothing.
  std::vector<Part> parts() const;

  std::uint64_t count() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Tells `sink` all leaves in order, in runs. Progress counts bytes. Throws InputError when reading fails or a digest
  /// is not canonical.
  void read(const std::function<void(std::span<const Digest>)>& sink,
            base::Progress& progress = base::Progress::silent()) const;

 private:
  struct File {
    std::filesystem::path path;
    base::FileDescriptor opened;
    std::uint64_t bytes = 0;
  };
  bool several() const { return files_.size() > 1; }
  /// Of its bytes.
  std::uint64_t leaves_of(const File& file) const;
  void read_digests(const File& file, const std::function<void(std::span<const Digest>)>& sink,
                    base::Progress& progress) const;
  void read_chunks(const File& file, const std::function<void(std::span<const Digest>)>& sink,
                   base::Progress& progress) const;

  Scheme scheme_;
  std::vector<File> files_;
  std::uint64_t count_ = 0, bytes_ = 0;
};

/// The leaf that stands for the name and the length of one of several files, in a domain of its own: the length in 8
/// bytes, little-endian, and the name without its folder.
Digest leaf_of_file(const Scheme& scheme, std::string_view name, std::uint64_t bytes);
/// One leaf from a chunk of bytes, for the leaf rules sha256 and bytes.
Digest leaf_of_chunk(const Scheme& scheme, std::span<const std::byte> chunk);

}  // namespace tacit::merkle
