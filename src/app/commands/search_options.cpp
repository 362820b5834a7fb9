#include "app/commands/search_options.h"

#include <algorithm>
#include <fstream>

#include "base/error.h"

namespace tacit::app::commands {

search::Vectors vectors_of(const session::NpyArray& array) {
  const std::vector<std::int64_t>& shape = array.shape();
  if (shape.empty() || shape.size() > 2 || array.type() == session::ElementType::text)
    base::refuse("{}: one row of numbers for each vector is needed, and the array has {} dimensions", array.name(),
                 shape.size());
  const bool one = shape.size() == 1;
  return {.count = one ? 1 : static_cast<std::uint64_t>(shape[0]),
          .dimensions = static_cast<std::uint64_t>(one ? shape[0] : shape[1]),
          .read = [&array, one](std::uint64_t index, std::span<double> out) {
            if (!one) return array.read_row(static_cast<std::int64_t>(index), out, true);
            const std::vector<double> all = array.values();
            std::copy(all.begin(), all.end(), out.begin());
          }};
}

std::vector<std::int64_t> read_ids(const std::filesystem::path& path) {
  if (path.empty()) return {};
  const session::NpyArray array = session::read_npy(path);
  if (array.shape().size() != 1 || array.type() == session::ElementType::text ||
      array.type() == session::ElementType::float16 || array.type() == session::ElementType::float32 ||
      array.type() == session::ElementType::float64)
    base::refuse("{}: ids are a list of whole numbers; save them as a NumPy array of int64", path.string());
  std::vector<std::int64_t> ids;
  for (const double id : array.values()) ids.push_back(static_cast<std::int64_t>(id));
  return ids;
}

PayloadFile::PayloadFile(const std::filesystem::path& path, std::uint64_t records, std::uint64_t bytes) {
  if (path.extension() == ".npy") {
    const session::NpyArray array = session::read_npy(path);
    if (array.type() != session::ElementType::uint8 || array.shape().size() != 2)
      base::refuse("{}: payloads are bytes, one row for each record; save an array of uint8 with two dimensions",
                   path.string());
    bytes_ = static_cast<std::uint64_t>(array.shape()[1]);
    if (static_cast<std::uint64_t>(array.rows()) != records)
      base::refuse("{}: there are payloads for {} records, and {} vectors; give one for each", path.string(),
                   array.rows(), records);
    for (std::uint64_t i = 0; i < records; ++i)
      for (const double byte : array.row(static_cast<std::int64_t>(i)))
        rows_.push_back(static_cast<std::uint8_t>(byte));
    return;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) base::refuse("{}: cannot open the file of payloads", path.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(std::move(line));
  if (lines.size() != records)
    base::refuse("{}: there are {} lines, and {} vectors; give one line for each", path.string(), lines.size(),
                 records);
  bytes_ = bytes;
  for (const std::string& line : lines) {
    if (bytes > 0 && line.size() > bytes)
      base::refuse(
          "{}: a line has {} bytes, and the records of the store have {}; shorten it, or build the store again",
          path.string(), line.size(), bytes);
    bytes_ = std::max<std::uint64_t>(bytes_, line.size());
  }
  for (const std::string& line : lines) {
    rows_.insert(rows_.end(), line.begin(), line.end());
    rows_.resize(rows_.size() + bytes_ - line.size(), 0);
  }
}

search::Payload PayloadFile::payload() const {
  return {.bytes = bytes_, .read = [this](std::uint64_t index, std::span<std::uint8_t> out) {
            std::copy_n(rows_.begin() + static_cast<std::ptrdiff_t>(index * bytes_), bytes_, out.begin());
          }};
}

}  // namespace tacit::app::commands
