#pragma once

#include <filesystem>
#include <vector>

namespace tacit::app {

/// Throws InputError if a command would write one of its files over one that it reads, or two into one: a key or an
/// input would be lost. Links and different spellings of a path are seen through; empty paths stand for
/// options not given.
void refuse_overwriting(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs);

}  // namespace tacit::app
