#include "app/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/memory_budget.h"
#include "app/warnings.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/parse_number.h"
#include "base/private_value.h"
#include "base/secret_memory.h"
#include "graph/pipeline.h"
#include "graph/quant/compile.h"
#include "session/owner/compiled_network.h"

namespace tacit::app {
namespace {

/// An option for one of a few words, of which the first holds without it.
template <class Word, class Value>
void add_choice(CLI::App& command, const std::string& name, Value& value, const CLI::TransformPairs<Word>& words,
                const std::string& description) {
  CLI::Option* const option = command.add_option(name, value, description);
  option->transform(CLI::CheckedTransformer(words))->default_str(words.front().first);
}

}  // namespace

void add_threads_to(CLI::App& command, int& threads, const std::string& description) {
  add_bounded(command, "--threads", threads, description + "; 0 uses every processor", 0, 4096);
}

void ComputeOptions::add_to(CLI::App& command) {
  add_threads_to(command, threads, "Threads to use");
  command.add_option("--memory", memory,
                     "Hard memory budget, like 16GiB or 500MB; met, or refused before work. Without it what the "
                     "machine has free; what is compiled or planned goes by all that it has");
  command.add_flag("--json", json, "Print JSON on standard output instead of text");
}

base::MemoryBudget ComputeOptions::memory_budget() const {
  return memory.empty() ? base::MemoryBudget::of_free_memory() : base::MemoryBudget::of(base::parse_byte_size(memory));
}

base::MemoryBudget ComputeOptions::planning_budget() const {
  return memory.empty() ? base::MemoryBudget::of_machine() : memory_budget();
}

void ComputeOptions::apply() const {
  base::set_thread_limit(threads);
  if (!memory.empty()) enforce_memory_budget(base::parse_byte_size(memory));
}

void PrivacyOptions::add_to(CLI::App& command) {
  command.add_flag("--verbose", verbose, "State private values where an input or a result is refused");
}

void PrivacyOptions::apply() const {
  base::forbid_core_dumps();
  base::show_private_values(verbose);
}

void add_preprocessing_to(CLI::App& command, session::Preprocessing& preprocessing) {
  auto* const group = command.add_option_group("Preprocessing", "((x / scale) - mean) / std, then zero padding");
  group->add_option("--scale", preprocessing.scale, "Divides every value")->capture_default_str();
  group->add_option("--mean", preprocessing.mean, "Subtracted: one number, or one a channel (a,b,c)")
      ->delimiter(',')
      ->allow_extra_args(false);
  group->add_option("--std", preprocessing.std, "Divides after --mean: one number, or one a channel")
      ->delimiter(',')
      ->allow_extra_args(false);
  group->add_option("--pad", preprocessing.pad, "Zeros on each side of height and width, after normalisation")
      ->capture_default_str();
}

void add_costs_to(CLI::App& command, std::filesystem::path& costs) {
  command.add_option(
      "--costs", costs,
      "Prices of the machine that computes (JSON, from 'tacit bench cost --output FILE'); without it choices go by "
      "those of docs/bench.md's machine, and plans show times by a measurement of this one");
}

void InputOptions::add_to(CLI::App& command) {
  command
      .add_option("--input", files,
                  "Inputs: a .npy file with a leading batch dimension (repeated, if the model has several inputs)")
      ->required()
      ->allow_extra_args(false);
  command.add_option("--first", first, "Row of the first input")->capture_default_str();
  command.add_option("--count", count, "How many inputs; all that follow when absent");
}

std::pair<std::int64_t, std::int64_t> InputOptions::rows(std::int64_t size) const {
  const std::string name = files.empty() ? "the input" : files.front().string();
  if (first < 0 || first >= size) base::refuse("--first {} lies outside {}, which holds {} inputs", first, name, size);
  const std::int64_t wanted = count.value_or(size - first);
  if (wanted < 1 || wanted > size - first)
    base::refuse("--count {} does not fit: {} inputs are left in {} from row {}", wanted, size - first, name, first);
  return {first, first + wanted};
}

void ResultOptions::add_to(CLI::App& command, const std::string& description, bool required) {
  command.add_option("-o,--output", output, description)->required(required);
  using session::ResultFormat;
  add_choice<ResultFormat>(
      command, "--output-format", format,
      {{"npy", ResultFormat::npy}, {"json", ResultFormat::json}, {"csv", ResultFormat::csv}},
      "npy: a .npy file an output; json, csv: one file with the names of outputs and classes; csv puts "
      "an apostrophe before texts that spreadsheets would run as formulas");
}

void InsecureOption::add_to(CLI::App& command) {
  command.add_flag("--insecure", permitted, "Work under insecure parameters, which are for tests only");
}

void InsecureOption::require_permitted(const params::ParameterIdentity& parameters) const {
  if (parameters.security_bits > 0) return;
  if (!permitted)
    base::refuse(
        "the model asks for INSECURE parameters ({}), for tests only: whoever sees the ciphertexts can read them; take "
        "a model with secure ones, or give --insecure for a test",
        parameters.size);
  warn_if_insecure(parameters);
}

void SharingOptions::add_to(CLI::App& command, const std::string& description) {
  CLI::Option* const share = command.add_option("--share", bits, description);
  command
      .add_option("--share-statistical-bits", promise.statistical_bits,
                  "s: results of n numbers diverge from noiseless ones by at most n / (24 * 2^s) (Kullback, Leibler)")
      ->capture_default_str()
      ->needs(share);
  command.add_option("--share-decryptions", promise.decryptions, "Results under one key that are ever shared")
      ->capture_default_str()
      ->needs(share);
}

std::optional<params::Sharing> SharingOptions::sharing() const {
  if (!bits) return std::nullopt;
  params::Sharing sharing = promise;
  sharing.bits = *bits;
  params::check(sharing);
  return sharing;
}

namespace {

/// A number of inputs; none for "auto".
std::optional<std::int64_t> batch_from(const std::string& text) {
  if (text == "auto") return std::nullopt;
  const auto batch = base::parse_number<std::int64_t>(text);
  if (!batch) throw CLI::ValidationError("--batch", text + " is neither a number of inputs nor auto");
  return batch;
}

/// The passes that "no-NAME" words leave out; their names are checked by the compiler.
std::set<std::string> skipped_from(const std::vector<std::string>& words) {
  constexpr std::string_view kNo = "no-";
  std::set<std::string> skipped;
  for (const std::string& word : words) {
    if (!word.starts_with(kNo))
      throw CLI::ValidationError("--passes", fmt::format("'{}': all passes run; no-NAME leaves one out", word));
    skipped.insert(word.substr(kNo.size()));
  }
  return skipped;
}

std::string passes_help() {
  std::string help = "Passes of the compiler to leave out, to see what they gain (no-NAME,...):";
  for (const graph::Pass& pass : graph::all_passes()) {
    if (!pass.is_optional()) continue;
    const char* const only = !pass.is_for(graph::Target::integers) ? " (ckks)"
                             : !pass.is_for(graph::Target::slots)  ? " (tfhe)"
                                                                   : "";
    help += fmt::format("\n  no-{}{}: {}", pass.name, only, pass.what);
  }
  return help;
}

/// None for "auto".
graph::CalibrationTrim trim_from(const std::string& text) {
  if (text == "auto") return std::nullopt;
  if (text == "off") return 0.0;
  const auto trim = base::parse_number<double>(text);
  if (!trim || !(*trim >= 0) || !(*trim < 1e9) || (*trim >= 1 && *trim != std::floor(*trim)))
    throw CLI::ValidationError("--calibrate-trim",
                               text + " is neither a number of rows, a share below 1, off, nor auto");
  return trim;
}

/// Options of networks on integers.
void add_integer_choices_to(CLI::App& group, session::CompileChoices& choices) {
  group
      .add_option("--bits", choices.bits,
                  "With --scheme tfhe: bits of a table's argument, of weights, and of the features of trees. With "
                  "--scheme ckks: bits of the features of trees, 4 when absent")
      ->check(CLI::Range(graph::quant::kFewestBits, graph::quant::kMostBits))
      ->default_str(std::to_string(graph::quant::CompileOptions{}.bits));
  add_choice<double>(group, "--failure", choices.log2_failure, {{"2^-128", -128.0}, {"2^-64", -64.0}, {"2^-40", -40.0}},
                     "With --scheme tfhe: largest probability that one lookup goes wrong: 2^-128, 2^-64 or 2^-40");
  using graph::quant::Rounding;
  add_choice<Rounding>(group, "--rounding", choices.rounding,
                       {{"approximate", Rounding::approximate}, {"exact", Rounding::exact}},
                       "With --scheme tfhe: how sums get to the boxes of a table. approximate: by the table, and noise "
                       "may move them to the next; exact: bit by bit, so that results equal those of --simulate, or by "
                       "tables of more bits where that takes less time");
}

/// Options that change how the compiler goes about a network, which ranges are not measured for.
void add_steering_to(CLI::App& group, session::CompileChoices& choices) {
  group
      .add_option_function<std::vector<std::string>>(
          "--passes",
          [&choices](const std::vector<std::string>& words) { choices.passes.skipped = skipped_from(words); },
          passes_help())
      ->delimiter(',')
      ->allow_extra_args(false);
  group
      .add_option("--shard", choices.shardings,
                  "The mesh of a node, NODE=AXIS:BLOCKS,... (repeated for several), as in conv1=x:4,y:2: x blocks of "
                  "output channels, y of input channels, z of rows, or AXIS:BLOCKS@DIMENSION; or a file of them, JSON "
                  "or what 'plan --explain sharding' prints")
      ->allow_extra_args(false);
}

/// The commands that take choices beside samples.
enum class Takes { all, those_of_ranges };

/// What is chosen beside samples.
void add_decisions_to(CLI::App& command, CLI::App& group, session::CompileChoices& choices, Takes takes) {
  group
      .add_option("--input-range", choices.input_range,
                  "Lowest and highest value of the preprocessed input, if public (a,b)")
      ->delimiter(',')
      ->expected(2)
      ->allow_extra_args(false);
  using session::Scheme;
  add_choice<Scheme>(
      group, "--scheme", choices.scheme, {{"ckks", Scheme::ckks}, {"tfhe", Scheme::tfhe}, {"auto", Scheme::automatic}},
      takes == Takes::all ? "ckks: real numbers, functions by polynomials; tfhe: integers, functions by tables, trees; "
                            "auto: what is planned to take less time"
                          : "ckks alone: the commands on integers measure samples themselves (--calibrate)");
  if (takes == Takes::all) add_integer_choices_to(group, choices);
  group.add_option("--parameters", choices.parameters, "A parameter set by name, or a JSON file; chosen when absent");
  group
      .add_option("--max-degree", choices.max_degree,
                  "Highest degree of a polynomial that replaces a function; without it 59, and more where "
                  "probabilities or numbers would be off by a 1000th of their range")
      ->check(CLI::Range(1, 1023));
  group
      .add_option("--max-polynomial-error", choices.max_polynomial_error,
                  "Largest error of such a polynomial, as a share of the function's largest value on its interval")
      ->check(CLI::Range(0.0, 1.0))
      ->default_str("0.1");
  group
      .add_option_function<std::string>(
          "--batch", [&choices](const std::string& text) { choices.batch = batch_from(text); },
          "Inputs that one run takes side by side, or auto: as many as make an input cheapest within the memory")
      ->default_str("1");
  if (takes == Takes::all) add_steering_to(group, choices);
  const auto share = std::make_shared<SharingOptions>();
  share->add_to(group,
                "Choose parameters that leave so many bits behind the binary point of results that others see (for "
                "decrypt --share); needs --calibrate or --ranges");
  command.parse_complete_callback([share, &choices] { choices.sharing = share->sharing(); });
  add_costs_to(group, choices.costs);
  add_choice<bool>(
      group, "--client-pre", choices.client_before, {{"on", true}, {"off", false}},
      "on: the client may run operators on its inputs in the clear, before anything is encrypted; off: none");
  group
      .add_option("--keep-private", choices.keep_private,
                  "A node (by name, repeated for several) that the client may not run, because it holds what the "
                  "model's owner keeps")
      ->allow_extra_args(false);
}

/// A share as "0.05" or "5%".
double share_from(const std::string& text) {
  const bool percent = text.ends_with('%');
  const auto number = base::parse_number<double>(percent ? text.substr(0, text.size() - 1) : text);
  const double share = number ? *number / (percent ? 100 : 1) : -1;
  if (!(share >= 0 && share <= 1))
    throw CLI::ValidationError("--max-error", text + " is no share from 0 to 1, as in 0.05 or 5%");
  return share;
}

}  // namespace

void add_trim_to(CLI::App& command, session::CompileChoices& choices) {
  command
      .add_option_function<std::string>(
          "--calibrate-trim", [&choices](const std::string& text) { choices.calibration_trim = trim_from(text); },
          "Rows that lie far from all others, and calibrate nothing: at most so many (10), a share of all (0.01), "
          "off, or auto: 1 or 2, or 1 % of many. A warning names them")
      ->default_str("auto");
}

void NetworkOptions::add_to(CLI::App& command) {
  add_preprocessing_to(command, preprocessing);
  auto* const group = command.add_option_group("Compilation");
  group
      ->add_option("--calibrate", choices.calibration,
                   "Samples (.npy, same preprocessing) to measure the ranges of functions on; never the private input")
      ->allow_extra_args(false);
  CLI::Option* const first =
      group->add_option("--calibrate-first", choices.calibration_first, "Row of the first sample");
  CLI::Option* const count =
      group->add_option("--calibrate-count", choices.calibration_count,
                        "At most so many samples; without it and --calibrate-first, evenly from the whole file");
  add_trim_to(*group, choices);
  group
      ->add_option("--ranges", choices.ranges,
                   "In place of samples: what 'tacit calibrate' measured on some, for this model and these options")
      ->excludes(first->default_str("0"))
      ->excludes(count->default_str("1000"));
  add_decisions_to(command, *group, choices, Takes::all);
  form.add_to(command);
  group->add_option_function<std::string>(
      "--max-error", [this](const std::string& text) { choices.max_error = share_from(text); },
      "Largest expected error of any output, as a share of its range (0.05 or 5%): above it the network is refused "
      "before any key exists. Errors are stated from the calibration samples");
  compute.add_to(command);
}

graph::Graph NetworkOptions::read(const std::vector<std::filesystem::path>& rows) const {
  return form.read(model, rows.empty() ? choices.calibration : rows, preprocessing);
}

session::CompileRequest NetworkOptions::request(graph::Graph graph) const {
  return {model, std::move(graph), choices, preprocessing, compute.planning_budget()};
}

std::unique_ptr<session::CompiledNetwork> NetworkOptions::compile(base::Progress& progress) const {
  return session::make_compiled_network(request(read()), progress);
}

void require_slots(const session::CompileChoices& choices, const std::string& what) {
  if (choices.scheme != session::Scheme::ckks)
    throw base::InputError(
        what + " works on real numbers alone (--scheme ckks); give --calibrate to the commands on integers");
}

void add_calibration_choices_to(CLI::App& command, session::CompileChoices& choices) {
  add_decisions_to(command, *command.add_option_group("Compilation", "Give the same to compile, plan, run"), choices,
                   Takes::those_of_ranges);
}

}  // namespace tacit::app
