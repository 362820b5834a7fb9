#pragma once

#include <string_view>

namespace tacit::base {

/// Instruction sets that kernels are written for, in rising order.
enum class Isa { portable, avx2, avx512ifma };

/// The best set that this processor and operating system support, or the lower one named by the environment variable
/// TACIT_ISA (portable, avx2, avx512ifma). Asking for a set that the processor lacks, or for an unknown name, throws
/// InputError. Decided once.
Isa active_isa();
std::string_view isa_name(Isa isa);
/// True if the processor can run kernels of this set, whatever TACIT_ISA says.
bool isa_supported(Isa isa);
/// True if the processor carries out 512-bit instructions in two halves, as Zen 4 does, which was measured to start one
/// product and two additions of 512 bits a cycle: it multiplies at half the rate at which it adds.
bool halves_wide_vectors();

}  // namespace tacit::base
