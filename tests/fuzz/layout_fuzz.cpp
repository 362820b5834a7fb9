#include <numeric>

#include "layout/layout.h"
#include "layout/random_layout_for_test.h"
#include "mutate_bytes.h"
#include "target.h"

namespace tacit::fuzz {

using layout::Index;
using layout::Layout;

namespace {
constexpr Index kFewNumbers = 1 << 14;
}

std::string_view target_name() { return "layout"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all{bytes_of(Layout::row_major({3, 40}, 32).to_string()),
                         bytes_of(Layout::multiplexed({1, 5, 2, 2}, 4, 4, 2, 32).to_string())};
  std::mt19937 random(1);
  for (int i = 0; i < 16; ++i)
    all.push_back(bytes_of(layout::random_layout(layout::random_shape(random), 32, random).to_string()));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// A layout says the same when it is written again, and what is packed in it comes back.
void check(std::span<const std::uint8_t> bytes) {
  const Layout layout = Layout::parse(text_of(bytes));
  require(Layout::parse(layout.to_string()) == layout, "a layout reads as it was written");
  const Index elements = layout::element_count(layout.shape());
  if (elements > kFewNumbers || layout.slots() * layout.ciphertexts() > kFewNumbers) return;
  std::vector<double> tensor(static_cast<std::size_t>(elements));
  std::iota(tensor.begin(), tensor.end(), 1);
  require(layout.unpack(layout.pack(tensor)) == tensor, "what was packed comes back");
  for (Index i = 0; i < elements; ++i) {
    const layout::Position place = layout.position_of(i);
    require(layout.element_at(place.ciphertext, place.slot) == i, "an element is where it is");
  }
}

}  // namespace tacit::fuzz
