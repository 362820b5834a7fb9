#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

namespace tacit::runtime {

/// Places bytes of a stream at the start of `room`, and returns their number. 0: no bytes are there yet, call again.
/// None: the stream has ended. Exceptions pass through.
using NextBytes = std::function<std::optional<std::size_t>(std::span<std::byte> room)>;

/// The length of a stream.
struct StreamBound {
  std::uint64_t most_bytes = 0;          ///< a longer stream is refused
  std::optional<std::uint64_t> bytes{};  ///< the exact length, if the sender stated one
};

/// The bytes that an artefact is read from: a file, memory or a stream. Copies share the bytes and cost next to
/// nothing. All functions are thread safe.
class Source {
 public:
  /// The file at a path. It is opened at the first use, and stays open. The empty path names nothing.
  template <class Path>
  requires std::convertible_to<Path, std::filesystem::path> Source(Path&& path)
      : Source(of_file(std::filesystem::path(std::forward<Path>(path)))) {}

  /// Bytes that are not copied. They stay as they are until the last copy of the source is destroyed, which keeps
  /// `owner` for as long. `name` stands for the bytes in errors.
  static Source memory(std::span<const std::byte> bytes, std::string name = "the given bytes",
                       std::shared_ptr<const void> owner = {});
  /// Reads a stream to its end, and keeps its bytes, which are wiped in the end. Takes memory only for bytes that have
  /// arrived. Throws InputError
  /// - for a stream that is or says it is longer than `bound.most_bytes`,
  /// - for another length than `bound.bytes`,
  /// - for kMostIdleCalls calls of `next` in a row without a byte,
  /// - if `next` returns more bytes than its room has.
  static Source stream(const NextBytes& next, const StreamBound& bound, std::string name = "the stream");
  static constexpr int kMostIdleCalls = 1000;

  /// False for the empty path.
  explicit operator bool() const;
  const std::string& name() const;
  /// Returns the path of a file; empty for other sources.
  const std::filesystem::path& file() const;
  /// Returns the number of bytes. Throws InputError for a path without a readable regular file.
  std::uint64_t size() const;
  /// Fills `out` from `offset` on. Throws InputError if the bytes end before, or cannot be read.
  void read(std::uint64_t offset, std::span<std::byte> out) const;

  struct Bytes;

 private:
  explicit Source(std::shared_ptr<const Bytes> bytes) : bytes_(std::move(bytes)) {}
  static std::shared_ptr<const Bytes> of_file(std::filesystem::path path);

  std::shared_ptr<const Bytes> bytes_;
};

}  // namespace tacit::runtime
