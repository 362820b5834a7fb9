#pragma once

#include <string_view>

namespace tacit::base {

/// The instruction sets that kernels are written for, in rising order.
enum class Isa { portable, avx2, avx512ifma };

/// Returns the best set that this processor and operating system support. The environment variable TACIT_ISA (portable,
/// avx2, avx512ifma) can select a lower one. A set that the processor lacks, or an unknown name, throws InputError. The
/// choice is made once.
Isa active_isa();
std::string_view isa_name(Isa isa);
/// Returns true if the processor can run kernels of this set. TACIT_ISA does not matter.
bool isa_supported(Isa isa);
/// Returns true if the processor carries out 512-bit instructions in two halves, as Zen 4 does. Measurements of Zen 4
/// show one product and two additions of 512 bits per cycle: it multiplies at half the rate at which it adds.
bool halves_wide_vectors();

}  // namespace tacit::base
