#pragma once

#include "ring/simd/kernels.h"

// The tables that the files of each instruction set define, for dispatch.cpp and for each other.
namespace tacit::ring::simd {

extern const Kernels kPortableKernels;
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512IfmaKernels;

extern const TiledNtt kAvx512IfmaTiledNtt;

void ntt_forward_avx2(std::uint64_t* a, const NttWords& words);
void ntt_inverse_avx2(std::uint64_t* a, const NttWords& words);
void ntt_forward_avx512ifma(std::uint64_t* a, const NttWords& words);
void ntt_inverse_avx512ifma(std::uint64_t* a, const NttWords& words);
void uniform_prepare_avx512ifma(UniformWords& words);
void uniform_avx512ifma(std::uint64_t* out, std::size_t at, std::size_t n, const UniformWords& words);
void uniform_dot_pair_avx512ifma(const UniformDot& dot, std::uint64_t* out0, std::uint64_t* out1, std::size_t at,
                                 std::size_t n, const ModulusWords& q);

}  // namespace tacit::ring::simd
