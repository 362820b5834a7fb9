#pragma once

#include <string>

namespace tacit::session {

/// Returns a text like "AMD EPYC 9R14, avx512ifma, 3.69 GHz". It has the processor's name by the system, the
/// instruction set of the kernels and the clock at this moment.
std::string machine_name();

/// Returns the kind of the processor and of the kernels: names, model numbers and the instruction set. It is the same
/// in every process.
std::string machine_kind();

/// Returns the MiB of the largest cache that the system names; 0 if it names none.
double largest_cache_mib();

}  // namespace tacit::session
