#pragma once

#include <cstdint>
#include <vector>

#include "merkle/device.h"

/// Devices that a build may lack, and their common parts.
namespace tacit::merkle {

/// Returns the constants of a scheme's merge in the order of kernel/rescue_kernel.h.
std::vector<std::uint64_t> kernel_table(const TreeScheme& scheme);

/// Throws InputError if a group of the plan is larger than the device takes.
void require_groups(const Device& device, std::span<const Dispatch> plan);

/// Return every OpenCL or SYCL device of every platform. Devices that cannot be opened, or cannot compile the kernel,
/// are left out.
FoundDevices opencl_devices();
FoundDevices sycl_devices();

}  // namespace tacit::merkle
