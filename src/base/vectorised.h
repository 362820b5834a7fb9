#pragma once

#include <cstddef>

/// TACIT_VECTORISED marks a function. The compiler makes it once more for processors with AVX2, and the loader chooses.
/// Sums keep their order and use no fused multiply-adds, so that results do not depend on the processor. The mark is
/// for loops that a compiler vectorises well. Kernels of the ring have their own dispatch (ring/simd).
///
/// TACIT_FUSED_VERSIONS(name, (parameters), call) makes several functions that do `call`. TACIT_FUSED_VERSION(name) is
/// the one for this processor. They fuse a * b + c into one rounding. Use it under three conditions:
/// - The file is compiled with -ffp-contract=fast.
/// - Each sum is written as one product and one term.
/// - All calls inside are always inlined.
///
/// Results are the same on all processors with fused multiply-adds, such as those with AVX2. `call` may use
/// `kVectorBytes`, the size of a register of its processor. Longer vectors would be split in memory.
#define TACIT_FUSED_FUNCTION(name, parameters, bytes, call)      \
  void name parameters {                                         \
    [[maybe_unused]] constexpr std::size_t kVectorBytes = bytes; \
    call;                                                        \
  }
#if defined(__x86_64__) && defined(__ELF__) && (defined(__GNUC__) || defined(__clang__))
#define TACIT_VECTORISED __attribute__((target_clones("avx2", "default")))
#define TACIT_FUSED_VERSIONS(name, parameters, call)                                                        \
  __attribute__((target("avx512f,avx512vl,fma"))) TACIT_FUSED_FUNCTION(name##_avx512, parameters, 64, call) \
      __attribute__((target("avx2,fma"))) TACIT_FUSED_FUNCTION(name##_avx2, parameters, 32, call)           \
          TACIT_FUSED_FUNCTION(name##_portable, parameters, 16, call)
#define TACIT_FUSED_VERSION(name) \
  (tacit::base::has_wide_fused() ? name##_avx512 : __builtin_cpu_supports("fma") ? name##_avx2 : name##_portable)
namespace tacit::base {
inline bool has_wide_fused() { return __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma"); }
}  // namespace tacit::base
#else
#define TACIT_VECTORISED
#define TACIT_FUSED_VERSIONS(name, parameters, call) TACIT_FUSED_FUNCTION(name, parameters, 16, call)
#define TACIT_FUSED_VERSION(name) name
namespace tacit::base {
inline bool has_wide_fused() { return false; }
}  // namespace tacit::base
#endif
