#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "params/cost_table.h"
#include "session/owner/compilation.h"
#include "session/owner/kernel_speeds.h"

namespace tacit::session {

/// Returns the prices for times that people see. They are the default table's, scaled by the speeds of this machine's
/// kernels. They are for the allowed threads, at most one per processor of the machine. The speeds are measured in half
/// a second and kept in the user's cache folder ($XDG_CACHE_HOME/tacit, or $HOME/.cache/tacit). If a memory budget
/// leaves no room to measure, returns the default prices. A compilation never uses them: a model is compiled to the
/// same bits everywhere.
params::CostTable machine_costs();
/// Returns the prices for the shown times of a compilation: those of --costs if the user named a file, and this
/// machine's otherwise.
params::CostTable shown_costs(const Compilation& compilation, const CompileOptions& options);

/// Returns the prices in the file of this machine in `folder`. If there is no readable file, returns the result of
/// `measure`, and keeps it if the folder can be written. An empty path means no folder. `machine` names everything that
/// the prices depend on.
params::CostTable kept_costs(const std::filesystem::path& folder, std::string_view machine,
                             const std::function<params::CostTable()>& measure);

/// Returns the default prices for a machine with these kernel speeds on `threads` threads, and a largest cache of
/// `cache_mib` MiB (0: unknown). Waiting times between threads are added.
params::CostTable costs_by(const KernelSpeeds& speeds, int threads, double cache_mib);

/// The result of measure_kernels(1) on the machine of the default prices.
KernelSpeeds default_speeds();

}  // namespace tacit::session
