#include <fstream>
#include <set>

#include "app/service/job_book.h"
#include "base/error.h"
#include "base/temporary_folder_for_test.h"
#include "mutate_bytes.h"

namespace tacit::fuzz {

using app::service::JobBook;
using app::service::JobJournal;
using nlohmann::json;

namespace {

Bytes bytes_of(const std::filesystem::path& path) {
  const std::vector<char> bytes = base::read_file(path);
  return {bytes.begin(), bytes.end()};
}

/// A journal of records with their checksums.
Bytes journal_of(const std::vector<json>& records) {
  const base::TemporaryFolder folder;
  JobJournal(folder.path() / "journal").add_all(records);
  return bytes_of(folder.path() / "journal");
}

/// Lines without checksums, one a record; what is none becomes one that holds it.
Bytes vouched(const Bytes& lines) {
  std::vector<json> records;
  std::string line;
  for (const std::uint8_t byte : lines) {
    if (byte != '\n') {
      line += static_cast<char>(byte);
      continue;
    }
    constexpr std::size_t kCheck = 17;
    json record = json::parse(line.substr(std::min(line.size(), kCheck)), nullptr, false);
    if (!record.is_discarded()) records.push_back(std::move(record));
    line.clear();
  }
  return records.empty() ? lines : journal_of(records);
}

}  // namespace

std::string_view target_name() { return "journal"; }

std::vector<Bytes> seeds() {
  const std::string a(32, 'a'), b(32, 'b');
  const json one{{"accepted", a}, {"client", "anna"}, {"model", "m"}, {"bytes", 3U}, {"results", 7U}, {"time", 1}},
      two{{"accepted", b}, {"client", "ben"}, {"model", "m"}, {"bytes", 5U}, {"time", 2}},
      begun{{"begun", a}, {"times", 1U}}, done{{"done", a}, {"time", 3}, {"inputs", 2U}, {"seconds", 0.5}},
      failed{{"failed", b}, {"time", 4}, {"error", "why"}}, removed{{"removed", a}};
  return {journal_of({one, two}), journal_of({one, begun, done, two, failed, removed}),
          journal_of({one, begun, begun, removed, one, done, done})};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  const Bytes text = mutate_text(from, other, random);
  return random.one_in(4) ? text : vouched(text);
}

/// Whatever a journal says: a book counts what it holds, and goes back to nothing when all jobs are deleted.
void check(std::span<const std::uint8_t> bytes) {
  const base::TemporaryFolder folder;
  std::ofstream(folder.path() / "journal", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::size_t records = 0;
  JobJournal(folder.path() / "journal").read([&](const json&) { ++records; });
  if (records == 0) throw base::InputError("no line is a record");
  JobBook book(folder.path(), {});
  const JobBook::Counts counts = book.counts();
  require(counts.queued == 0 && counts.queued_bytes == 0 && counts.running == 0, "a job without files does not wait");
  std::size_t kept = 0;
  for (const char* client : {"anna", "ben"})
    for (const auto& job : book.list(client, 1000)) {
      require(job.id.size() == 32, "an id is the name of a folder of the book");
      book.remove(client, job.id);
      ++kept;
    }
  require(book.counts().kept == counts.kept - kept, "what was deleted is not kept");
}

}  // namespace tacit::fuzz
