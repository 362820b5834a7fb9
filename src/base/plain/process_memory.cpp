#include "base/process_memory.h"

#include <new>

#include "base/machine_memory.h"

// WebAssembly has at most 4 GiB, of which the module holds the pages that it has asked for. Elsewhere nothing is known.
namespace tacit::base {

std::uint64_t peak_resident_bytes() { return 0; }
void restart_peak_resident_bytes() {}
std::uint64_t resident_bytes() { return 0; }
std::optional<std::uint64_t> bytes_below_data_limit() { return std::nullopt; }
bool is_want_of_memory(const std::exception& error) noexcept {
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr;
}

MachineMemory machine_memory(const std::filesystem::path&) {
#ifdef __wasm__
  constexpr std::uint64_t kMost = std::uint64_t{1} << 32, kWasmPage = 65536;
  return {kMost, kMost - kWasmPage * __builtin_wasm_memory_size(0)};
#else
  return {};
#endif
}
std::optional<std::uint64_t> keyed_number(const std::filesystem::path&, std::string_view) { return std::nullopt; }

}  // namespace tacit::base
