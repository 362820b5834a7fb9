#pragma once

#include <string>

namespace tacit::bench {

/// "AMD EPYC 9R14, avx512ifma, 3.69 GHz": the processor as the system names it, the instruction set of the kernels and
/// the clock measured now.
std::string machine_name();

}  // namespace tacit::bench
