#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "base/cpu.h"
#include "base/parallel.h"
#include "merkle/device.h"
#include "merkle/level.h"

namespace tacit::merkle {
namespace {

/// Items that one task takes through all levels of a dispatch: whole groups, enough for full vectors at the lower
/// levels, few enough for the second-level cache.
constexpr std::uint64_t kItemsPerTask = 1024;

class CpuDevice final : public Device {
 public:
  std::string kind() const override { return "cpu"; }
  std::string name() const override {
    return fmt::format("{}, {} threads", base::isa_name(base::active_isa()), base::thread_limit());
  }
  std::uint64_t largest_group() const override { return 1 << 16; }

  void run(const TreeScheme& scheme, const TreeShape& shape, std::span<const Digest> leaves, std::span<Digest> nodes,
           std::span<const Dispatch> plan, RunRecord* record) override {
    for (const Dispatch& dispatch : plan) {
      const auto start = std::chrono::steady_clock::now();
      const std::uint64_t step = std::max(kItemsPerTask / dispatch.group * dispatch.group, dispatch.group);
      base::parallel_for(0, (dispatch.items + step - 1) / step, [&](std::size_t task) {
        // Neighbouring groups go up side by side, so that their levels fill the vectors together.
        std::uint64_t begin = task * step, end = std::min(begin + step, dispatch.items);
        for (unsigned level = 0; level < dispatch.levels; ++level) {
          const unsigned height = dispatch.height + level;
          write_level(scheme, shape, leaves, nodes, height, begin, end);
          if (record != nullptr && record->writes != nullptr)
            for (std::uint64_t i = begin; i < end; ++i) ++(*record->writes)[shape.first_slot(height) + i];
          begin /= 2;
          end = (end + 1) / 2;
        }
      });
      if (record != nullptr)
        record->seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
  }
};

}  // namespace

std::unique_ptr<Device> cpu_device() { return std::make_unique<CpuDevice>(); }

}  // namespace tacit::merkle
