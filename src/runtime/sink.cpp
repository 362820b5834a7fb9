#include "runtime/sink.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/random.h"
#include "runtime/artefact_format.h"

namespace tacit::runtime {

struct Sink::Place {
  std::string name;
  std::filesystem::path file{};

  explicit Place(std::string called) : name(std::move(called)) {}
  virtual ~Place() = default;
  virtual bool wants_facts() const { return true; }
  virtual std::unique_ptr<OpenSink> open(const SinkFacts& facts, bool secret) const = 0;
};

namespace {

// A file that is being written has the name of the finished file, then this, then random bytes in hexadecimal digits.
const std::string kPart = ".part-";
constexpr std::size_t kPartBytes = 8;

class OpenFile final : public OpenSink {
 public:
  OpenFile(std::filesystem::path path, bool secret) : path_(std::move(path)) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path_, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
      throw base::InputError(path_.string() + ": a folder, a device or a pipe is not replaced; name a file");
    const base::Seed seed = base::public_seed();
    temporary_ = path_;
    temporary_ += kPart + base::hexadecimal(std::span(seed).first<kPartBytes>());
    file_ = base::FileDescriptor(temporary_, O_WRONLY | O_CREAT | O_EXCL, secret ? 0600 : 0666);
    if (!file_.is_open()) fail("cannot create the file");
  }
  ~OpenFile() override {
    if (file_.is_open()) ::unlink(temporary_.c_str());
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (!file_.write(offset, bytes)) fail("cannot write");
  }
  void commit(bool lasting) override {
    if (lasting && ::fsync(file_.number()) != 0) fail("cannot write");
    if (file_.close() && ::rename(temporary_.c_str(), path_.c_str()) == 0) return;
    const int error = errno;
    ::unlink(temporary_.c_str());
    errno = error;
    fail("cannot write");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const int error = errno;
    throw base::InputError(path_.string() + ": " + what + ": " + std::strerror(error));
  }

  std::filesystem::path path_, temporary_;
  base::FileDescriptor file_;
};

/// The header is kept back until the rest is there.
class OpenMemory final : public OpenSink {
 public:
  OpenMemory(std::span<std::byte> room, bool secret) : room_(room), secret_(secret) {
    std::ranges::fill(room_.first(format::kHeaderBytes), std::byte{});
  }
  ~OpenMemory() override {
    if (!whole_ && secret_) base::zeroise(room_.data(), room_.size());
  }
  OpenMemory(const OpenMemory&) = delete;
  OpenMemory& operator=(const OpenMemory&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    if (offset > room_.size() || bytes.size() > room_.size() - offset)
      throw base::InternalError("an artefact has more bytes than were measured");
    if (offset == 0)
      std::ranges::copy(bytes, header_.begin());
    else
      std::ranges::copy(bytes, room_.subspan(offset, bytes.size()).begin());
  }
  void commit(bool) override {
    std::ranges::copy(header_, room_.begin());
    whole_ = true;
  }

 private:
  std::span<std::byte> room_;
  bool secret_, whole_ = false;
  format::HeaderBytes header_{};
};

class OpenStream final : public OpenSink {
 public:
  OpenStream(Sink::Piece piece, std::uint64_t begin, std::uint64_t bytes)
      : piece_(std::move(piece)), begin_(begin), bytes_(bytes) {}

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    const std::uint64_t skipped = begin_ > offset ? std::min<std::uint64_t>(begin_ - offset, bytes.size()) : 0;
    if (skipped < bytes.size()) piece_(bytes.subspan(skipped));
  }
  bool has_all() const override { return begin_ == bytes_; }
  void commit(bool) override {}

 private:
  Sink::Piece piece_;
  std::uint64_t begin_, bytes_;
};

/// The facts are found in the header, which comes last.
class OpenPlaces final : public OpenSink {
 public:
  OpenPlaces(Sink::PlacePiece place, Sink::End end) : place_(std::move(place)), end_(std::move(end)) {}

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override {
    place_(offset, bytes);
    facts_.bytes = std::max<std::uint64_t>(facts_.bytes, offset + bytes.size());
    if (offset == 0) std::memcpy(facts_.root.data(), bytes.data() + format::kRootOffset, facts_.root.size());
  }
  void commit(bool) override { end_(facts_); }

 private:
  Sink::PlacePiece place_;
  Sink::End end_;
  SinkFacts facts_;
};

struct FilePlace final : Sink::Place {
  explicit FilePlace(std::filesystem::path path) : Place(path.string()) { file = std::move(path); }
  bool wants_facts() const override { return false; }
  std::unique_ptr<OpenSink> open(const SinkFacts&, bool secret) const override {
    return std::make_unique<OpenFile>(file, secret);
  }
};

struct MemoryPlace final : Sink::Place {
  MemoryPlace(Sink::Room of, std::string called) : Place(std::move(called)), room(std::move(of)) {}
  std::unique_ptr<OpenSink> open(const SinkFacts& facts, bool secret) const override {
    const std::span<std::byte> given = room(facts.bytes);
    if (given.size() != facts.bytes)
      base::refuse("{}: it has room for {} bytes where {} are needed; correct the callback", name, given.size(),
                   facts.bytes);
    return std::make_unique<OpenMemory>(given, secret);
  }

  Sink::Room room;
};

/// A container that is empty unless it holds a whole artefact.
class OpenContainer final : public OpenSink {
 public:
  OpenContainer(std::vector<std::byte>& bytes, std::uint64_t size, bool secret) : bytes_(bytes) {
    bytes_.clear();
    bytes_.resize(size);
    memory_.emplace(bytes_, secret);
  }
  ~OpenContainer() override {
    memory_.reset();
    if (!whole_) bytes_.clear();
  }
  OpenContainer(const OpenContainer&) = delete;
  OpenContainer& operator=(const OpenContainer&) = delete;

  void write(std::uint64_t offset, std::span<const std::byte> bytes) override { memory_->write(offset, bytes); }
  void commit(bool lasting) override {
    memory_->commit(lasting);
    whole_ = true;
  }

 private:
  std::vector<std::byte>& bytes_;
  std::optional<OpenMemory> memory_;
  bool whole_ = false;
};

struct ContainerPlace final : Sink::Place {
  explicit ContainerPlace(std::vector<std::byte>& of) : Place("the memory"), bytes(of) {}
  std::unique_ptr<OpenSink> open(const SinkFacts& facts, bool secret) const override {
    return std::make_unique<OpenContainer>(bytes, facts.bytes, secret);
  }

  std::vector<std::byte>& bytes;
};

struct StreamPlace final : Sink::Place {
  StreamPlace(Sink::Piece to, Sink::Begin first, std::string called)
      : Place(std::move(called)), piece(std::move(to)), begin(std::move(first)) {}
  std::unique_ptr<OpenSink> open(const SinkFacts& facts, bool) const override {
    const std::uint64_t from = begin ? begin(facts) : 0;
    if (from > facts.bytes)
      base::refuse("{}: it asks for bytes from {} on, and there are {}; correct the callback", name, from, facts.bytes);
    return std::make_unique<OpenStream>(piece, from, facts.bytes);
  }

  Sink::Piece piece;
  Sink::Begin begin;
};

struct PlacedPlace final : Sink::Place {
  PlacedPlace(Sink::PlacePiece to, Sink::End last, std::string called)
      : Place(std::move(called)), place(std::move(to)), end(std::move(last)) {}
  bool wants_facts() const override { return false; }
  std::unique_ptr<OpenSink> open(const SinkFacts&, bool) const override {
    return std::make_unique<OpenPlaces>(place, end);
  }

  Sink::PlacePiece place;
  Sink::End end;
};

}  // namespace

std::shared_ptr<const Sink::Place> Sink::to_file(std::filesystem::path path) {
  return std::make_shared<const FilePlace>(std::move(path));
}

Sink Sink::memory(Room room, std::string name) {
  return Sink(std::make_shared<const MemoryPlace>(std::move(room), std::move(name)));
}

Sink Sink::memory(std::vector<std::byte>& bytes) { return Sink(std::make_shared<const ContainerPlace>(bytes)); }

Sink Sink::stream(Piece piece, Begin begin, std::string name) {
  return Sink(std::make_shared<const StreamPlace>(std::move(piece), std::move(begin), std::move(name)));
}

Sink Sink::placed(PlacePiece place, End end, std::string name) {
  return Sink(std::make_shared<const PlacedPlace>(std::move(place), std::move(end), std::move(name)));
}

const std::string& Sink::name() const { return place_->name; }
const std::filesystem::path& Sink::file() const { return place_->file; }
bool Sink::wants_facts() const { return place_->wants_facts(); }
std::unique_ptr<OpenSink> Sink::open(const SinkFacts& facts, bool secret) const { return place_->open(facts, secret); }

void remove_artefact(const std::filesystem::path& path) {
  std::error_code error;
  const std::string prefix = path.filename().string() + kPart;
  std::vector<std::filesystem::path> files{path};
  for (const auto& entry :
       std::filesystem::directory_iterator(path.parent_path().empty() ? "." : path.parent_path(), error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(prefix) && name.size() == prefix.size() + 2 * kPartBytes) files.push_back(entry.path());
  }
  for (const std::filesystem::path& file : files) std::filesystem::remove(file, error);
}

}  // namespace tacit::runtime
