#pragma once

#include "program/slots/program.h"

namespace tacit::slots {

/// Returns r if an input is followed by its trace. A trace has r instructions RotateSum, and each reads the value
/// before it. Their steps are slots / 2^r, slots / 2^(r - 1), ..., slots / 2. They copy the first slots / 2^r slots to
/// all others, so that the client may send the input as a thin ciphertext (scheme/ckks/encryptor.h). The result is 0
/// for an input that another instruction reads, too.
int trace_after(const Program& program, ValueId input);

/// Returns the value of an input with all its copies: the last one of its trace, or the input.
ValueId traced(const Program& program, ValueId input);

/// Returns true for an input and for the values of its trace.
bool arrives(const Program& program, ValueId id);

}  // namespace tacit::slots
