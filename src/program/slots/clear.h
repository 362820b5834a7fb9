#pragma once

#include <span>
#include <vector>

#include "layout/known_positions.h"
#include "program/slots/evaluator.h"

namespace tacit::slots {

/// The slots of a ciphertext array. Each ciphertext has a power of two of numbers, which repeat along its slots.
using SlotArray = std::vector<std::vector<double>>;

/// The clear reading: exact slot semantics in double precision, padding and leftovers of rotations included. A value
/// whose slots repeat is held once per period, so that a set of inputs runs at full speed. Linear maps are read as
/// sparse matrices. Thread safe.
class ClearEvaluator : public Evaluator {
 public:
  /// `slots` is a power of two.
  explicit ClearEvaluator(layout::Index slots) : slots_(slots) {}

  layout::Index slots() const override { return slots_; }
  double ciphertext_bytes(int) const override { return static_cast<double>(slots_) * sizeof(double); }
  ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf& slots, Landing to) override;
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
  ArrayPtr look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                   const params::LookupSchedule& schedule, Landing to) override;

 private:
  layout::Index slots_;
  layout::KnownPositions positions_;
};

/// Return an array of the clear reading, and the slots that it holds.
ArrayPtr clear_array(SlotArray slots, int level = 0);
const SlotArray& slots_of(const ArrayPtr& array);

/// Convert a tensor to one period of its slots, and back.
SlotArray pack_period(const layout::Layout& layout, std::span<const double> tensor);
std::vector<double> unpack_period(const layout::Layout& layout, const SlotArray& slots);

}  // namespace tacit::slots
