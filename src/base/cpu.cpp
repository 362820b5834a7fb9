#include "base/cpu.h"

#include <cpuid.h>

#include <cstdlib>
#include <string>

#include "base/error.h"

namespace tacit::base {

std::string_view isa_name(Isa isa) {
  return isa == Isa::avx512ifma ? "avx512ifma" : isa == Isa::avx2 ? "avx2" : "portable";
}

namespace {
/// Not every compiler's __builtin_cpu_supports knows this one.
bool has_vaes() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kVaes = 1u << 9;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & kVaes) != 0;
}
}  // namespace

bool isa_supported(Isa isa) {
  __builtin_cpu_init();
  switch (isa) {
    case Isa::portable: return true;
    case Isa::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case Isa::avx512ifma:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512ifma") && __builtin_cpu_supports("aes") && has_vaes();
  }
  return false;
}

bool halves_wide_vectors() {
  __builtin_cpu_init();
  if (!__builtin_cpu_is("amd")) return false;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kFamily19h = 0x19;
  return (a >> 8 & 0xF) + (a >> 20 & 0xFF) == kFamily19h;
}

namespace {
Isa choose_isa() {
  constexpr Isa kAll[] = {Isa::avx512ifma, Isa::avx2, Isa::portable};
  if (const char* forced = std::getenv("TACIT_ISA"); forced != nullptr && *forced != '\0') {
    for (const Isa isa : kAll) {
      if (isa_name(isa) != forced) continue;
      if (!isa_supported(isa))
        throw InputError("TACIT_ISA=" + std::string(forced) + ": this processor lacks these instructions; unset it");
      return isa;
    }
    throw InputError("TACIT_ISA=" + std::string(forced) + ": expected portable, avx2 or avx512ifma");
  }
  for (const Isa isa : kAll)
    if (isa_supported(isa)) return isa;
  return Isa::portable;
}
}  // namespace

Isa active_isa() {
  static const Isa isa = choose_isa();
  return isa;
}

}  // namespace tacit::base
