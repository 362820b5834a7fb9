#pragma once

#include <cstdint>
#include <vector>

#include "merkle/device.h"

/// Devices that a build may lack, and what they share.
namespace tacit::merkle {

/// The constants of a scheme's merge in the order of kernel/rescue_kernel.h.
std::vector<std::uint64_t> kernel_table(const Scheme& scheme);

/// Throws InputError if a group of the plan is larger than the device takes.
void require_groups(const Device& device, std::span<const Dispatch> plan);

/// Every OpenCL device of every platform; those that cannot be opened, or cannot compile the kernel, are left out.
FoundDevices opencl_devices();
FoundDevices sycl_devices();

}  // namespace tacit::merkle
