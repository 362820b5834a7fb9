#include "program/slots/recorder.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace tacit::slots {
namespace {

using layout::Index;

struct RecordedArray final : Array {
  RecordedArray(Index count, int level, double at_scale, ValueId id)
      : Array(count, level), scale(at_scale), value(id) {}
  double scale;
  ValueId value;
};

struct RecordedConstants final : Array {
  RecordedConstants(std::vector<std::vector<double>> numbers, int level)
      : Array(static_cast<Index>(numbers.size()), level), slots(std::move(numbers)) {}
  std::vector<std::vector<double>> slots;
};

struct RecordedMap final : EncodedMap {
  explicit RecordedMap(const ScheduledMap& of) : map(of.map), schedule(of.schedule), diagonals(of.diagonals) {}
  double bytes() const override { return 0; }
  layout::LinearMap map;
  params::LinearSchedule schedule;
  std::optional<layout::DiagonalCount> diagonals;
};

const RecordedArray& recorded(const View& view) { return static_cast<const RecordedArray&>(*view.array); }

bool is_whole(const View& view) {
  if (view.offset != 0 || view.count() != view.array->count()) return false;
  Index stride = 1;
  for (int i = view.rank; i-- > 0;) {
    const auto d = static_cast<std::size_t>(i);
    if (view.extents[d] > 1 && view.strides[d] != stride) return false;
    stride *= view.extents[d];
  }
  return true;
}

GatherPart part_of(const View& view) {
  GatherPart part{.input = recorded(view).value, .extents = {}, .strides = {}, .offset = view.offset};
  for (int i = 0; i < view.rank; ++i) {
    part.extents.push_back(view.extents[static_cast<std::size_t>(i)]);
    part.strides.push_back(view.strides[static_cast<std::size_t>(i)]);
  }
  return part;
}

/// A program that grows by an instruction a call.
class Recording final : public Recorder {
 public:
  Recording(std::string name, Index slots, double limb_bytes)
      : program_{std::move(name), slots, {}}, limb_bytes_(limb_bytes) {}

  const Program& program() const override { return program_; }
  layout::Index slots() const override { return program_.slots; }
  double ciphertext_bytes(int level) const override { return 2 * (level + 1) * limb_bytes_; }

  void output(const View& a, const layout::Layout& layout, std::string name) override {
    const ValueId value = value_of(a, layout);
    record(Output{value, std::move(name)}, layout, {a.level(), recorded(a).scale});
  }

  ArrayPtr encrypt(const layout::Layout& layout, const SlotsOf&, Landing to) override {
    const std::size_t inputs = program::count_of<Input>(program_.instructions);
    return record(Input{fmt::format("input{}", inputs), {}}, layout, to);
  }

  std::vector<std::vector<double>> decrypt(const View&, Decoding) override {
    throw base::InputError("decrypt: a recording has no values; save it, and run it on encrypted inputs");
  }

  ArrayPtr encode_addend(Index count, const SlotsOf& slots, Landing to) override {
    std::vector<std::vector<double>> numbers;
    for (Index i = 0; i < count; ++i) numbers.push_back(slots(i));
    return std::make_shared<const RecordedConstants>(std::move(numbers), to.level);
  }

  ArrayPtr encode_factor(Index count, const SlotsOf& slots, Landing from, Landing) override {
    return encode_addend(count, slots, from);
  }

  EncodedMapPtr encode_map(const ScheduledMap& map, Landing, Landing) override {
    return std::make_shared<const RecordedMap>(map);
  }

  ArrayPtr add(const View& a, const View& b, Landing to) override {
    return record(Add{value_of(a), value_of(b)}, slot_by_slot(a.count()), to);
  }

  ArrayPtr subtract(const View& a, const View& b, Landing to) override {
    return record(Subtract{value_of(a), value_of(b)}, slot_by_slot(a.count()), to);
  }

  ArrayPtr add_plain(const View& a, const View& plain, Landing to) override {
    return record(AddPlain{value_of(a), layout::RepeatedReals::of(numbers_of(plain))}, slot_by_slot(a.count()), to);
  }

  ArrayPtr sum(const View& a, Index terms, Landing to) override {
    return record(Sum{value_of(a), terms}, slot_by_slot(a.count() / terms), to);
  }

  ArrayPtr multiply_sum(const View& a, const View& b, Index terms, Landing to) override {
    return record(Multiply{value_of(a), value_of(b), terms}, slot_by_slot(a.count() / terms), to);
  }

  ArrayPtr multiply_plain_sum(const View& a, const View& plain, Index terms, Landing to) override {
    return record(MultiplyPlain{value_of(a), layout::RepeatedReals::of(numbers_of(plain)), terms},
                  slot_by_slot(a.count() / terms), to);
  }

  ArrayPtr rotate(const View& a, std::int64_t steps, Landing to) override {
    return record(Rotate{value_of(a), steps}, slot_by_slot(a.count()), to);
  }

  ArrayPtr rotate_sum(const View& a, std::span<const std::int64_t> steps, Landing to) override {
    return record(RotateSum{value_of(a), {steps.begin(), steps.end()}}, slot_by_slot(a.count()), to);
  }

  ArrayPtr gather(std::span<const View> parts, Landing to) override {
    Gather gather;
    Index count = 0;
    for (const View& part : parts) {
      gather.parts.push_back(part_of(part));
      count += part.count();
    }
    return record(std::move(gather), slot_by_slot(count), to);
  }

  ArrayPtr drop(const View& a, Landing to) override { return record(Drop{value_of(a)}, slot_by_slot(a.count()), to); }

  ArrayPtr linear(std::span<const MappedView> terms, const ArrayPtr& bias, Landing to) override {
    Linear linear;
    const layout::Layout* out = nullptr;
    for (const MappedView& term : terms) {
      const auto& map = static_cast<const RecordedMap&>(*term.map);
      out = &map.map.out;
      linear.terms.push_back({value_of(term.view, map.map.in), map.map, map.schedule, map.diagonals});
    }
    if (bias) linear.bias = layout::RepeatedReals::of(out->unpack(static_cast<const RecordedConstants&>(*bias).slots));
    return record(std::move(linear), *out, to);
  }

  ArrayPtr polynomial(const View& a, std::span<const double> coefficients, const params::PolynomialSchedule& schedule,
                      Landing to) override {
    return record(Polynomial{value_of(a), {coefficients.begin(), coefficients.end()}, schedule},
                  slot_by_slot(a.count()), to);
  }

  ArrayPtr bootstrap(std::span<const View> parts, const params::BootstrapSchedule& schedule, Landing to) override {
    Bootstrap bootstrap{{}, schedule};
    Index count = 0;
    for (const View& part : parts) {
      bootstrap.inputs.push_back(value_of(part));
      count += part.count();
    }
    return record(std::move(bootstrap), slot_by_slot(count), to);
  }

  ArrayPtr look_up(std::span<const View> parts, std::span<const std::vector<double>> tables,
                   const params::LookupSchedule& schedule, Landing to) override {
    Lookup lookup{{}, {tables.begin(), tables.end()}, schedule};
    Index count = 0;
    for (const View& part : parts) {
      lookup.inputs.push_back(value_of(part));
      count += part.count();
    }
    return record(std::move(lookup), slot_by_slot(count * static_cast<Index>(tables.size())), to);
  }

 private:
  /// Ciphertexts whose elements are their slots, one by one.
  layout::Layout slot_by_slot(Index ciphertexts) const {
    return layout::Layout::row_major({ciphertexts * program_.slots}, program_.slots);
  }

  ArrayPtr record(Operation operation, layout::Layout layout, Landing to) {
    const auto id = static_cast<ValueId>(program_.instructions.size());
    const Index count = layout.ciphertexts();
    const std::string node = fmt::format("{}{}", mnemonic(operation), id);
    program_.instructions.push_back({std::move(operation), std::move(layout), node,
                                     fmt::format("{}: {}", program_.name, node), 0, to.level, to.scale});
    return std::make_shared<const RecordedArray>(count, to.level, to.scale, id);
  }

  /// The value that a view is, in this layout.
  ValueId value_of(const View& view, const layout::Layout& layout) {
    const RecordedArray& array = recorded(view);
    if (is_whole(view) && program_.value(array.value).layout == layout) return array.value;
    return recorded(View::whole(record(Gather{{part_of(view)}}, layout, {array.level(), array.scale}))).value;
  }

  ValueId value_of(const View& view) { return value_of(view, slot_by_slot(view.count())); }

  /// The slots of the plaintexts of a view, one behind the other.
  std::vector<double> numbers_of(const View& plain) const {
    std::vector<double> numbers;
    for (Index i = 0; i < plain.count(); ++i) {
      const auto& slots =
          static_cast<const RecordedConstants&>(*plain.array).slots[static_cast<std::size_t>(plain.at(i))];
      numbers.insert(numbers.end(), slots.begin(), slots.end());
    }
    return numbers;
  }

  Program program_;
  double limb_bytes_;
};

}  // namespace

std::unique_ptr<Recorder> Recorder::make(std::string name, Index slots, double limb_bytes) {
  return std::make_unique<Recording>(std::move(name), slots, limb_bytes);
}

}  // namespace tacit::slots
