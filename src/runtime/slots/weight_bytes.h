#pragma once

#include <cstdint>

#include "program/slots/program.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// The bytes of the encoded weights of a program's instructions, without encoding them. Instructions without weights
/// have 0 bytes. Thread safe.
class WeightBytes {
 public:
  /// `program` has levels. `program` and `context` must outlive this object.
  WeightBytes(const slots::Program& program, const scheme::ckks::Context& context)
      : program_(program), context_(context) {}

  /// Returns an upper bound, without counting.
  std::uint64_t most(program::ValueId id) const;
  /// Returns the bytes by the existing diagonals, which may have to be counted.
  std::uint64_t counted(program::ValueId id) const;
  /// Returns `most` if it is at most `room`, and `counted` otherwise.
  std::uint64_t within(program::ValueId id, std::uint64_t room) const;
  /// Returns the bytes of the plaintexts that are not diagonals of maps.
  std::uint64_t plaintexts(program::ValueId id) const;

  struct Largest {
    program::ValueId id = 0;
    std::uint64_t bytes = 0;
  };
  /// Returns the instruction with the largest weights by `within`.
  Largest largest(std::uint64_t room) const;

 private:
  template <class Slots>
  std::uint64_t bytes(program::ValueId id, const Slots& slots_of) const;

  const slots::Program& program_;
  const scheme::ckks::Context& context_;
};

}  // namespace tacit::runtime
