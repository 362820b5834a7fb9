#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

namespace tacit::session {

/// Calibration rows that are taken where nobody asked for a number of them.
constexpr std::int64_t kMostSamples = 1000;

/// The rows of files that calibrate a network.
struct SampleRows {
  std::vector<std::filesystem::path> files{};  ///< public samples, one .npy file per input of the model
  std::optional<std::int64_t> first{};         ///< first row; none: 0
  std::optional<std::int64_t> count{};         ///< most rows; none: kMostSamples, evenly from all if none is private
};

}  // namespace tacit::session
