#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "merkle/digest.h"
#include "merkle/tree_shape.h"
#include "merkle/variant.h"

namespace tacit::merkle {

/// Measurements of a run, in addition to the nodes.
struct RunRecord {
  std::vector<double> seconds;                   ///< seconds of each dispatch, as the device measures them
  std::vector<std::uint32_t>* writes = nullptr;  ///< if given, one counter per slot: how often it was written
};

/// Runs the dispatches of a tree. The same plan gives the same nodes on all devices. Not thread safe.
class Device {
 public:
  virtual ~Device() = default;
  /// Returns "cpu", "opencl" or "sycl".
  virtual std::string kind() const = 0;
  virtual std::string name() const = 0;
  /// Returns the largest work-group that a dispatch may ask for.
  virtual std::uint64_t largest_group() const = 0;
  /// Writes the nodes that `plan` computes, and no other slot. `plan` is a plan of plan_dispatches or its beginning.
  /// `leaves` and `nodes` have the sizes of `shape`; leaves must be canonical. Throws InputError if the device has too
  /// little memory, and InternalError if it fails.
  virtual void run(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                   std::span<Digest> nodes, std::span<const Dispatch> plan, RunRecord* record = nullptr) = 0;
};

/// Returns the processor as a device, which is always present. It uses oneTBB over blocks of nodes, and kernels
/// vectorised across nodes.
std::unique_ptr<Device> cpu_device();
/// Every device present: the processor, then OpenCL and SYCL devices if this build has them.
struct FoundDevices {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::string> left_out;  ///< one sentence per device that cannot be opened
};
FoundDevices all_devices();

}  // namespace tacit::merkle
