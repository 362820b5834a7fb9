#pragma once

#include "program/slots/program.h"
#include "runtime/checkpoints.h"
#include "runtime/slots/ciphertext_file.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// The state of an unfinished run of a program on slots.
using RunState = RunStateOf<CiphertextArray>;

/// Write and read the state of a run as `save_state` and `load_state` do.
base::Digest save_run(const scheme::ckks::Context& context, const Evaluated& of, const base::Digest& input,
                      const RunState& state, const Sink& sink);
RunState load_run(const scheme::ckks::Context& context, const Evaluated& of, const slots::Program& program,
                  const base::Digest& input, const Source& source);

}  // namespace tacit::runtime
