#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/warnings.h"
#include "base/byte_size.h"
#include "session/output_files.h"
#include "session/owner/compilation.h"
#include "session/owner/ranges_file.h"
#include "session/owner/read_model.h"
#include "session/sentence.h"

namespace tacit::app::commands {
namespace {

struct CalibrateOptions {
  std::filesystem::path model, output;
  session::Preprocessing preprocessing;
  session::SampleRows samples;
  CompileOptions choices = allowing_insecure();
  ComputeOptions compute;
  PrivacyOptions privacy;
};

int calibrate(const CalibrateOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  std::vector<std::filesystem::path> read = options.samples.files;
  read.push_back(options.model);
  session::check_output_files({options.output}, read);
  ProgressBar bar;
  require_slots(options.choices, "calibrate");
  const session::Compilation compilation = session::compile_network(
      {.model = options.model,
       .graph = session::read_model({options.model}, options.choices, options.samples.files, options.preprocessing),
       .options = options.choices,
       .preprocessing = options.preprocessing,
       .memory = options.compute.planning_budget(),
       .rows = options.samples,
       .keep_calibration = true},
      bar);
  warn_of(compilation.warnings);
  const graph::Calibration& calibration = compilation.model.calibration.value();
  session::write_ranges(options.output, calibration);
  const std::uintmax_t bytes = std::filesystem::file_size(options.output);
  print_report(
      options.compute.json,
      {{"file", options.output.string()},
       {"bytes", bytes},
       {"model", base::hexadecimal(calibration.model)},
       {"samples", calibration.samples},
       {"values", calibration.values.size()},
       {"functions", compilation.model.approximations.size()},
       {"parameters", compilation.model.parameters.name}},
      fmt::format("{} ({}): model '{}' on {}, {}, {} fitted\n", session::printable(options.output.string()),
                  base::byte_size_text(static_cast<double>(bytes)), compilation.name,
                  session::counted(calibration.samples, "sample"), session::counted(calibration.values.size(), "value"),
                  session::counted(compilation.model.approximations.size(), "function")));
  return kSuccess;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "calibrate", "Measure on samples what compile needs, so that they need not travel", calibrate,
      "compile, plan, run and validate take the file by --ranges, with the same other options, and compile what they\n"
      "would with the samples. It holds no sample, but the smallest and the largest value of every feature of an "
      "input\n"
      "(of every channel of an image, and of values behind): of few samples that says much of each.\n\n"
      "Example:\n  tacit calibrate lenet.onnx --input train.npy -o ranges.json --scale 255 --mean 0.1307 --std 0.3081 "
      "--pad 2\n");
  command.add_option("model", options.model, "The network, an ONNX file")->required();
  command
      .add_option("--input", options.samples.files,
                  "Samples: a .npy file with a leading batch dimension (repeated, if the model has several inputs)")
      ->required()
      ->allow_extra_args(false);
  command.add_option("--first", options.samples.first, "Row of the first sample")->default_str("0");
  command
      .add_option("--count", options.samples.count,
                  "At most so many samples; without it and --first, evenly from the whole file")
      ->default_str("1000");
  add_option_to(command, session::compile_option("calibrate-trim"), options.choices);
  command.add_option("-o,--output", options.output, "File for the ranges (JSON)")->required();
  add_preprocessing_to(command, options.preprocessing);
  add_measured_options_to(command, options.choices);
  options.compute.add_to(command);
  options.privacy.add_to(command);
}

}  // namespace tacit::app::commands
