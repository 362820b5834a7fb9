#pragma once

#include "program/integers/program.h"
#include "runtime/checkpoints.h"
#include "scheme/tfhe/context.h"
#include "scheme/tfhe/lwe_ciphertexts.h"

namespace tacit::runtime {

/// The state of an unfinished run of a program on integers.
using IntegerRunState = RunStateOf<scheme::tfhe::LweCiphertexts>;

/// Write and read the state of a run as `save_state` and `load_state` do.
base::Digest save_run(const scheme::tfhe::Context& context, const Evaluated& of, const base::Digest& input,
                      const IntegerRunState& state, const Sink& sink);
IntegerRunState load_run(const scheme::tfhe::Context& context, const Evaluated& of, const integers::Program& program,
                         const base::Digest& input, const Source& source);

}  // namespace tacit::runtime
