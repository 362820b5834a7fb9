#pragma once

/// The places that objects are saved to. Every `save` takes a Sink: a file, memory or a stream. A path is one:
/// `keys.save("evaluation.tacit")`. The bytes are the same in all of them.

#include <tacit/error.h>
#include <tacit/handle.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tacit {

namespace detail {
struct SinkImpl;
}

/// The facts about saved bytes that come before them.
struct SavedFacts {
  std::uint64_t bytes = 0;  ///< number of all bytes
  std::string root;         ///< 64 hexadecimal digits, as `root_of` returns them and as receipts name them
};

/// A file, memory or a stream to write to. A sink describes a place and may be used again. Nothing that `load` takes
/// for a whole object remains of a `save` that threw. Cheap to copy. Thread safe if its functions are.
class TACIT_API Sink : public detail::Handle<const detail::SinkImpl> {
 public:
  /// Receives the number of bytes, and returns the memory for them. The memory is valid until `save` has returned.
  using Room = std::function<std::span<std::byte>(std::uint64_t bytes)>;
  /// Receives the facts, and returns the offset from which bytes are wanted. 0: all. The number of bytes: none.
  using Begin = std::function<std::uint64_t(const SavedFacts& facts)>;
  /// Receives the bytes in order, at most 1 MiB at once. The memory is valid during the call.
  using Piece = std::function<void(std::span<const std::byte> piece)>;

  /// The file at a path. The bytes go to a temporary file next to it, which then takes its place. A folder, a device or
  /// a pipe is not replaced (InputError).
  template <class Path>
  requires std::convertible_to<Path, std::filesystem::path> Sink(Path&& path)
      : Sink(to_file(std::filesystem::path(std::forward<Path>(path)))) {}

  /// Memory of the caller, without another copy of the bytes. `room` is called once per `save`. The bytes of a secret
  /// key are wiped if `save` throws. Throws InputError, in `save`, for room of another size.
  static Sink memory(Room room);
  /// Replaces the content of `bytes`, which outlives the sink. It is empty if `save` throws.
  static Sink memory(std::vector<std::byte>& bytes);
  /// Passes the bytes on, piece by piece. The library keeps one piece in memory, and makes the bytes twice: once for
  /// the facts and once for `piece`. With `begin` an interrupted stream continues where it ended. Exceptions of both
  /// functions pass through. Throws InputError, in `save`, for an offset beyond the end.
  static Sink stream(Piece piece, Begin begin = {});

 private:
  using Handle::Handle;
  static std::shared_ptr<const detail::SinkImpl> to_file(std::filesystem::path path);
  friend struct detail::Access;
};

/// Returns the bytes that `object.save` writes.
template <class Object>
std::vector<std::byte> to_bytes(const Object& object) {
  std::vector<std::byte> bytes;
  object.save(Sink::memory(bytes));
  return bytes;
}

}  // namespace tacit
