#include "session/owner/shared_results.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "params/shared_tally.h"

namespace tacit::session {
namespace {

/// What the file holds, as it lies there: of fixed size, so that it is written whole over the one before.
struct Count {
  char magic[16];
  runtime::KeySetId key_set;
  std::uint64_t results;
  double promised;  ///< the least number of results that any call promised
};
constexpr char kSharedMagic[sizeof(Count::magic) + 1] = "tacit shared 1\n\n";

[[noreturn]] void fail(const std::filesystem::path& path) {
  base::refuse("{}: the count of shared results cannot be written: {}; nothing is shown", path.string(),
               std::strerror(errno));
}

/// The count in an open file; none where the file is new.
std::optional<Count> read_count(const base::FileDescriptor& file, const std::filesystem::path& path) {
  if (file.size() == 0) return std::nullopt;
  Count count{};
  const bool whole = file.is_regular() && file.size() == sizeof(Count) &&
                     file.read(0, std::as_writable_bytes(std::span(&count, 1))) == sizeof(Count);
  if (!whole || std::memcmp(count.magic, kSharedMagic, sizeof count.magic) != 0 || !(count.promised >= 1))
    base::refuse(
        "{} is no count of shared results, or is damaged; nothing is shown. Results of this key can be shared after "
        "the file is removed, and then only you know how many were shared before",
        path.string());
  return count;
}

}  // namespace

std::filesystem::path shared_results_beside(const std::filesystem::path& key) {
  std::filesystem::path path = key;
  path += ".shared";
  return path;
}

void count_shared_results(const std::filesystem::path& key, const runtime::KeySetId& of_key, std::size_t results,
                          const params::Sharing& sharing) {
  const std::filesystem::path path = shared_results_beside(key);
  const base::FileDescriptor file(path, O_RDWR | O_CREAT);
  if (!file.is_open() || !file.lock(LOCK_EX)) fail(path);
  params::SharedTally tally;
  if (const std::optional<Count> before = read_count(file, path); before && before->key_set == of_key)
    tally = {before->results, before->promised};
  tally.add(results, sharing, path.c_str());
  Count count{.magic = {}, .key_set = of_key, .results = tally.results, .promised = tally.promised};
  std::memcpy(count.magic, kSharedMagic, sizeof count.magic);
  if (!file.write(0, std::as_bytes(std::span(&count, 1))) || ::fsync(file.number()) != 0) fail(path);
}

}  // namespace tacit::session
