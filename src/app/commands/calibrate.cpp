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
#include "session/owner/integers/ranges_file.h"
#include "session/owner/measured_ranges.h"
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
  const session::MeasuredRanges measured = session::measure_ranges(
      {.model = options.model,
       .graph = session::read_model({options.model}, options.choices, options.samples.files, options.preprocessing),
       .options = options.choices,
       .preprocessing = options.preprocessing,
       .memory = options.compute.planning_budget(),
       .rows = options.samples},
      bar);
  warn_of(measured.warnings);
  std::visit([&](const auto& ranges) { session::write_ranges(options.output, ranges); }, measured.ranges);
  const bool on_slots = options.choices.scheme == Scheme::ckks;
  const std::uintmax_t bytes = std::filesystem::file_size(options.output);
  print_report(options.compute.json,
               {{"file", options.output.string()},
                {"bytes", bytes},
                {"model", measured.model},
                {"samples", measured.samples},
                {"values", measured.values},
                {on_slots ? "functions" : "lookups", measured.functions},
                {"parameters", measured.parameters}},
               fmt::format("{} ({}): model '{}' on {}, {}, {}\n", session::printable(options.output.string()),
                           base::byte_size_text(static_cast<double>(bytes)), measured.name,
                           session::counted(measured.samples, "sample"), session::counted(measured.values, "value"),
                           on_slots ? session::counted(measured.functions, "function") + " fitted"
                                    : session::counted(measured.functions, "lookup")));
  return kSuccess;
}

}  // namespace

void add_calibrate(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "calibrate", "Measure on samples what compile needs, so that they need not travel", calibrate,
      "compile, plan, run and validate take the file by --ranges, with the same other options, and compile what they\n"
      "would with the samples. It holds no sample, but the smallest and the largest value of every feature of an "
      "input\n"
      "(of every channel of an image, and of values behind): of few samples that says much of each. With --scheme tfhe "
      "it\n"
      "holds these and the mean for every element.\n\n"
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
