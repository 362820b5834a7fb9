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

#include "base/file_descriptor.h"

namespace tacit::app::service {

/// A file of records about jobs, to which lines are only added. Each line begins with its SHA-256. A truncated line,
/// after the end of a process or a full disk, is skipped. Several processes share the file, and `read` shows the
/// records of all of them. Reading holds one record in memory, however long the file is. Thread safe.
class JobJournal {
 public:
  /// Throws InputError for a file that cannot be read and written.
  explicit JobJournal(std::filesystem::path file);
  JobJournal(const JobJournal&) = delete;
  JobJournal& operator=(const JobJournal&) = delete;

  /// Adds a record, and returns when it survives a loss of power. Records of several threads share one write. Throws
  /// InputError if the record cannot be written; then it may or may not be in the file.
  void add(const nlohmann::json& record) { add_all({&record, 1}); }
  void add_all(std::span<const nlohmann::json> records);
  /// Adds records without waiting for the disk. They survive an end of the process, and perhaps no loss of power.
  void note(std::span<const nlohmann::json> records);
  /// Receives a record. It must not call the journal.
  using Visit = std::function<void(const nlohmann::json&)>;
  /// Shows the records that this object has not shown yet, in order. After another process has rewritten the file, it
  /// shows all records of the new file.
  void read(const Visit& visit);
  /// Keeps the records for which `keep` is true. Shows all of them to `look` before, in order. Changes nothing while
  /// another process is rewriting the file.
  using Keep = std::function<bool(const nlohmann::json&)>;
  void rewrite(const Visit& look, const Keep& keep);
  std::uint64_t bytes() const;

 private:
  /// The lines of one write, and its result.
  struct Batch {
    std::string lines;
    std::packaged_task<void(JobJournal&)> write{[this](JobJournal& journal) { journal.write_out(lines); }};
    std::shared_future<void> written = write.get_future().share();
  };
  void write_out(const std::string& lines);
  std::shared_ptr<base::FileDescriptor> write(const std::string& lines);
  void open();
  /// True if the file at the path is the open one.
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
