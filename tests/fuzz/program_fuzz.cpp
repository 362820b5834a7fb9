#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string_view>

#include "base/error.h"
#include "layout/layout.h"
#include "params/cost_table.h"
#include "program/slots/serialize.h"

namespace {

using namespace tacit;

/// What reads back must write the same bytes.
template <class Read>
void round_trip(std::span<const std::uint8_t> bytes, const Read& read) {
  try {
    const auto value = read(bytes);
    const auto again = slots::to_bytes(value);
    if (slots::to_bytes(read(again)) != again) std::abort();
  } catch (const base::InputError&) {
  }
}

}  // namespace

/// Any bytes are a program, a client interface, a layout or a cost table, or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span bytes(data + 1, size - 1);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  try {
    switch (data[0] % 4) {
      case 0: round_trip(bytes, [](auto from) { return slots::program_from_bytes(from); }); break;
      case 1: round_trip(bytes, [](auto from) { return program::client_interface_from_bytes(from); }); break;
      case 2: {
        const layout::Layout layout = layout::Layout::parse(text);
        if (layout::Layout::parse(layout.to_string()) != layout) std::abort();
        break;
      }
      default: {
        const params::CostTable table = params::cost_table_from_json(text);
        if (params::cost_table_from_json(slots::to_json(table)) != table) std::abort();
      }
    }
  } catch (const base::InputError&) {
  }
  return 0;
}
