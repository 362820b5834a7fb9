#pragma once

#include <string>

namespace tacit::session {

/// "AMD EPYC 9R14, avx512ifma, 3.69 GHz": the processor as the system names it, the instruction set of the kernels and
/// the clock measured now.
std::string machine_name();

/// Which kind of processor runs which kernels: names, model numbers and the instruction set, the same in every process.
std::string machine_kind();

/// MiB of the largest cache that the system names; 0 where it names none.
double largest_cache_mib();

}  // namespace tacit::session
