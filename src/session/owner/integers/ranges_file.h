#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "graph/quant/measurements.h"

namespace tacit::session {

/// Returns the text of a file of ranges for integers, which `tacit calibrate --scheme tfhe` writes: JSON, with enough
/// digits to restore the numbers exactly. It holds no sample. It holds the smallest number, the largest and the mean of
/// every element of the network's values. With two samples, these are the samples.
std::string ranges_to_json(const graph::quant::Measurements& measured);

/// Reads such text, which anyone may have written. All numbers are finite and at most 1e100 in magnitude, lists are
/// within their bounds, and there are no other fields. `compile` checks whether the ranges fit a model. Throws
/// InputError naming the field.
graph::quant::Measurements integer_ranges_from_json(std::string_view text);

/// Reads a file of ranges. Throws InputError naming the file if it does not exist, is larger than 64 MiB or does not
/// hold ranges for integers.
graph::quant::Measurements read_integer_ranges(const std::filesystem::path& file);

/// Writes a file of ranges. Throws InputError if the file cannot be written. Throws it also if the file could not be
/// read again because the network is too wide.
void write_ranges(const std::filesystem::path& file, const graph::quant::Measurements& measured);

}  // namespace tacit::session
