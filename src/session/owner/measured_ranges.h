#pragma once

#include <string>
#include <variant>
#include <vector>

#include "graph/calibration.h"
#include "graph/quant/measurements.h"
#include "session/owner/compilation.h"

namespace tacit::session {

/// What `tacit calibrate` measures on samples, for a file of ranges, with facts for people.
struct MeasuredRanges {
  std::variant<graph::Calibration, graph::quant::Measurements> ranges;
  std::string name{};  ///< of the model file
  std::vector<std::string> warnings{};
  std::string model{};        ///< digest of the imported network, in hexadecimal
  std::size_t samples = 0;    ///< number of samples, without those that were set aside
  std::size_t values = 0;     ///< values of the network that have ranges
  std::size_t functions = 0;  ///< functions with a polynomial, or lookups of the program on integers
  std::string parameters{};   ///< name of the parameter set
};

/// Compiles an imported network for the scheme of the options, and returns what samples showed. Throws InputError as
/// the compilers do, and for Scheme::automatic.
MeasuredRanges measure_ranges(CompileRequest request, base::Progress& progress);

/// Returns the scheme for which ranges were measured. `given` is JSON, or the name of a file. Throws InputError if it
/// states no format of ranges.
Scheme scheme_of_ranges(const std::string& given);

}  // namespace tacit::session
