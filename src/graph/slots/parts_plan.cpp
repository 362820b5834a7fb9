#include "graph/slots/parts_plan.h"

#include <algorithm>
#include <utility>

namespace tacit::graph::passes {

using layout::Digit;
using layout::Index;
using layout::Layout;
using layout::Shape;

PartsPlan plan_parts(const Shape& shape, Index slots) {
  const Index samples = shape.at(0), parts = shape.at(1), elements = shape.at(2);
  Index free = slots;
  const auto take = [&](Index extent) {
    const Index taken = std::min(layout::next_power_of_two(extent), free);
    free /= taken;
    return taken;
  };
  const auto pieces = [](Index extent, Index inside) { return (extent + inside - 1) / inside; };
  const auto digits = [](std::vector<Digit> all) {
    std::erase_if(all, [](const Digit& digit) { return digit.extent == 1; });
    return all;
  };
  const Index samples_in = take(samples);
  const bool outermost = samples_in > 1 && samples_in >= free;
  const Index summed = std::min(layout::next_power_of_two(elements), free);
  // Copies of elements would lie between samples.
  const Index elements_in = take(outermost ? free : elements);
  PartsPlan plan;
  plan.inside = !outermost && layout::is_power_of_two(parts) ? take(parts) : 1;
  plan.groups = parts / plan.inside;
  plan.distance = samples_in * elements_in;
  plan.sample_blocks = pieces(samples, samples_in);
  plan.element_blocks = pieces(elements, elements_in);
  for (Index step = summed / 2; step >= 1; step /= 2) plan.steps.push_back(outermost ? step : step * samples_in);
  const Digit sample_block{0, plan.sample_blocks, samples_in, ""}, sample{0, samples_in, 1, ""};
  const auto within = [&](Index copies, int part, int element) {
    if (outermost) return digits({sample, {std::max(element, 1), elements_in, 1, ""}});
    return digits({{layout::kReplica, copies, 1, ""},
                   {std::max(part, 0), part < 0 ? 1 : plan.inside, 1, ""},
                   {std::max(element, 0), element < 0 ? 1 : elements_in, 1, ""},
                   sample});
  };
  const auto across = [&](Index groups, int element) {
    return digits({{1, groups, plan.inside, ""}, {element, plan.element_blocks, elements_in, ""}, sample_block});
  };
  plan.operand = Layout(shape, across(plan.groups, 2), within(free, 1, 2), {});
  plan.products = Layout({samples, plan.inside, elements, 1}, across(1, 2), within(free, 1, 2), {});
  plan.summands = Layout({samples, plan.inside, elements_in, plan.element_blocks},
                         digits({sample_block, {3, plan.element_blocks, 1, ""}}), within(free, 1, 2), {});
  plan.result = Layout({samples, elements}, across(1, 1), within(free * plan.inside, -1, 1), {});
  plan.sum = Layout({samples, 1}, digits({sample_block}), within(free * plan.inside * elements_in, -1, -1), {});
  if (outermost) {
    // Sums read the slots of the next sample.
    plan.summands = plan.summands.filled(layout::Fill::unknown);
    plan.sum = plan.sum.filled(layout::Fill::unknown);
  }
  return plan;
}

}  // namespace tacit::graph::passes
