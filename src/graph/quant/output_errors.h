#pragma once

#include <vector>

#include "graph/quant/compile.h"

namespace tacit::graph::quant {

/// How far the decrypted tensors may be from the exact ones, by output of the program: half as much again as the
/// largest difference on samples, by the clear reading with modelled noise, and a step. `integers` are the first of the
/// samples as the client encrypts them. Without samples, the step alone.
std::vector<double> output_errors(const CompiledIntegers& compiled, const std::vector<std::vector<Tensor>>& samples,
                                  const std::vector<std::vector<integers::Integers>>& integers);

}  // namespace tacit::graph::quant
