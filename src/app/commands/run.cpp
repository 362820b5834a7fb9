#include "graph/reference/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/commands/cross_fit.h"
#include "app/options.h"
#include "app/output.h"
#include "app/picture.h"
#include "app/progress_bar.h"
#include "app/report_page.h"
#include "app/run_report.h"
#include "app/warnings.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/process_memory.h"
#include "session/output_files.h"
#include "session/owner/agreement.h"
#include "session/owner/compiled_network.h"
#include "session/owner/dataset.h"
#include "session/owner/engine.h"
#include "session/owner/results.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct RunOptions : ScoringOptions {
  PrivacyOptions privacy;
  bool simulate = false, show = false;
  std::filesystem::path report;
  ResultOptions result;
};

/// What the plaintext network says about the inputs.
struct PlainRun {
  std::vector<std::vector<graph::Tensor>> answers;  ///< all outputs, by input
  std::vector<std::optional<std::string>> misses;   ///< by input: why it has no encrypted answer
};

/// Runs the plaintext network on every input, and reads the compiled one in the clear to see whether any value leaves
/// the interval that it was compiled for. An input that the model cannot take is a miss of this input alone. Throws
/// InputError where it takes none of them.
PlainRun run_plain(session::CompiledNetwork& network, const session::Dataset& data, std::int64_t begin,
                   std::int64_t end, base::Progress& progress) {
  PlainRun plain;
  plain.answers.resize(static_cast<std::size_t>(end - begin));
  plain.misses.resize(plain.answers.size());
  std::vector<std::optional<std::string>> refusals(plain.answers.size());
  progress.begin("plaintext answers and ranges", static_cast<std::uint64_t>(end - begin));
  const auto batch = static_cast<std::size_t>(network.batch());
  base::parallel_for(0, (plain.answers.size() + batch - 1) / batch, [&](std::size_t run) {
    const std::size_t first = run * batch, last = std::min(first + batch, plain.answers.size());
    std::vector<std::vector<graph::Tensor>> samples;
    bool all_taken = true;
    for (std::size_t i = first; i < last; ++i) {
      samples.emplace_back();
      try {
        samples.back() = data.sample(begin + static_cast<std::int64_t>(i));
        plain.answers[i] = graph::reference::run(network.graph(), samples.back());
      } catch (const base::InputError& error) {
        refusals[i] = error.what();
        all_taken = false;
      }
      progress.advance(1);
    }
    // A run reads its samples side by side, under numbers that follow each other.
    const auto check = [&](std::size_t from, std::size_t to) {
      const std::span<const std::vector<graph::Tensor>> some(samples.data() + (from - first), to - from);
      const auto excesses = network.check(begin + static_cast<std::int64_t>(from), some);
      for (std::size_t i = from; i < to; ++i)
        if (excesses[i - from]) plain.misses[i] = session::miss_text(*excesses[i - from]);
    };
    if (all_taken) try {
        return check(first, last);
      } catch (const base::InputError&) {  // of one of the samples, which the next lines find
      }
    for (std::size_t i = first; i < last; ++i) try {
        if (!refusals[i]) check(i, i + 1);
      } catch (const base::InputError& error) {
        refusals[i] = error.what();
      }
  });
  progress.end();
  // Then it is the files that are wrong, not a row.
  if (std::ranges::all_of(refusals, [](const auto& refusal) { return refusal.has_value(); }))
    throw base::InputError(*refusals.front());
  for (std::size_t i = 0; i < refusals.size(); ++i)
    if (refusals[i])
      plain.misses[i] = fmt::format("input {} has no answer: {}", begin + static_cast<std::int64_t>(i), *refusals[i]);
  return plain;
}

/// The inputs of every run, in order: those that a run of the plaintext found nothing against, a batch at a time.
std::vector<std::vector<std::size_t>> runs_of(const PlainRun& plain, std::size_t batch) {
  std::vector<std::vector<std::size_t>> runs;
  for (std::size_t i = 0; i < plain.misses.size(); ++i) {
    if (plain.misses[i]) continue;
    if (runs.empty() || runs.back().size() == batch) runs.emplace_back();
    runs.back().push_back(i);
  }
  return runs;
}

std::string answer_text(const session::Question& question, double answer) {
  return question.kind == session::AnswerKind::regression ? fmt::format("{:.4g}", answer)
                                                          : fmt::format("{:.0f}", answer);
}

void show_sample(const session::Dataset& data, std::int64_t index, const session::Scoreboard& scores,
                 std::size_t position, std::optional<double> label, double seconds, bool simulated) {
  std::vector<std::string> facts{fmt::format("input {}", index)};
  if (label) facts.push_back(fmt::format("label       {}", answer_text(scores.question(), *label)));
  facts.push_back(fmt::format("{}   {}", simulated ? "simulated" : "encrypted",
                              answer_text(scores.question(), scores.encrypted_answer(position))));
  facts.push_back(fmt::format("plaintext   {}", answer_text(scores.question(), scores.plain_answer(position))));
  facts.push_back(fmt::format("{:.3f} s", seconds));
  const graph::Shape shape = data.raw_shape();
  if (!is_picture(shape)) {
    print_text("{}\n", fmt::join(facts, "   "));
    std::fflush(stdout);
    return;
  }
  const std::vector<std::string> lines = draw_picture(shape, data.raw(index), picture_style_of_stdout());
  const std::string blank(lines.empty() ? 0 : picture_width(shape), ' ');
  const std::size_t top = lines.size() > facts.size() ? (lines.size() - facts.size()) / 2 : 0;
  for (std::size_t y = 0; y < std::max(lines.size(), facts.size()); ++y) {
    const bool told = y >= top && y - top < facts.size();
    fmt::print("  {}{}{}\n", y < lines.size() ? lines[y] : blank, told ? "   " : "", told ? facts[y - top] : "");
  }
  fmt::print("\n");
  std::fflush(stdout);
}

int run(const RunOptions& options) {
  options.privacy.apply();
  options.compute.apply();
  if (!options.result.output.empty()) {
    std::vector<std::filesystem::path> read = options.inputs.files;
    read.push_back(options.model);
    session::check_output_files({options.result.output}, read);
  }
  if (options.expect_agreement && !(*options.expect_agreement >= 0 && *options.expect_agreement <= 1))
    base::refuse("--expect-agreement {} must lie between 0 and 1", *options.expect_agreement);
  if (options.parts > 0) {
    require_slots(options.choices, "--cross-fit");
    return run_cross_fit(options);
  }
  ProgressBar bar;
  base::Progress& progress = bar;

  const session::Stopwatch importing;
  graph::Graph graph = options.read(options.inputs.files);
  const double import_seconds = importing.seconds();
  const session::Dataset data(options.inputs.files, graph, options.preprocessing);
  const auto [begin, end] = options.inputs.rows(data.size());
  std::vector<double> labels;
  if (!options.labels.empty()) labels = session::read_labels(options.labels, data.size());
  const auto label_of = [&](std::int64_t index) {
    return labels.empty() ? std::nullopt : std::optional(labels[static_cast<std::size_t>(index)]);
  };

  session::CompileRequest asked = options.request(std::move(graph));
  asked.public_range = data.public_range();
  asked.private_rows = session::PrivateRows{options.inputs.files, begin, end};
  const std::unique_ptr<session::CompiledNetwork> network = session::make_compiled_network(std::move(asked), progress);
  warn_of(network->warnings());
  RunReport report;
  report.plan = network->plan();
  report.simulated = options.simulate;
  report.threads = base::thread_limit();
  report.seconds.compile = import_seconds + network->seconds();

  PlainRun plain = run_plain(*network, data, begin, end, progress);
  base::release_kept_memory();  // keys and weights take other blocks

  const std::vector<std::vector<std::size_t>> runs = runs_of(plain, static_cast<std::size_t>(network->batch()));
  const std::unique_ptr<session::Engine> engine =
      options.simulate ? network->simulated()
                       : network->encrypted(options.compute.memory_budget(), progress, runs.size());
  report.seconds.keygen = engine->preparation().keygen_seconds;
  report.seconds.encode = engine->preparation().encode_seconds;
  report.key_bytes = engine->preparation().key_bytes;
  base::release_kept_memory();  // encoding leaves holes among its blocks

  std::vector<session::Inference> inferences(runs.size());
  session::Scoreboard scores(network->graph());
  session::Results results(network->parts());
  const auto inputs = static_cast<std::size_t>(end - begin);
  const auto miss = [&](std::size_t i) {
    scores.miss(begin + static_cast<std::int64_t>(i));
    if (inputs > 1) bar.aside([&] { print_sentence(*plain.misses[i]); });
  };
  const auto score = [&](std::size_t run) {
    for (std::size_t place = 0; place < runs[run].size(); ++place) {
      const std::size_t i = runs[run][place];
      if (plain.misses[i]) {
        miss(i);
        continue;
      }
      const std::int64_t index = begin + static_cast<std::int64_t>(i);
      const std::vector<graph::Tensor>& outputs = inferences[run].outputs.at(place);
      if (const auto nan = scores.nan_in(outputs, plain.answers[i])) {
        plain.misses[i] = fmt::format("input {}: {}", index, *nan);
        miss(i);
        continue;
      }
      scores.add(outputs, plain.answers[i], label_of(index));
      if (options.show && !options.compute.json)
        bar.aside([&] {
          show_sample(data, index, scores, scores.answered() - 1, label_of(index),
                      inferences[run].evaluate_seconds / static_cast<double>(runs[run].size()), options.simulate);
        });
      results.add(outputs);
    }
  };
  const auto infer = [&](std::size_t first, std::size_t last) {
    std::vector<std::vector<std::vector<graph::Tensor>>> samples(last - first);
    for (std::size_t run = first; run < last; ++run)
      for (const std::size_t i : runs[run])
        samples[run - first].push_back(data.sample(begin + static_cast<std::int64_t>(i)));
    std::vector<session::Inference> round = engine->infer_round(samples);
    for (std::size_t run = first; run < last; ++run) {
      inferences[run] = std::move(round[run - first]);
      const session::Inference& inference = inferences[run];
      for (std::size_t place = 0; place < runs[run].size(); ++place) {
        // A result outside its bounds refuses the whole run.
        const std::optional<std::string>& refusal =
            inference.refusal || inference.refusals.empty() ? inference.refusal : inference.refusals[place];
        const std::size_t i = runs[run][place];
        if (refusal) plain.misses[i] = fmt::format("input {}: {}", begin + static_cast<std::int64_t>(i), *refusal);
      }
      progress.advance(runs[run].size());
    }
  };
  const session::Stopwatch whole;
  progress.begin(options.simulate ? "simulating" : "inference on ciphertexts", inputs);
  for (std::size_t i = 0; i < inputs; ++i)
    if (plain.misses[i]) {
      miss(i);
      progress.advance(1);
    }
  if (engine->concurrent()) {
    base::parallel_for(0, runs.size(), [&](std::size_t run) { infer(run, run + 1); });
    for (std::size_t run = 0; run < runs.size(); ++run) score(run);
  } else {
    for (std::size_t first = 0; first < runs.size(); first += engine->at_once()) {
      const std::size_t last = std::min(first + engine->at_once(), runs.size());
      infer(first, last);
      for (std::size_t run = first; run < last; ++run) score(run);
    }
  }
  progress.end();

  report.excesses = network->excesses();
  report.neighbour_shares = engine->neighbour_shares();
  const auto images = static_cast<double>(std::max<std::size_t>(scores.answered(), 1));
  for (const session::Inference& inference : inferences) {
    report.seconds.encrypt += inference.encrypt_seconds / images;
    report.seconds.evaluate += inference.evaluate_seconds / images;
    report.seconds.decrypt += inference.decrypt_seconds / images;
    report.instruction_seconds.resize(inference.instruction_seconds.size());
    for (std::size_t i = 0; i < inference.instruction_seconds.size(); ++i)
      report.instruction_seconds[i] += inference.instruction_seconds[i] / images;
    report.evaluate_worst = std::max(report.evaluate_worst, inference.evaluate_seconds);
  }
  if (!engine->concurrent() && runs.size() > 1 && scores.answered() > runs.front().size()) {
    double warm = 0;
    for (std::size_t run = 1; run < runs.size(); ++run) warm += inferences[run].evaluate_seconds;
    report.evaluate_warm = warm / (images - static_cast<double>(runs.front().size()));
  }
  report.batch = network->batch();
  if (engine->concurrent()) report.seconds.evaluate = whole.seconds() / images;
  report.peak_memory_bytes = base::peak_resident_bytes();

  if (!options.result.output.empty()) {
    results.write(options.result.output, options.result.format);
    report.outputs = results.describe(options.result.output, options.result.format);
  }
  write_report(options.report, {{"title", network->name() + (options.simulate ? ", simulated" : ", encrypted")},
                                {"subtitle", fmt::format("tacit run, {} inputs, {} threads", inputs, report.threads)},
                                {"model", run_page_json(report, scores)}});
  print_report(options.compute.json, run_json(report, scores), run_text(report, scores));
  if (scores.answered() == 0)
    throw base::InputError(inputs == 1
                               ? *plain.misses.front()
                               : fmt::format("none of the {} inputs has an answer, each for the reason above", inputs));
  return agreement_status(options, scores);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto [command, options] = add_command(
      app, status, "run", "Run a network on encrypted inputs, all parties in this process", run,
      "An answer agrees if every output does: the largest of several scores, above one half for a single "
      "probability,\n"
      "equal labels and whole numbers, and numbers within 1 % of the range of their plaintext answers. The report also "
      "states\n"
      "the largest and the mean error of every output, as a share of its range. An input counts as a miss if it drives "
      "a value\n"
      "outside the interval that the network was compiled for, if the model cannot take it, or if an answer is NaN.\n\n"
      "Example:\n  tacit run cryptonets.onnx --input images.npy --labels labels.npy --scale 256 --count 10 --show\n");
  command.add_option("model", options.model, "The network, an ONNX file")->required();
  options.inputs.add_to(command);
  command.add_option("--labels", options.labels, "True answers (.npy, one number an input), for the accuracy");
  options.add_to(command);
  options.privacy.add_to(command);
  options.result.add_to(command, "File for the answers, one row an input that has one", false);
  command.add_flag("--simulate", options.simulate,
                   "Compute in the clear with modelled noise: fast, for whole data sets");
  command.add_flag("--show", options.show, "Show every input with its label, encrypted and plaintext answer");
  command.add_option("--report", options.report, "Write a page with plots (HTML, self-contained)");
  command.add_option("--expect-agreement", options.expect_agreement,
                     "Exit with status 4 if a smaller share of answers agrees with the plaintext network");
  CLI::Option* const cross_fit =
      command
          .add_option("--cross-fit", options.parts,
                      "With --simulate: divide the inputs into so many parts, and score each by a network calibrated "
                      "on the others; for data of which no other is there to calibrate on")
          ->check(CLI::Range(2, 1000))
          ->needs("--simulate");
  for (const char* other : {"--calibrate", "--calibrate-first", "--ranges", "--show", "--report", "--output"})
    cross_fit->excludes(command.get_option(other));
}

}  // namespace tacit::app::commands
