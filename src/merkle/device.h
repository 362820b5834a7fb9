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

/// What a run may report besides the nodes.
struct RunRecord {
  std::vector<double> seconds;                   ///< of each dispatch, as the device measures it
  std::vector<std::uint32_t>* writes = nullptr;  ///< if given, one counter a slot: how often it was written
};

/// Something that runs the dispatches of a tree: the same plan gives the same nodes on all. Not thread safe.
class Device {
 public:
  virtual ~Device() = default;
  /// "cpu", "opencl", "sycl".
  virtual std::string kind() const = 0;
  virtual std::string name() const = 0;
  /// The largest work-group that a dispatch may ask for.
  virtual std::uint64_t largest_group() const = 0;
  /// Writes the nodes that `plan` computes, a plan of plan_dispatches or its beginning, and no other slot. `leaves` and
  /// `nodes` have the sizes that `shape` says; leaves must be canonical. Throws InputError if the device has too little
  /// memory, InternalError if it fails.
  virtual void run(const Scheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                   std::span<Digest> nodes, std::span<const Dispatch> plan, RunRecord* record = nullptr) = 0;
};

/// The parallel processor, always present: oneTBB over blocks of nodes, kernels vectorised across nodes.
std::unique_ptr<Device> cpu_device();
/// Every device present: the processor, then OpenCL and SYCL devices where this build has them.
struct FoundDevices {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::string> left_out;  ///< a sentence for each that cannot be opened
};
FoundDevices all_devices();

}  // namespace tacit::merkle
