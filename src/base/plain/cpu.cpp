#include "base/cpu.h"

namespace tacit::base {

std::string_view isa_name(Isa isa) {
  return isa == Isa::avx512ifma ? "avx512ifma" : isa == Isa::avx2 ? "avx2" : "portable";
}
bool isa_supported(Isa isa) { return isa == Isa::portable; }
bool halves_wide_vectors() { return false; }
Isa active_isa() { return Isa::portable; }

}  // namespace tacit::base
