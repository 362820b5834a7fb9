#pragma once

#include <memory>
#include <string>

#include "program/slots/evaluator.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The reading that writes down what it is asked to carry out: a program, with the levels and scales of the calls. What
/// is encrypted becomes its inputs; constants become constants of its instructions. Views other than whole arrays, and
/// arrays that are read in another layout, become Gather instructions, which take no work. Throws InputError where it
/// is to decrypt: nothing was computed. Not thread safe.
class Recorder : public Evaluator {
 public:
  /// `name` and `slots` of the program. `limb_bytes`: of one row of a ciphertext.
  static std::unique_ptr<Recorder> make(std::string name, layout::Index slots, double limb_bytes);

  /// Marks an array as an output, in this layout.
  virtual void output(const View& a, const layout::Layout& layout, std::string name) = 0;
  /// What was recorded so far.
  virtual const Program& program() const = 0;
};

}  // namespace tacit::slots
