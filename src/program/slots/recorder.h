#pragma once

#include <memory>
#include <string>

#include "program/slots/evaluator.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The reading that records its calls as a program, with the levels and scales of the calls. Encrypted arrays become
/// its inputs, and constants become constants of its instructions. Gather instructions, which take no work, represent
/// views other than whole arrays, and arrays that are read in another layout. It throws InputError when it should
/// decrypt, because it computes nothing. Not thread safe.
class Recorder : public Evaluator {
 public:
  /// `name` and `slots` are those of the program. `limb_bytes` is the size of one row of a ciphertext.
  static std::unique_ptr<Recorder> make(std::string name, layout::Index slots, double limb_bytes);

  /// Marks an array as an output, in this layout.
  virtual void output(const View& a, const layout::Layout& layout, std::string name) = 0;
  /// Returns the program that was recorded so far.
  virtual const Program& program() const = 0;
};

}  // namespace tacit::slots
