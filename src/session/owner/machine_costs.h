#pragma once

#include <filesystem>
#include <functional>
#include <string_view>

#include "params/cost_table.h"
#include "session/owner/compilation.h"
#include "session/owner/compile_choices.h"
#include "session/owner/kernel_speeds.h"

namespace tacit::session {

/// Prices by which times are shown to people, for as many threads as may work and as the machine has processors: the
/// default table's, as much higher or lower as this machine's kernels are slower or faster than those of the table's
/// machine. They are measured in half a second and kept in the user's cache folder ($XDG_CACHE_HOME/tacit, or
/// $HOME/.cache/tacit) for the next time. The default prices where a memory budget leaves no room to measure in. What
/// is compiled never goes by them: a model is compiled to the same bits everywhere.
params::CostTable machine_costs();
/// By which the times of a compilation are shown: its own prices where the user named a file of them (--costs), this
/// machine's otherwise.
params::CostTable shown_costs(const Compilation& compilation, const CompileChoices& choices);

/// The prices in the file of this machine in `folder`; where it has none that can be read, those that `measure` gives,
/// which are kept if the folder can be written. An empty path stands for no folder. `machine` names all that the
/// prices depend on.
params::CostTable kept_costs(const std::filesystem::path& folder, std::string_view machine,
                             const std::function<params::CostTable()>& measure);

/// The default prices for a machine whose kernels have these speeds on so many threads, and a largest cache of so many
/// MiB (0: unknown). What threads wait for each other is added.
params::CostTable costs_by(const KernelSpeeds& speeds, int threads, double cache_mib);

/// What measure_kernels(1) gives on the machine of the default prices.
KernelSpeeds default_speeds();

}  // namespace tacit::session
