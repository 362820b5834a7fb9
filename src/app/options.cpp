#include "app/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "app/memory_budget.h"
#include "app/output.h"
#include "app/warnings.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/private_value.h"
#include "base/secret_memory.h"
#include "session/owner/compiled_network.h"
#include "session/owner/read_model.h"

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

CLI::Option* add_option_to(CLI::App& group, const session::CompileOption& option, CompileOptions& choices) {
  const auto add = [&](std::string_view name, std::string help) {
    const auto set = [&option, &choices](const std::vector<std::string>& words) {
      try {
        session::set(option, choices, words);
      } catch (const base::InputError& error) {
        throw CLI::ValidationError(error.what());
      }
    };
    CLI::Option* const added =
        group.add_option_function<std::vector<std::string>>(fmt::format("--{}", name), set, help);
    added->type_name(std::string(option.form))->allow_extra_args(false);
    if (!option.repeats) added->expected(option.numbers)->multi_option_policy(CLI::MultiOptionPolicy::Throw);
    if (option.numbers > 1) added->delimiter(',');
    if (!option.absent.empty()) added->default_str(std::string(option.absent));
    if (!option.needs.empty()) added->needs(group.get_option(fmt::format("--{}", option.needs)));
    return added;
  };
  CLI::Option* const added = add(option.name, option.help);
  if (!option.former.empty()) {
    CLI::Option* const former = add(option.former, "");
    former->group("")->excludes(added);  // hidden
    former->each([&option](const std::string&) {
      print_sentence(
          fmt::format("warning: --{} is --{} now; the old name works until version 0.3", option.former, option.name));
    });
  }
  return added;
}

void NetworkOptions::add_to(CLI::App& command) {
  add_preprocessing_to(command, preprocessing);
  auto* const group = command.add_option_group("Compilation");
  group
      ->add_option("--calibrate", samples.files,
                   "Samples (.npy, same preprocessing) to measure the ranges of functions on; never the private input")
      ->allow_extra_args(false);
  CLI::Option* const first = group->add_option("--calibrate-first", samples.first, "Row of the first sample");
  CLI::Option* const count =
      group->add_option("--calibrate-count", samples.count,
                        "At most so many samples; without it and --calibrate-first, evenly from the whole file");
  CLI::App* const form = command.add_option_group("Model", "How the ONNX file is read");
  for (const session::CompileOption& option : session::compile_options())
    add_option_to(option.group == session::OptionGroup::model ? *form : *group, option, choices);
  group->get_option("--ranges")->excludes(first->default_str("0"))->excludes(count->default_str("1000"));
  compute.add_to(command);
}

graph::Graph NetworkOptions::read(const std::vector<std::filesystem::path>& rows) const {
  return session::read_model({model}, choices, rows.empty() ? samples.files : rows, preprocessing);
}

session::CompileRequest NetworkOptions::request(graph::Graph graph) const {
  return {.model = model,
          .graph = std::move(graph),
          .options = choices,
          .preprocessing = preprocessing,
          .memory = compute.planning_budget(),
          .rows = samples};
}

std::unique_ptr<session::CompiledNetwork> NetworkOptions::compile(base::Progress& progress) const {
  return session::make_compiled_network(request(read()), progress);
}

void require_slots(const CompileOptions& choices, const std::string& what) {
  if (choices.scheme != Scheme::ckks)
    throw base::InputError(
        what + " works on real numbers alone (--scheme ckks); give --calibrate to the commands on integers");
}

void add_measured_options_to(CLI::App& command, CompileOptions& choices) {
  CLI::App* const group = command.add_option_group("Compilation", "Give the same to compile, plan, run");
  CLI::App* const form = command.add_option_group("Model", "How the ONNX file is read");
  for (const session::CompileOption& option : session::compile_options())
    if (option.measured) add_option_to(option.group == session::OptionGroup::model ? *form : *group, option, choices);
}

}  // namespace tacit::app
