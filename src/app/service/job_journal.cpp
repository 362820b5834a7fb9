#include "app/service/job_journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "app/service/durable_file.h"
#include "base/error.h"
#include "base/json_text.h"
#include "base/sha256.h"

namespace tacit::app::service {
namespace {

constexpr std::size_t kCheckDigits = 16;

std::string check_of(std::string_view text) {
  return base::hexadecimal(base::sha256(std::as_bytes(std::span(text)))).substr(0, kCheckDigits);
}

std::string line_of(const nlohmann::json& record) {
  const std::string text = record.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return check_of(text) + " " + text + "\n";
}

std::string lines_of(std::span<const nlohmann::json> records) {
  std::string lines;
  for (const nlohmann::json& record : records) lines += line_of(record);
  return lines;
}

/// Bounds on a record. One that a book writes is flat, and holds a few names and a sentence.
constexpr base::JsonBounds kRecordBounds{.bytes = 64 << 10, .values = 64, .depth = 2};

std::optional<nlohmann::json> record_of(std::string_view line) {
  if (line.size() <= kCheckDigits || line[kCheckDigits] != ' ') return {};
  const std::string_view text = line.substr(kCheckDigits + 1);
  if (check_of(text) != line.substr(0, kCheckDigits)) return {};
  try {
    nlohmann::json record = base::json_from(text, "a record", kRecordBounds);
    if (record.is_object()) return record;
  } catch (const base::InputError&) {  // none that a book writes
  }
  return {};
}

constexpr std::size_t kPiece = 64 << 10;
/// No record has a longer line.
constexpr std::size_t kLongestLine = kCheckDigits + 1 + kRecordBounds.bytes;

/// Shows the records in the whole lines from `begin` on. Before each one, `begin` becomes the end of its line.
void visit_records(const base::FileDescriptor& file, std::uint64_t& begin, const JobJournal::Visit& visit) {
  std::string piece(kPiece, '\0'), line;
  std::uint64_t at = begin;
  for (;;) {
    const std::size_t bytes = file.read(at, std::as_writable_bytes(std::span(piece)));
    std::string_view rest = std::string_view(piece).substr(0, bytes);
    for (std::size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      line.append(rest.substr(0, end));
      rest.remove_prefix(end + 1);
      begin = at + bytes - rest.size();
      const std::optional<nlohmann::json> record = record_of(line);
      line.clear();
      if (record) visit(*record);
    }
    // One byte more than a record has is kept of a longer line, which is none.
    line.append(rest.substr(0, kLongestLine + 1 - std::min(line.size(), kLongestLine + 1)));
    at += bytes;
    if (bytes < piece.size()) return;
  }
}

/// Whether a record that could not be written whole stands at the end: the next one would be a part of it.
bool ends_within_a_line(const base::FileDescriptor& file) {
  const std::uint64_t size = file.size();
  std::byte last{'\n'};
  return size > 0 && file.read(size - 1, {&last, 1}) == 1 && last != std::byte{'\n'};
}

/// Holds a lock on an open file.
class Locked {
 public:
  explicit Locked(std::shared_ptr<const base::FileDescriptor> file) : file_(std::move(file)) { file_->lock(LOCK_EX); }
  ~Locked() { file_->lock(LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  std::shared_ptr<const base::FileDescriptor> file_;
};

}  // namespace

JobJournal::JobJournal(std::filesystem::path file) : file_path_(std::move(file)) { open(); }

void JobJournal::open() {
  auto file = std::make_shared<base::FileDescriptor>(file_path_, O_RDWR | O_CREAT | O_APPEND);
  if (!file->is_open())
    throw base::InputError(file_path_.string() + ": cannot open the journal: " + std::strerror(errno));
  file_ = std::move(file);
  read_ = 0;
}

bool JobJournal::current() const {
  struct stat open {
  }, named{};
  return ::fstat(file_->number(), &open) == 0 && ::stat(file_path_.c_str(), &named) == 0 &&
         open.st_ino == named.st_ino && open.st_dev == named.st_dev;
}

std::shared_ptr<base::FileDescriptor> JobJournal::write(const std::string& lines) {
  for (;;) {
    const std::lock_guard lock(file_mutex_);
    const Locked alone(file_);  // against a rewriting, and others between the end and these lines
    if (!current()) {
      open();
      continue;
    }
    const std::string whole = ends_within_a_line(*file_) ? "\n" + lines : lines;
    if (!file_->write(0, std::as_bytes(std::span(whole))))
      throw base::InputError(file_path_.string() + ": cannot write: " + std::strerror(errno));
    return file_;
  }
}

void JobJournal::note(std::span<const nlohmann::json> records) {
  if (!records.empty()) write(lines_of(records));
}

void JobJournal::write_out(const std::string& lines) {
  const std::shared_ptr<base::FileDescriptor> written = write(lines);
  // Without the mutex: readers need not wait for the disk. Whoever rewrites the file now has read these lines.
  if (::fdatasync(written->number()) != 0)
    throw base::InputError(file_path_.string() + ": cannot write: " + std::strerror(errno));
}

void JobJournal::add_all(std::span<const nlohmann::json> records) {
  if (records.empty()) return;
  const std::string lines = lines_of(records);
  std::unique_lock lock(mutex_);
  const std::shared_ptr<Batch> batch = waiting_ ? waiting_ : std::make_shared<Batch>();
  batch->lines += lines;
  const bool first = std::exchange(waiting_, batch) != batch;
  lock.unlock();
  if (first) {
    // This thread writes what all threads add until the write before it is done.
    const std::lock_guard alone(writing_);
    lock.lock();
    waiting_ = nullptr;
    lock.unlock();
    batch->write(*this);
  }
  batch->written.get();
}

void JobJournal::read(const Visit& visit) {
  const std::lock_guard lock(file_mutex_);
  if (!current()) open();
  visit_records(*file_, read_, visit);
}

void JobJournal::rewrite(const Visit& look, const Keep& keep) {
  const std::lock_guard lock(file_mutex_);
  const Locked exclusive(file_);
  if (!current()) return;
  std::uint64_t begin = 0;
  visit_records(*file_, begin, look);
  DurableWriter shorter(file_path_);
  begin = 0;
  visit_records(*file_, begin, [&](const nlohmann::json& record) {
    if (keep(record)) shorter.add(line_of(record));
  });
  shorter.finish();
}

std::uint64_t JobJournal::bytes() const {
  const std::lock_guard lock(file_mutex_);
  return file_->size();
}

}  // namespace tacit::app::service
