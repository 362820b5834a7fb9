#pragma once

#include <filesystem>
#include <optional>

namespace tacit::conformance {

/// $TACIT_DATA: models, images and conformance cases that are not part of the project. Nothing where it is unset.
std::optional<std::filesystem::path> data_folder();

}  // namespace tacit::conformance
