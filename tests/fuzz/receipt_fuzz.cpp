#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/error.h"
#include "runtime/receipt.h"
#include "splice.h"

namespace {

using namespace tacit;

/// Whatever is accepted is a receipt that says the same when it is written again.
void check(std::string_view text) {
  try {
    const runtime::Receipt receipt = runtime::parse_receipt(text, "fuzz");
    if (runtime::parse_receipt(runtime::receipt_json(receipt), "fuzz") != receipt) std::abort();
  } catch (const base::InputError&) {
  }
}

}  // namespace

/// Any bytes are a receipt or an InputError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string text = runtime::receipt_json({"0.1.0", {}, {}, {}, {}, {}});
  check({reinterpret_cast<const char*>(data), size});
  const std::vector<std::uint8_t> spliced = fuzz::splice({text.begin(), text.end()}, {data, size});
  check({reinterpret_cast<const char*>(spliced.data()), spliced.size()});
  return 0;
}
