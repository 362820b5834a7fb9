#pragma once

#include <vector>

#include "graph/quant/compile.h"

namespace tacit::graph::quant {

/// Returns the program's outputs for quantised samples, as the client reads them: [sample][output][element]. They come
/// from the clear reading, exact or with modelled noise.
std::vector<std::vector<std::vector<double>>> outputs_of(const CompiledIntegers& compiled,
                                                         const std::vector<std::vector<integers::Integers>>& integers,
                                                         bool noise);
/// Returns the exact outputs of the first `count` samples.
std::vector<std::vector<std::vector<double>>> exact_outputs(const CompiledIntegers& compiled,
                                                            const std::vector<std::vector<Tensor>>& samples,
                                                            std::size_t count);

/// Returns how far the decrypted tensors may be from the exact ones, by output of the program. It is 1.5 times the
/// usual difference on samples, by the clear reading with modelled noise, plus a step. `integers` are the first
/// samples, as the client encrypts them. Without samples, it is the step alone.
std::vector<double> output_errors(const CompiledIntegers& compiled, const std::vector<std::vector<Tensor>>& samples,
                                  const std::vector<std::vector<integers::Integers>>& integers);

}  // namespace tacit::graph::quant
