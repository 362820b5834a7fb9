#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graph/calibration.h"

namespace tacit::session {

/// Returns the text of a file of ranges, which `tacit calibrate` writes: JSON, with enough digits to restore the
/// numbers exactly. It holds no sample. It holds the smallest and the largest value of every input of the network's
/// first operators. With a single sample, these values are the sample.
std::string ranges_to_json(const graph::Calibration& calibration);

/// Reads such text, which anyone may have written. All numbers are finite and at most 1e100 in magnitude, intervals are
/// not empty, degrees and lists are within their bounds, and there are no other fields. `compile` checks whether the
/// ranges fit a model. Throws InputError naming the field.
graph::Calibration ranges_from_json(std::string_view text);

/// Reads a file of ranges. Throws InputError naming the file if it does not exist, is larger than 64 MiB or does not
/// hold ranges.
graph::Calibration read_ranges(const std::filesystem::path& file);

/// Writes a file of ranges. Throws InputError if the file cannot be written. Throws it also if the file could not be
/// read again because the network is too wide.
void write_ranges(const std::filesystem::path& file, const graph::Calibration& calibration);

}  // namespace tacit::session
