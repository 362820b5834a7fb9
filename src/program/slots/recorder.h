#pragma once

#include <string>

#include "program/slots/evaluator.h"
#include "program/slots/program.h"

namespace tacit::slots {

/// The reading that writes down what it is asked to carry out: a program, with the levels and scales of the calls. What
/// is encrypted becomes its inputs; constants become constants of its instructions. Views other than whole arrays, and
/// arrays that are read in another layout, become Gather instructions, which take no work. Not thread safe.
class Recorder final : public Evaluator {
 public:
  /// `name` and `slots` of the program. `limb_bytes`: of one row of a ciphertext.
  Recorder(std::string name, layout::Index slots, double limb_bytes);

  /// Marks an array as an output, in this layout.
  void output(const View& a, const layout::Layout& layout, std::string name);
  /// What was recorded so far.
  const Program& program() const { return program_; }

  layout::Index slots() const override { return program_.slots; }
  double ciphertext_bytes(int level) const override { return 2 * (level + 1) * limb_bytes_; }
  ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf& slots, Landing to) override;
  /// Throws InputError: nothing was computed.
  std::vector<std::vector<double>> decrypt(const View& a, Decoding decoding) override;
  ArrayPtr encode_addend(layout::Index count, const SlotsOf& slots, Landing to) override;
  ArrayPtr encode_factor(layout::Index count, const SlotsOf& slots, Landing from, Landing to) override;
  EncodedMapPtr encode_map(const ScheduledMap& map, Landing from, Landing to) override;
  ArrayPtr add(const View& a, const View& b, Landing to) override;
  ArrayPtr subtract(const View& a, const View& b, Landing to) override;
  ArrayPtr add_plain(const View& a, const View& plain, Landing to) override;
  ArrayPtr sum(const View& a, layout::Index terms, Landing to) override;
  ArrayPtr multiply_sum(const View& a, const View& b, layout::Index terms, Landing to) override;
  ArrayPtr multiply_plain_sum(const View& a, const View& plain, layout::Index terms, Landing to) override;
  ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) override;
  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) override;
  ArrayPtr gather(std::span<const View> parts, Landing to) override;
  ArrayPtr drop(const View& a, Landing to) override;
  ArrayPtr linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) override;
  ArrayPtr polynomial(const View& a, std::span<const double> coefficients, const params::PolynomialSchedule& schedule,
                      Landing to) override;
  ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) override;

 private:
  /// Ciphertexts whose elements are their slots, one by one.
  layout::Layout slot_by_slot(layout::Index ciphertexts) const;
  ArrayPtr record(Operation operation, layout::Layout layout, Landing to);
  /// The value that a view is, in this layout.
  ValueId value_of(const View& view, const layout::Layout& layout);
  ValueId value_of(const View& view) { return value_of(view, slot_by_slot(view.count())); }
  /// The slots of the plaintexts of a view, one behind the other.
  std::vector<double> numbers_of(const View& plain) const;

  Program program_;
  double limb_bytes_;
};

}  // namespace tacit::slots
