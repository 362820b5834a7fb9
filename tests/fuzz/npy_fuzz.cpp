#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "session/owner/npy.h"

/// Any bytes are an array whose elements are finite, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const tacit::session::NpyArray array =
        tacit::session::parse_npy({reinterpret_cast<const char*>(data), size}, "fuzz");
    if (static_cast<std::int64_t>(array.values().size()) != array.size()) __builtin_trap();
    for (std::int64_t i = 0; !array.shape().empty() && i < std::min<std::int64_t>(array.rows(), 4); ++i) array.row(i);
  } catch (const tacit::base::InputError&) {
    return 0;
  }
  return 0;
}
