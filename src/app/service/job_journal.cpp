#include "app/service/job_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "app/service/durable_file.h"
#include "base/error.h"
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

std::optional<nlohmann::json> record_of(std::string_view line) {
  if (line.size() <= kCheckDigits || line[kCheckDigits] != ' ') return {};
  const std::string_view text = line.substr(kCheckDigits + 1);
  if (check_of(text) != line.substr(0, kCheckDigits)) return {};
  nlohmann::json record = nlohmann::json::parse(text, nullptr, false);
  if (!record.is_object()) return {};
  return record;
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

std::string read_from(int file, std::uint64_t offset) {
  struct stat status {};
  if (::fstat(file, &status) != 0 || static_cast<std::uint64_t>(status.st_size) <= offset) return {};
  std::string text(static_cast<std::uint64_t>(status.st_size) - offset, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t count =
        ::pread(file, text.data() + filled, text.size() - filled, static_cast<off_t>(offset + filled));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    filled += static_cast<std::size_t>(count);
  }
  text.resize(filled);
  return text;
}

/// Whether a record that could not be written whole stands at the end: the next one would be a part of it.
bool ends_within_a_line(int file) {
  struct stat status {};
  char last = '\n';
  return ::fstat(file, &status) == 0 && status.st_size > 0 && ::pread(file, &last, 1, status.st_size - 1) == 1 &&
         last != '\n';
}

/// Holds a lock on an open file.
class Locked {
 public:
  Locked(int file, int mode) : file_(file) {
    while (::flock(file_, mode) != 0 && errno == EINTR) continue;
  }
  ~Locked() { ::flock(file_, LOCK_UN); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  int file_;
};

}  // namespace

struct JobJournal::OpenFile {
  explicit OpenFile(const std::filesystem::path& path)
      : number(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
    if (number < 0) throw base::InputError(path.string() + ": cannot open the journal: " + std::strerror(errno));
  }
  ~OpenFile() { ::close(number); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int number;
};

JobJournal::JobJournal(std::filesystem::path file) : file_path_(std::move(file)) { open(); }

JobJournal::~JobJournal() = default;

void JobJournal::open() {
  file_ = std::make_shared<OpenFile>(file_path_);
  read_ = 0;
}

bool JobJournal::current() const {
  struct stat open {
  }, named{};
  return ::fstat(file_->number, &open) == 0 && ::stat(file_path_.c_str(), &named) == 0 && open.st_ino == named.st_ino &&
         open.st_dev == named.st_dev;
}

void JobJournal::write_out(const std::string& lines) {
  std::shared_ptr<OpenFile> written;
  while (!written) {
    const std::lock_guard lock(file_mutex_);
    const Locked alone(file_->number, LOCK_EX);  // against a rewriting, and others between the end and these lines
    if (!current()) {
      open();
      continue;
    }
    const std::string whole = ends_within_a_line(file_->number) ? "\n" + lines : lines;
    for (std::string_view left = whole; !left.empty();) {
      const ssize_t count = ::write(file_->number, left.data(), left.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) throw base::InputError(file_path_.string() + ": cannot write: " + std::strerror(errno));
      left.remove_prefix(static_cast<std::size_t>(count));
    }
    written = file_;
  }
  // Without the mutex: readers need not wait for the disk. Whoever rewrites the file now has read these lines.
  if (::fdatasync(written->number) != 0)
    throw base::InputError(file_path_.string() + ": cannot write: " + std::strerror(errno));
}

void JobJournal::add_all(std::span<const nlohmann::json> records) {
  std::unique_lock lock(mutex_);
  for (const nlohmann::json& record : records) waiting_ += line_of(record);
  const std::uint64_t mine = ++last_added_;
  while (last_written_ < mine) {
    if (writing_) {
      written_.wait(lock);
      continue;
    }
    // This thread writes what all threads have added until now.
    writing_ = true;
    const std::uint64_t last = last_added_;
    const std::string lines = std::exchange(waiting_, {});
    lock.unlock();
    bool failed = false;
    try {
      write_out(lines);
    } catch (const base::InputError& error) {
      fmt::print(stderr, "tacit: {}\n", error.what());
      failed = true;
    }
    lock.lock();
    writing_ = false;
    last_written_ = last;
    if (failed) last_failed_ = last;
    written_.notify_all();
  }
  if (last_failed_ >= mine) throw base::InputError(file_path_.string() + ": a record could not be written");
}

std::vector<nlohmann::json> JobJournal::unread() {
  const std::lock_guard lock(file_mutex_);
  if (!current()) open();
  auto [records, bytes] = records_in(read_from(file_->number, read_));
  read_ += bytes;
  return std::move(records);
}

void JobJournal::rewrite(const Keep& keep) {
  const std::lock_guard lock(file_mutex_);
  const Locked exclusive(file_->number, LOCK_EX);
  if (!current()) return;
  std::string text;
  for (const nlohmann::json& record : keep(records_in(read_from(file_->number, 0)).first)) text += line_of(record);
  write_durably(file_path_, text);
}

std::uint64_t JobJournal::bytes() const {
  const std::lock_guard lock(file_mutex_);
  struct stat status {};
  return ::fstat(file_->number, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
}

}  // namespace tacit::app::service
