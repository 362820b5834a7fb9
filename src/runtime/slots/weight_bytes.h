#pragma once

#include <cstdint>

#include "program/slots/program.h"
#include "scheme/ckks/context.h"

namespace tacit::runtime {

/// What the encoded weights of a program's instructions take, in bytes, without encoding them. Instructions without
/// weights take none. Thread safe.
class WeightBytes {
 public:
  /// `program`, with levels, and the context must outlive this object.
  WeightBytes(const slots::Program& program, const scheme::ckks::Context& context)
      : program_(program), context_(context) {}

  /// At most, known at once.
  std::uint64_t most(program::ValueId id) const;
  /// By the diagonals that there are, which may have to be counted.
  std::uint64_t counted(program::ValueId id) const;
  /// The first of both where so little room suffices for it, else the second.
  std::uint64_t within(program::ValueId id, std::uint64_t room) const;
  /// Of plaintexts beside the diagonals of maps.
  std::uint64_t plaintexts(program::ValueId id) const;

  struct Largest {
    program::ValueId id = 0;
    std::uint64_t bytes = 0;
  };
  /// The instruction whose weights take the most by `within`.
  Largest largest(std::uint64_t room) const;

 private:
  template <class Slots>
  std::uint64_t bytes(program::ValueId id, const Slots& slots_of) const;

  const slots::Program& program_;
  const scheme::ckks::Context& context_;
};

}  // namespace tacit::runtime
