#include "session/owner/measured_ranges.h"

#include <utility>

#include "base/error.h"
#include "base/json_fields.h"
#include "base/json_text.h"
#include "base/naming.h"
#include "program/integers/program.h"
#include "session/owner/integers/compilation.h"
#include "session/owner/options/content.h"
#include "session/owner/ranges_parts.h"

namespace tacit::session {

MeasuredRanges measure_ranges(CompileRequest request, base::Progress& progress) {
  request.keep_calibration = true;
  switch (request.options.scheme) {
    case Scheme::ckks: {
      Compilation made = compile_network(std::move(request), progress);
      graph::Calibration& ranges = made.model.calibration.value();
      MeasuredRanges result{.ranges = {}, .name = made.name, .warnings = made.warnings};
      result.model = base::hexadecimal(ranges.model);
      result.samples = ranges.samples;
      result.values = ranges.values.size();
      result.functions = made.model.approximations.size();
      result.parameters = made.model.parameters.name;
      result.ranges = std::move(ranges);
      return result;
    }
    case Scheme::tfhe: {
      IntegerCompilation made = compile_integers(std::move(request), progress);
      graph::quant::Measurements& ranges = made.model.measurements.value();
      MeasuredRanges result{.ranges = {}, .name = made.name, .warnings = made.warnings};
      result.model = base::hexadecimal(ranges.model);
      result.samples = ranges.samples;
      result.values = ranges.values.size();
      result.functions = integers::lookups(made.model.program);
      result.parameters = made.model.parameters.name;
      result.ranges = std::move(ranges);
      return result;
    }
    case Scheme::automatic: break;
  }
  throw base::InputError("ranges are measured for one scheme: give --scheme ckks or --scheme tfhe to calibrate");
}

Scheme scheme_of_ranges(const std::string& given) {
  const std::string text = is_json(given) ? given : ranges::text_of_file(given);
  return base::naming(content_name(given), [&] {
    const nlohmann::json json = base::json_from(text, "ranges", ranges::kBounds);
    base::JsonFields fields(ranges::object(json, "the file"), "the file");
    return fields.text("format") == ranges::kOnIntegers ? Scheme::tfhe : Scheme::ckks;
  });
}

}  // namespace tacit::session
