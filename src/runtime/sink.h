#pragma once

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

#include "base/sha256.h"

namespace tacit::runtime {

/// The facts about an artefact that come before its bytes.
struct SinkFacts {
  std::uint64_t bytes = 0;
  base::Digest root{};
};

/// An artefact on its way into a sink. Its destructor discards it unless `commit` has returned. Not thread safe.
class OpenSink {
 public:
  virtual ~OpenSink() = default;
  /// Writes at an offset. A sink that wants facts first gets its bytes in ascending order, without gaps. Throws
  /// InputError if the sink cannot take them.
  virtual void write(std::uint64_t offset, std::span<const std::byte> bytes) = 0;
  /// True if the sink needs none of the bytes.
  virtual bool has_all() const { return false; }
  /// Makes the artefact whole. `lasting` waits until a file has reached its disk.
  virtual void commit(bool lasting) = 0;
};

/// A place for the bytes of an artefact: a file, memory or a stream. The object only describes the place, and may be
/// used several times. Nothing that is taken for a whole artefact remains of one that was not finished.
class Sink {
 public:
  /// Receives the number of bytes, and returns the memory for them.
  using Room = std::function<std::span<std::byte>(std::uint64_t bytes)>;
  /// Receives the facts before the bytes, and returns the offset from which bytes are wanted: 0 for all of them.
  using Begin = std::function<std::uint64_t(const SinkFacts& facts)>;
  /// Receives the bytes in order, at most kChunkBytes at once. The memory is valid during the call.
  using Piece = std::function<void(std::span<const std::byte> piece)>;
  /// Receives bytes at an offset, at most kChunkBytes at once. The memory is valid during the call.
  using PlacePiece = std::function<void(std::uint64_t offset, std::span<const std::byte> piece)>;
  /// Receives the facts after the bytes.
  using End = std::function<void(const SinkFacts& facts)>;

  /// The file at a path. Bytes go to a temporary file next to it, which then takes its place. The file of a secret has
  /// mode 0600. Throws InputError, when it is opened, for a path that is no regular file, because the file would
  /// replace a device.
  template <class Path>
  requires std::convertible_to<Path, std::filesystem::path> Sink(Path&& path)
      : Sink(to_file(std::filesystem::path(std::forward<Path>(path)))) {}

  /// Memory of the caller, which outlives the writing. An unfinished artefact has no header, and the bytes of a secret
  /// are wiped. Throws InputError for room of another size.
  static Sink memory(Room room, std::string name = "the memory");
  /// Replaces the content of `bytes`, which outlives the sink. It is empty after an exception.
  static Sink memory(std::vector<std::byte>& bytes);
  /// Passes the bytes on, piece by piece. Exceptions of the functions pass through. A stream that ends by an exception
  /// has fewer bytes than its header states, so that readers refuse it. Throws InputError if `begin` returns an offset
  /// beyond the end.
  static Sink stream(Piece piece, Begin begin = {}, std::string name = "the stream");

  /// Passes the bytes on with their offsets, each once: the header last, and then `end` with the facts. Nothing is an
  /// artefact before `end`. Keys that are made while they are written are made once. Exceptions of the functions pass
  /// through.
  static Sink placed(PlacePiece place, End end, std::string name);

  const std::string& name() const;
  /// Returns the path of a file; empty for other sinks.
  const std::filesystem::path& file() const;
  /// True for sinks that need the facts before the bytes: memory and streams.
  bool wants_facts() const;
  /// Begins an artefact. `facts` are those of all its bytes, if the sink wants them. `secret` says that the bytes are
  /// those of a secret key.
  std::unique_ptr<OpenSink> open(const SinkFacts& facts, bool secret) const;

  struct Place;

 private:
  explicit Sink(std::shared_ptr<const Place> place) : place_(std::move(place)) {}
  static std::shared_ptr<const Place> to_file(std::filesystem::path path);

  std::shared_ptr<const Place> place_;
};

/// Removes the file at `path`, and the temporary files that killed writers left next to it. No writer of the file may
/// be running. Files that cannot be removed stay.
void remove_artefact(const std::filesystem::path& path);

}  // namespace tacit::runtime
