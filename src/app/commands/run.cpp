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
#include "session/owner/results.h"
#include "session/owner/scored_run.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct RunOptions : ScoringOptions {
  PrivacyOptions privacy;
  bool simulate = false, show = false;
  std::filesystem::path report;
  ResultOptions result;
};

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

/// Shows answers and misses as they come, and keeps the answers.
class Display final : public session::ScoreObserver {
 public:
  Display(const RunOptions& options, const session::Dataset& data, const session::ScoredInputs& inputs,
          session::Results& results, ProgressBar& bar)
      : options_(options), data_(data), inputs_(inputs), results_(results), bar_(bar) {}

  void on_answer(std::size_t i, const std::vector<graph::Tensor>& outputs, const session::Scoreboard& scores,
                 double seconds) override {
    if (options_.show && !options_.compute.json)
      bar_.aside([&] {
        show_sample(data_, inputs_.first + static_cast<std::int64_t>(i), scores, scores.answered() - 1,
                    inputs_.label ? inputs_.label(i) : std::nullopt, seconds, options_.simulate);
      });
    results_.add(outputs);
  }
  void on_miss(std::size_t, const std::string& why) override {
    if (inputs_.count == 1) return;
    if (++misses_ <= kMostShown || options_.privacy.verbose) bar_.aside([&] { print_sentence(why); });
  }
  /// Says how many misses were not shown.
  void end() {
    if (misses_ > kMostShown && !options_.privacy.verbose)
      bar_.aside([&] {
        print_sentence(fmt::format("{} more inputs have no answer (--verbose shows why)", misses_ - kMostShown));
      });
  }

 private:
  const RunOptions& options_;
  const session::Dataset& data_;
  const session::ScoredInputs& inputs_;
  session::Results& results_;
  ProgressBar& bar_;

  static constexpr std::size_t kMostShown = 10;
  std::size_t misses_ = 0;
};

RunReport report_of(const RunOptions& options, const session::CompiledNetwork& network, const session::ScoredRun& run,
                    double import_seconds) {
  RunReport report;
  report.plan = network.plan();
  report.simulated = options.simulate;
  report.threads = base::thread_limit();
  report.seconds = {.compile = import_seconds + network.seconds(),
                    .keygen = run.preparation.keygen_seconds,
                    .encode = run.preparation.encode_seconds,
                    .encrypt = run.encrypt_seconds,
                    .evaluate = run.evaluate_seconds,
                    .decrypt = run.decrypt_seconds};
  report.key_bytes = run.preparation.key_bytes;
  report.excesses = run.excesses;
  report.neighbour_shares = run.neighbour_shares;
  report.instruction_seconds = run.instruction_seconds;
  report.evaluate_worst = run.evaluate_worst;
  report.evaluate_warm = run.evaluate_warm;
  report.batch = network.batch();
  report.peak_memory_bytes = base::peak_resident_bytes();
  return report;
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
  const session::Stopwatch importing;
  graph::Graph graph = options.read(options.inputs.files);
  const double import_seconds = importing.seconds();
  const session::Dataset data(options.inputs.files, graph, options.preprocessing);
  const auto [begin, end] = options.inputs.rows(data.size());
  std::vector<double> labels;
  if (!options.labels.empty()) labels = session::read_labels(options.labels, data.size());

  session::CompileRequest asked = options.request(std::move(graph));
  asked.public_range = data.public_range();
  asked.private_rows = session::PrivateRows{options.inputs.files, begin, end};
  const std::unique_ptr<session::CompiledNetwork> network = session::make_compiled_network(std::move(asked), bar);
  warn_of(network->warnings());

  const session::ScoredInputs inputs = session::scored_rows(data, begin, end, labels);
  session::Results results(network->parts());
  Display display(options, data, inputs, results, bar);
  session::RunBudget budget;  // none simulates
  if (!options.simulate) budget = [&] { return options.compute.memory_budget(); };
  const session::ScoredRun scored = session::score(*network, inputs, budget, display, bar);
  display.end();
  const session::Scoreboard& scores = scored.scores;

  RunReport report = report_of(options, *network, scored, import_seconds);
  if (!options.result.output.empty()) {
    results.write(options.result.output, options.result.format);
    report.outputs = results.describe(options.result.output, options.result.format);
  }
  write_report(options.report,
               {{"title", network->name() + (options.simulate ? ", simulated" : ", encrypted")},
                {"subtitle", fmt::format("tacit run, {} inputs, {} threads", inputs.count, report.threads)},
                {"model", run_page_json(report, scores)}});
  print_report(options.compute.json, run_json(report, scores), run_text(report, scores));
  if (scores.answered() == 0)
    throw base::InputError(inputs.count == 1 ? *scored.misses.front()
                                             : fmt::format("none of the {} inputs has an answer, each for the reason "
                                                           "above",
                                                           inputs.count));
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
