#pragma once

#include <filesystem>

#include "params/cost_table.h"

namespace tacit::session {

/// Returns the prices in a file of `tacit bench cost`, or the default prices if the path is empty. Throws InputError
/// naming the file if it does not exist, is larger than 64 KiB or is no cost table.
params::CostTable read_costs(const std::filesystem::path& file);
/// Writes prices to a file. Throws InputError if the file cannot be written.
void write_costs(const std::filesystem::path& file, const params::CostTable& costs);

}  // namespace tacit::session
