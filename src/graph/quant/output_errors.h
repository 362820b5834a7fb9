#pragma once

#include <vector>

#include "graph/quant/compile.h"

namespace tacit::graph::quant {

/// The program's outputs for samples that the client quantised, as the client reads them: [sample][output][element], by
/// the clear reading, exactly or with modelled noise.
std::vector<std::vector<std::vector<double>>> outputs_of(const CompiledIntegers& compiled,
                                                         const std::vector<std::vector<integers::Integers>>& integers,
                                                         bool noise);
/// The exact outputs of the first `count` samples.
std::vector<std::vector<std::vector<double>>> exact_outputs(const CompiledIntegers& compiled,
                                                            const std::vector<std::vector<Tensor>>& samples,
                                                            std::size_t count);

/// How far the decrypted tensors may be from the exact ones, by output of the program: half as much again as the
/// usual difference on samples, by the clear reading with modelled noise, and a step. `integers` are the first of the
/// samples as the client encrypts them. Without samples, the step alone.
std::vector<double> output_errors(const CompiledIntegers& compiled, const std::vector<std::vector<Tensor>>& samples,
                                  const std::vector<std::vector<integers::Integers>>& integers);

}  // namespace tacit::graph::quant
