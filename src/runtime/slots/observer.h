#pragma once

#include <span>

#include "program/array.h"
#include "program/slots/program.h"

namespace tacit::runtime {

/// Watches an encrypted run. Calls come from one thread, in program order.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Called right after an instruction with its operands and its result (null for a Validate). If ranks share a run,
  /// only the operands of a Validate are complete, and no others may be read.
  virtual void carried_out(program::ValueId id, const slots::Instruction& instruction,
                           std::span<const program::ArrayPtr> operands, const program::ArrayPtr& result) = 0;
};

}  // namespace tacit::runtime
