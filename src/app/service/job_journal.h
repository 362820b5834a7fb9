#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/file_descriptor.h"

namespace tacit::app::service {

/// A file to which records are only added, one line each with its SHA-256 in front: what was accepted and what became
/// of it. `add` returns when its record survives a loss of power; records of several threads share one write. A line
/// that was cut off, by the end of a process or a full disk, is skipped. Several processes share the file; `unread`
/// gives what all of them wrote. Thread safe.
class JobJournal {
 public:
  /// Throws InputError for a file that cannot be read and written.
  explicit JobJournal(std::filesystem::path file);
  JobJournal(const JobJournal&) = delete;
  JobJournal& operator=(const JobJournal&) = delete;

  /// Throws InputError where the record cannot be written: then it may or may not be there.
  void add(const nlohmann::json& record) { add_all({&record, 1}); }
  void add_all(std::span<const nlohmann::json> records);
  /// Adds records that survive an end of the process, and perhaps no loss of power: this does not wait for the disk.
  void note(std::span<const nlohmann::json> records);
  /// The records that this object has not given out yet, in order. After another process has rewritten the file it
  /// gives all of the new one.
  std::vector<nlohmann::json> unread();
  /// Replaces all records by those that `keep` makes of them, unless another process is doing so.
  using Keep = std::function<std::vector<nlohmann::json>(const std::vector<nlohmann::json>&)>;
  void rewrite(const Keep& keep);
  std::uint64_t bytes() const;

 private:
  /// Lines that one write takes, and how it ended.
  struct Batch {
    std::string lines;
    std::packaged_task<void(JobJournal&)> write{[this](JobJournal& journal) { journal.write_out(lines); }};
    std::shared_future<void> written = write.get_future().share();
  };
  void write_out(const std::string& lines);
  std::shared_ptr<base::FileDescriptor> write(const std::string& lines);
  void open();
  /// Whether the file at the path is still the one that is open.
  bool current() const;

  std::filesystem::path file_path_;
  mutable std::mutex file_mutex_;  // of the open file and of reading it
  std::shared_ptr<base::FileDescriptor> file_;
  std::uint64_t read_ = 0;
  std::mutex writing_;  // one batch after another
  std::mutex mutex_;    // of the batch that waits to be written
  std::shared_ptr<Batch> waiting_;
};

}  // namespace tacit::app::service
