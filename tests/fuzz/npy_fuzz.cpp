#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/temporary_folder_for_test.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "session/owner/npy.h"
#include "target.h"

namespace tacit::fuzz {

using session::ElementType;

std::string_view target_name() { return "npy"; }

std::vector<Bytes> seeds() {
  const base::TemporaryFolder folder;
  const auto path = folder.path() / "a.npy";
  std::vector<Bytes> all;
  const auto keep = [&](const auto& values, const std::vector<std::int64_t>& shape) {
    session::write_npy(path, shape, values);
    const std::vector<char> bytes = base::read_file(path);
    all.emplace_back(bytes.begin(), bytes.end());
  };
  keep(std::vector<double>{1, -2.5, 1e300, 0, 7, 8}, {3, 2});
  keep(std::vector<float>{1, -2.5F}, {2, 1, 1});
  keep(std::vector<std::uint8_t>{0, 255, 3}, {3});
  keep(std::vector<std::int64_t>{-1, 1LL << 52}, {1, 2});
  keep(std::vector<std::string>{"a", "\xC3\xA9t\xC3\xA9", ""}, {3});
  return all;
}

/// The header is text: what it promises changes by words, and the element type by name.
Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  constexpr std::size_t kBeforeHeader = 10;
  constexpr const char* kTypes[] = {"|b1", "|u1", "<u2", "<u4", "<u8", "|i1", "<i2", "<i4", "<i8", "<f2",
                                    "<f4", "<f8", ">f8", "<U2", "<U9", "<U0", "|S4", "<c8", "|O",  "<U99999999999"};
  if (from.size() < kBeforeHeader || random.one_in(3)) return mutate_bytes(from, other, random);
  const std::size_t header = std::min<std::size_t>(from.size() - kBeforeHeader, from[8] + 256u * from[9]);
  const auto middle = from.begin() + static_cast<std::ptrdiff_t>(kBeforeHeader + header);
  std::string text(from.begin() + kBeforeHeader, middle);
  if (random.one_in(2)) {
    const std::size_t at = text.find("descr': '"), end = at == text.npos ? at : text.find('\'', at + 9);
    if (end != text.npos) text.replace(at + 9, end - at - 9, random.pick(kTypes));
  } else {
    text = std::string(text_of(mutate_text(bytes_of(text), bytes_of(text), random)));
  }
  Bytes result(from.begin(), from.begin() + kBeforeHeader);
  result[8] = static_cast<std::uint8_t>(text.size());
  result[9] = static_cast<std::uint8_t>(text.size() >> 8);
  result.insert(result.end(), text.begin(), text.end());
  result.insert(result.end(), middle, from.end());
  return result;
}

/// An array has as many elements as its shape says, all of them finite; a file reads as its bytes do.
void check(std::span<const std::uint8_t> bytes) {
  const session::NpyArray array = session::parse_npy(text_of(bytes), "fuzz");
  const MemoryFile file(std::as_bytes(bytes));
  const session::NpyArray stored = session::read_npy(file.path());
  require(stored.shape() == array.shape() && stored.type() == array.type(), "a file reads as its bytes do");
  const std::int64_t rows = array.shape().empty() ? 0 : std::min<std::int64_t>(array.rows(), 4);
  if (array.type() == ElementType::text) {
    for (std::int64_t i = 0; i < rows; ++i) array.text_row(i);
    return;
  }
  const std::vector<double> values = array.values();
  require(static_cast<std::int64_t>(values.size()) == array.size(), "there are as many values as the shape says");
  require(std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }),
          "values are finite");
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::vector<double> row = array.row(i);
    require(std::equal(row.begin(), row.end(), values.begin() + i * static_cast<std::int64_t>(row.size())),
            "a row is a part of all values");
  }
}

}  // namespace tacit::fuzz
