#pragma once

#include <span>

#include "program/program.h"
#include "runtime/ciphertext_file.h"

namespace tacit::runtime {

/// Watches an encrypted run. Calls come from one thread, in program order.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Right after the instruction was carried out: its operands and its result, whole.
  virtual void carried_out(program::ValueId id, const program::Instruction& instruction,
                           std::span<const CiphertextArray* const> operands, const CiphertextArray& result,
                           double seconds) = 0;
};

}  // namespace tacit::runtime
