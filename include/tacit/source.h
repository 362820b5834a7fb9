#pragma once

/// The bytes that saved objects are read from. Every `load` takes a Source: a file, memory or a stream. A path is one:
/// `ServerModel::load("server.tacit")`. Bytes may come from anyone. A `load` checks them before it uses them.

#include <tacit/error.h>
#include <tacit/handle.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tacit {

namespace detail {
struct SourceImpl;
}

/// A file, memory or a stream to read from. Cheap to copy, thread safe.
class TACIT_API Source : public detail::Handle<const detail::SourceImpl> {
 public:
  /// Places bytes at the start of `room`, and returns their number. 0: no bytes are there yet, call again. None: the
  /// stream has ended. An exception passes through to the caller of `stream`.
  using Next = std::function<std::optional<std::size_t>(std::span<std::byte> room)>;

  /// Names nothing, as the empty path does: for a source that may be absent.
  Source() : Source(std::filesystem::path()) {}
  /// The file at a path. It is opened when it is read, which throws InputError naming the path if there is none.
  template <class Path>
  requires std::convertible_to<Path, std::filesystem::path> Source(Path&& path)
      : Source(of_file(std::filesystem::path(std::forward<Path>(path)))) {}

  /// Bytes that are not copied. They stay as they are until the last copy of the source is destroyed. The source keeps
  /// `owner` for as long. `name` stands for the bytes in errors.
  static Source memory(std::span<const std::byte> bytes, std::string name = "the given bytes",
                       std::shared_ptr<const void> owner = {});
  /// Reads a stream to its end, and keeps its bytes. They are wiped with the last copy of the source. Takes memory only
  /// for bytes that have arrived. `most_bytes` bounds them. `bytes` is the length that the sender stated. Throws
  /// InputError for a stream that
  /// - is longer than `most_bytes`, or says so,
  /// - has another length than `bytes`,
  /// - gives nothing 1000 times in a row,
  /// - gives more bytes than `room` has.
  static Source stream(const Next& next, std::uint64_t most_bytes, std::optional<std::uint64_t> bytes = {},
                       std::string name = "the stream");

 private:
  using Handle::Handle;
  static std::shared_ptr<const detail::SourceImpl> of_file(std::filesystem::path path);
  friend struct detail::Access;
};

}  // namespace tacit
