#include "app/service/key_folder.h"

#include <nlohmann/json.hpp>

#include "app/service/durable_file.h"
#include "base/error.h"
#include "base/parse_number.h"
#include "runtime/description.h"
#include "session/bounded_file.h"

namespace tacit::app::service {
namespace {

constexpr std::uintmax_t kMostDescription = 64 << 10;
constexpr std::uintmax_t kMostNumber = 32;

}  // namespace

std::uint64_t size_of(const std::filesystem::path& file) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file, error);
  return error ? 0 : size;
}

std::optional<StoredKeys> KeyFolder::stored() const {
  try {
    const nlohmann::json about = nlohmann::json::parse(session::read_bounded(ready(), kMostDescription));
    StoredKeys stored;
    stored.root = about.at("root").get<std::string>();
    stored.file = path_ / about.at("file").get<std::string>();
    stored.bytes = about.at("bytes").get<std::uint64_t>();
    runtime::from_hexadecimal(about.at("key_set").get<std::string>(), stored.key_set);
    if (size_of(stored.file) != stored.bytes) return {};
    return stored;
  } catch (const base::InputError&) {
    return {};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

std::uint64_t KeyFolder::stored_bytes() const {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(path_, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error))
    if (entry->path() != upload() && entry->is_regular_file(error)) bytes += size_of(entry->path());
  return bytes;
}

std::uint64_t KeyFolder::announced() const {
  try {
    return base::parse_number<std::uint64_t>(session::read_bounded(path_ / "total", kMostNumber)).value_or(0);
  } catch (const base::InputError&) {  // there is no upload
    return 0;
  }
}

void KeyFolder::announce(std::uint64_t total) const {
  std::error_code absent;
  std::filesystem::resize_file(upload(), 0, absent);
  write_durably(path_ / "total", std::to_string(total));
}

void KeyFolder::forget_upload() const {
  std::error_code ignored;
  // The bytes go first: room that was announced is free once nothing fills it.
  std::filesystem::remove(upload(), ignored);
  std::filesystem::remove(path_ / "total", ignored);
}

void KeyFolder::forget_keys() const {
  const std::optional<StoredKeys> keys = stored();
  std::error_code ignored;
  std::filesystem::remove(ready(), ignored);
  if (keys) std::filesystem::remove(keys->file, ignored);
}

}  // namespace tacit::app::service
