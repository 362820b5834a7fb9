#include <algorithm>
#include <bit>
#include <string>
#include <sycl/sycl.hpp>

#include "base/error.h"
#include "merkle/accelerators.h"

namespace tacit::merkle {
namespace {

/// Upper 64 bits of a product from four products of 32 bits: not every SYCL implementation has sycl::mul_hi.
inline std::uint64_t mul_high(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
  const std::uint64_t first = ah * bl + (al * bl >> 32), second = al * bh + (first & 0xffffffffu);
  return ah * bh + (first >> 32) + (second >> 32);
}

#define WORD std::uint64_t
#define DEVICE inline
#define TABLE
#include "merkle/kernel/rescue_kernel.h"

/// What one dispatch needs, copied into the kernel.
struct Launch {
  const std::uint64_t *leaves, *table;
  std::uint64_t* nodes;
  std::uint32_t* writes;
  bool count_writes, circulant, from_leaves;
  unsigned levels;
  std::uint64_t first_slot, items, children;

  void put(std::uint64_t slot, const std::uint64_t* words) const {
    for (int w = 0; w < 4; ++w) nodes[4 * slot + static_cast<std::uint64_t>(w)] = words[w];
    if (count_writes)
      sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device>(writes[slot])
          .fetch_add(std::uint32_t{1});
  }
  /// One work-item: the same steps as opencl/build_levels.cl.
  template <class Local>
  void operator()(const sycl::nd_item<1>& at, const Local& local) const {
    const std::uint64_t size = at.get_local_range(0), item = at.get_local_id(0), base = at.get_group(0) * size,
                        p = base + item;
    std::uint64_t words[8];
    std::uint64_t count = base < items ? (items - base < size ? items - base : size) : 0;
    const auto keep = [&](std::uint64_t node) {
      for (std::uint64_t w = 0; w < 4; ++w) local[4 * node + w] = words[w];
    };
    if (item < count) {
      const std::uint64_t* from = (from_leaves ? leaves : nodes + 8 * first_slot) + 8 * p;
      const bool both = 2 * p + 1 < children;
      for (int w = 0; w < (both ? 8 : 4); ++w) words[w] = from[w];
      if (both) merge_words(words, table, circulant);
      put(first_slot + p, words);
      if (levels > 1) keep(item);
    }
    std::uint64_t read_at = 0, write_at = size;
    for (unsigned level = 1; level < levels; ++level) {
      sycl::group_barrier(at.get_group());
      const std::uint64_t parents = (count + 1) / 2;
      if (item < parents) {
        const bool both = 2 * item + 1 < count;
        for (std::uint64_t w = 0; w < (both ? 8u : 4u); ++w) words[w] = local[4 * (read_at + 2 * item) + w];
        if (both) merge_words(words, table, circulant);
        put((first_slot >> level) + (base >> level) + item, words);
        keep(write_at + item);
      }
      count = parents;
      const std::uint64_t swapped = read_at;
      read_at = write_at;
      write_at = swapped;
    }
  }
};

/// Device memory that is freed with its owner.
template <class T>
class Memory {
 public:
  Memory(std::size_t count, sycl::queue& queue)
      : queue_(queue), at_(sycl::malloc_device<T>(std::max<std::size_t>(count, 1), queue)) {
    if (at_ == nullptr)
      throw base::InputError("the SYCL device has too little memory for this tree; use the processor");
  }
  ~Memory() { sycl::free(at_, queue_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  T* get() const { return at_; }

 private:
  sycl::queue& queue_;
  T* at_;
};

class SyclDevice final : public Device {
 public:
  explicit SyclDevice(const sycl::device& device)
      : queue_(device,
               sycl::property_list{sycl::property::queue::in_order{}, sycl::property::queue::enable_profiling{}}),
        name_(device.get_info<sycl::info::device::name>()) {
    const std::uint64_t local = device.get_info<sycl::info::device::local_mem_size>() / kLocalBytes;
    const std::uint64_t items = device.get_info<sycl::info::device::max_work_group_size>();
    largest_ = std::bit_floor(std::clamp<std::uint64_t>(std::min(local, items), 1, 1 << 16));
  }
  std::string kind() const override { return "sycl"; }
  std::string name() const override { return name_; }
  std::uint64_t largest_group() const override { return largest_; }

  void run(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves, std::span<Digest> nodes,
           std::span<const Dispatch> plan, RunRecord* record) override {
    require_groups(*this, plan);
    try {
      run_plan(scheme, shape, leaves, nodes, plan, record);
    } catch (const sycl::exception& error) {
      throw base::InternalError(std::string("SYCL: ") + error.what());
    }
  }

 private:
  static constexpr std::uint64_t kLocalBytes = sizeof(Digest) * 3 / 2;

  void run_plan(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves,
                std::span<Digest> nodes, std::span<const Dispatch> plan, RunRecord* record) {
    const std::vector<std::uint64_t> constants = kernel_table(scheme);
    const bool count = record != nullptr && record->writes != nullptr;
    const Memory<std::uint64_t> leaf_memory(4 * leaves.size(), queue_), node_memory(4 * nodes.size(), queue_),
        table(constants.size(), queue_);
    const Memory<std::uint32_t> writes(count ? nodes.size() : 1, queue_);
    queue_.memcpy(leaf_memory.get(), leaves.data(), leaves.size_bytes());
    queue_.memcpy(table.get(), constants.data(), constants.size() * sizeof constants[0]);
    if (count) queue_.memset(writes.get(), 0, nodes.size() * sizeof(std::uint32_t));
    std::vector<sycl::event> events;
    for (const Dispatch& dispatch : plan) {
      const Launch launch{leaf_memory.get(),
                          table.get(),
                          node_memory.get(),
                          writes.get(),
                          count,
                          scheme.variant == Variant::c,
                          dispatch.height == 1,
                          dispatch.levels,
                          shape.first_slot(dispatch.height),
                          dispatch.items,
                          shape.nodes_at(dispatch.height - 1)};
      const std::size_t group = dispatch.group, all = (dispatch.items + group - 1) / group * group;
      events.push_back(queue_.submit([&](sycl::handler& handler) {
        const sycl::local_accessor<std::uint64_t, 1> local(sycl::range<1>(6 * group + 2), handler);
        handler.parallel_for(sycl::nd_range<1>(all, group), [=](sycl::nd_item<1> at) { launch(at, local); });
      }));
    }
    for (const Dispatch& dispatch : plan)
      for (unsigned level = 0; level < dispatch.levels; ++level) {
        const std::uint64_t slot = shape.first_slot(dispatch.height + level);
        queue_.memcpy(&nodes[slot], node_memory.get() + 4 * slot,
                      shape.nodes_at(dispatch.height + level) * sizeof(Digest));
      }
    if (count) queue_.memcpy(record->writes->data(), writes.get(), nodes.size() * sizeof(std::uint32_t));
    queue_.wait_and_throw();
    if (record == nullptr) return;
    for (const sycl::event& event : events)
      record->seconds.push_back(
          1e-9 * static_cast<double>(event.get_profiling_info<sycl::info::event_profiling::command_end>() -
                                     event.get_profiling_info<sycl::info::event_profiling::command_start>()));
  }

  sycl::queue queue_;
  std::string name_;
  std::uint64_t largest_ = 1;
};

}  // namespace

FoundDevices sycl_devices() {
  FoundDevices all;
  try {
    for (const sycl::device& device : sycl::device::get_devices())
      all.devices.push_back(std::make_unique<SyclDevice>(device));
  } catch (const sycl::exception& error) {  // no usable implementation at run time: the others still serve
    all.left_out.push_back(std::string("SYCL devices are left out: ") + error.what());
  }
  return all;
}

}  // namespace tacit::merkle
