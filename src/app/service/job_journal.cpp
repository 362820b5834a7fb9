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

/// The whole lines in `text`, and how many bytes they are.
std::pair<std::vector<nlohmann::json>, std::size_t> records_in(std::string_view text) {
  std::vector<nlohmann::json> records;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', begin)) {
    if (auto record = record_of(text.substr(begin, end - begin))) records.push_back(std::move(*record));
    begin = end + 1;
  }
  return {std::move(records), begin};
}

std::string read_from(const base::FileDescriptor& file, std::uint64_t offset) {
  const std::uint64_t size = file.size();
  std::string text(size - std::min(size, offset), '\0');
  text.resize(file.read(offset, std::as_writable_bytes(std::span(text))));
  return text;
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

std::vector<nlohmann::json> JobJournal::unread() {
  const std::lock_guard lock(file_mutex_);
  if (!current()) open();
  auto [records, bytes] = records_in(read_from(*file_, read_));
  read_ += bytes;
  return std::move(records);
}

void JobJournal::rewrite(const Keep& keep) {
  const std::lock_guard lock(file_mutex_);
  const Locked exclusive(file_);
  if (!current()) return;
  std::string text;
  for (const nlohmann::json& record : keep(records_in(read_from(*file_, 0)).first)) text += line_of(record);
  write_durably(file_path_, text);
}

std::uint64_t JobJournal::bytes() const {
  const std::lock_guard lock(file_mutex_);
  return file_->size();
}

}  // namespace tacit::app::service
