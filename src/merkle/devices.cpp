#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "merkle/accelerators.h"
#include "merkle/rescue.h"

namespace tacit::merkle {

std::vector<std::uint64_t> kernel_table(const TreeScheme& scheme) {
  const RoundConstants& constants = round_constants(scheme.variant);
  std::vector<std::uint64_t> table;
  for (const auto* half : {&constants.first, &constants.second})
    for (const auto& row : *half) table.insert(table.end(), std::begin(row), std::end(row));
  for (const auto& row : constants.matrix) table.insert(table.end(), std::begin(row), std::end(row));
  const auto capacity = merge_capacity(scheme);
  table.insert(table.end(), capacity.begin(), capacity.end());
  return table;
}

void require_groups(const Device& device, std::span<const Dispatch> plan) {
  for (const Dispatch& dispatch : plan)
    if (dispatch.group > device.largest_group())
      base::refuse("work-groups of {} items; {} takes at most {}", dispatch.group, device.name(),
                   device.largest_group());
}

FoundDevices all_devices() {
  FoundDevices all;
  all.devices.push_back(cpu_device());
  const auto take = [&](FoundDevices others) {
    std::ranges::move(others.devices, std::back_inserter(all.devices));
    std::ranges::move(others.left_out, std::back_inserter(all.left_out));
  };
#ifdef TACIT_OPENCL
  take(opencl_devices());
#endif
#ifdef TACIT_SYCL
  take(sycl_devices());
#endif
  return all;
}

}  // namespace tacit::merkle
