#include "session/owner/range_excess.h"

#include <fmt/format.h>

#include <utility>

#include "base/private_value.h"

namespace tacit::session {

std::string_view name(IntervalSource source) {
  switch (source) {
    case IntervalSource::calibration: return "calibration";
    case IntervalSource::input_range: return "input range";
    case IntervalSource::parameters: return "parameters";
  }
  return "";
}

void RangeExcesses::add(std::size_t place, const RangeExcess& excess, double distance,
                        std::optional<RangeExcess>& first) {
  if (!first) first = excess;
  const std::lock_guard lock(mutex_);
  Worst& worst = worst_[place];
  const std::int64_t inputs = worst.excess.inputs + 1;
  if (inputs == 1 || distance > worst.distance) worst = {excess, distance};
  worst.excess.inputs = inputs;
}

std::vector<RangeExcess> RangeExcesses::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<RangeExcess> all;
  for (const auto& [place, worst] : worst_) all.push_back(worst.excess);
  return all;
}

std::string miss_text(const RangeExcess& excess) {
  const auto [bound, advice] = [&]() -> std::pair<const char*, const char*> {
    switch (excess.source) {
      case IntervalSource::calibration:
        return {"outside its calibrated interval", "calibrate with samples that cover such inputs"};
      case IntervalSource::input_range:
        return {"outside what the given range of the inputs allows,", "widen --input-range, or give --calibrate"};
      case IntervalSource::parameters: break;
    }
    return {"beyond what the parameters carry there,",
            "calibrate with samples that cover such inputs (--calibrate), or give --input-range"};
  }();
  return fmt::format(
      "input {} drives {} '{}' to {}, {} [{:.4g}, {:.4g}], so that an encrypted answer would be wrong and none is "
      "shown; {}",
      excess.input, excess.op, excess.node, base::private_value(excess.worst, 4), bound, excess.lowest, excess.highest,
      advice);
}

std::string sample_miss_text(const RangeExcess& excess) {
  return fmt::format("{} '{}' leaves [{:.4g}, {:.4g}], which the others keep", excess.op, excess.node, excess.lowest,
                     excess.highest);
}

}  // namespace tacit::session
