#pragma once

#include <cstddef>

/// On a function: the compiler makes it once more for processors with AVX2, and the loader chooses. Sums are in the
/// same order and without fused multiply-adds, so that results do not depend on the processor. For loops that a
/// compiler vectorises well; kernels of the ring have their own dispatch (ring/simd).
///
/// TACIT_FUSED_VERSIONS(name, (parameters), call) makes functions that do `call`, of which TACIT_FUSED_VERSION(name) is
/// the one for this processor. They fuse a * b + c into one rounding: only in files that are compiled with
/// -ffp-contract=fast, on sums of which each is written as one product and one term, and with calls that are always
/// inlined. Results are the same on all processors that have fused multiply-adds, as those with AVX2 do. `call` may
/// name `kVectorBytes`, the size of a register of its processor: vectors of more are taken apart in memory.
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
