#include "graph/slots/choose_degrees.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>
#include <optional>

#include "graph/approximate/parity.h"
#include "graph/passes/clear_network.h"
#include "graph/passes/fit_functions.h"
#include "graph/slots/cheapest_lowering.h"

namespace tacit::graph::passes {
namespace {

constexpr std::size_t kMostKnobs = 8;
constexpr int kLowestDegree = 3;
/// Series that change more than this share of the answers are of no use.
constexpr double kWorthless = 0.5;

/// A demand on the answers of samples with errors.
struct Demand {
  double factor;  ///< factor that multiplies the errors
  double growth;  ///< most changed answers, as a multiple of those at the highest degrees
};
constexpr std::array<Demand, 2> kDemands{{{2, 1}, {4, 3}}};

int degree_of(const Function& function) { return static_cast<int>(function.coefficients.size()) - 1; }

/// Returns the largest degree that takes a level less than `degree`.
int a_level_less(int degree) { return static_cast<int>(std::bit_floor(static_cast<unsigned>(degree))) - 1; }

/// Returns the largest even degree that takes a level more than `degree`.
int a_level_more(int degree) { return 2 * static_cast<int>(std::bit_ceil(static_cast<unsigned>(degree) + 1)) - 2; }

class Search {
 public:
  Search(Network& network, const Answers& answers, const CompileOptions& options, base::Progress& progress)
      : network_(network),
        answers_(answers),
        samples_(options.calibration.size()),
        most_error_(options.max_error),
        run_(network, options.calibration, Functions::by_series),
        progress_(progress) {
    const bool together = functions_of(network).size() > kMostKnobs;
    for (ValueId id = 0; id < network.values.size(); ++id)
      if (auto* function = std::get_if<Function>(&network.values[id].operation)) {
        if (knobs_.empty() || !together) knobs_.push_back({id, {}});
        knobs_.back().functions.push_back(function);
      }
  }

  /// Lowers degrees, and returns the outputs of the samples at the chosen degrees.
  SampleOutputs run() {
    allowed_.fill(samples_);
    progress_.begin("choose degrees", 0);
    run_.keep();
    Misses highest = misses(static_cast<ValueId>(network_.values.size())).value();
    outputs_ = std::move(highest.outputs);
    for (std::size_t d = 0; d < kDemands.size(); ++d)
      allowed_[d] = static_cast<std::size_t>(kDemands[d].growth * static_cast<double>(highest.counts[d]));
    // If the highest degrees already change most answers, answers do not show the effect of lower ones.
    if (2 * highest.counts[0] <= samples_)
      while (lower_one()) progress_.advance();
    progress_.end();
    return std::move(outputs_);
  }

 private:
  struct Knob {
    ValueId first;  // of its functions
    std::vector<Function*> functions;
  };
  using Counts = std::array<std::size_t, kDemands.size()>;  // of samples whose answers change, by demand
  struct Misses {
    Counts counts{};
    double worst = 0;  // largest used margin among samples that the first demand does not count
    SampleOutputs outputs{};
  };

  // Judges the present network, with nothing changed before value `first`. None as soon as more answers change than
  // allowed.
  std::optional<Misses> misses(ValueId first) const {
    Misses result;
    result.outputs.resize(samples_);
    bool over = false;
    std::mutex mutex;
    const auto judge = [&](std::size_t s, std::vector<std::vector<double>> outputs) {
      result.outputs[s] = std::move(outputs);
      const double used = answers_.used_margin(s, result.outputs[s]);
      const std::lock_guard lock(mutex);
      for (std::size_t d = 0; d < kDemands.size(); ++d)
        if (kDemands[d].factor * used >= 1 && ++result.counts[d] > allowed_[d]) over = true;
      if (kDemands[0].factor * used < 1) result.worst = std::max(result.worst, used);
      return !over;
    };
    run_.each_output(judge, first);
    if (over) return std::nullopt;
    return result;
  }

  // Lowers the knob that does the least harm, if any may be lowered.
  bool lower_one() {
    const Knob* best = nullptr;
    double least = 0;
    std::vector<std::vector<double>> chosen;
    for (const Knob& knob : knobs_) {
      if (stuck(knob)) continue;
      std::vector<std::vector<double>> before = lower(knob);
      if (std::optional<Misses> found = close_enough(knob) ? misses(knob.first) : std::nullopt) {
        if (!best || found->worst < least) {
          best = &knob;
          least = found->worst;
          chosen = coefficients(knob);
          outputs_ = std::move(found->outputs);
        }
      } else {
        stuck_.push_back(&knob);  // a knob that fails fails with less precise others, too
      }
      restore(knob, std::move(before));
    }
    if (!best) return false;
    restore(*best, std::move(chosen));
    run_.keep(best->first);
    return true;
  }

  bool stuck(const Knob& knob) const {
    return std::find(stuck_.begin(), stuck_.end(), &knob) != stuck_.end() ||
           std::ranges::any_of(knob.functions,
                               [](const Function* f) { return a_level_less(degree_of(*f)) < kLowestDegree; });
  }

  bool close_enough(const Knob& knob) const {
    return std::ranges::all_of(knob.functions, [&](const Function* f) { return error_share(*f) <= most_error_; });
  }

  static std::vector<std::vector<double>> coefficients(const Knob& knob) {
    std::vector<std::vector<double>> result;
    for (const Function* function : knob.functions) result.push_back(function->coefficients);
    return result;
  }

  static void restore(const Knob& knob, std::vector<std::vector<double>> coefficients) {
    for (std::size_t i = 0; i < knob.functions.size(); ++i)
      knob.functions[i]->coefficients = std::move(coefficients[i]);
  }

  static std::vector<std::vector<double>> lower(const Knob& knob) {
    std::vector<std::vector<double>> before = coefficients(knob);
    for (Function* function : knob.functions)
      fit_function(*function, a_level_less(degree_of(*function)), function->function.name());
    return before;
  }

  Network& network_;
  const Answers& answers_;
  std::size_t samples_;
  double most_error_;
  SampleRun run_;
  base::Progress& progress_;
  std::vector<Knob> knobs_;
  std::vector<const Knob*> stuck_;
  Counts allowed_{};
  SampleOutputs outputs_;  // of the network as it is
};

/// The errors of samples.
struct Offence {
  std::size_t samples = 0;  ///< number of samples whose outputs at twice their error exceed the allowed error
  double margin = 0;        ///< mean used margin
};

Offence offence(const Network& network, const Answers& answers, const std::vector<std::vector<Tensor>>& samples) {
  std::vector<double> used(samples.size());
  const SampleRun run(network, samples, Functions::by_series);
  run.each_output([&](std::size_t s, const std::vector<std::vector<double>>& outputs) {
    used[s] = answers.used_margin(s, outputs);
    return true;
  });
  Offence result;
  for (const double margin : used) {
    if (kDemands[0].factor * margin >= 1) ++result.samples;
    result.margin += margin / static_cast<double>(samples.size());
  }
  return result;
}

/// Raises the degrees of all functions together, a level at a time. The search then lowers those that need not be so
/// high. Returns the highest degree that was allowed.
int sharpen(Network& network, const Answers& answers, const CompileOptions& options, base::Progress& progress) {
  constexpr double kFewOff = 0.005, kHelps = 0.8, kFiner = 1.0 / 8;
  int highest = options.max_degree;
  if (!answers.shows_values() || !is_leveled(network, options)) return highest;
  const auto few = static_cast<std::size_t>(kFewOff * static_cast<double>(options.calibration.size()));
  double tolerance = kSmoothTolerance;
  Offence so_far = offence(network, answers, options.calibration);
  progress.begin("raise degrees", 0);
  while (so_far.samples > few && 2 * highest + 1 <= options.max_value_degree) {
    const Network before = network;
    tolerance *= kFiner;
    for (Function* function : functions_of(network))
      fit_function(*function, 2 * highest + 1, function->function.name(), tolerance);
    progress.advance();
    const Offence now = offence(network, answers, options.calibration);
    if (!is_leveled(network, options) || !(now.margin <= kHelps * so_far.margin)) {
      network = before;
      break;
    }
    highest = 2 * highest + 1;
    so_far = now;
  }
  progress.end();
  return highest;
}

/// Writes the reasons for the degrees.
void give_reasons(ChosenDegrees& chosen, std::size_t samples) {
  const bool enough = samples >= kFewestSamples;
  std::vector<Approximation>& done = chosen.approximations;
  for (std::size_t i = 0; i < done.size(); ++i) {
    if (done[i].degree < chosen.first_degrees[i])
      done[i].reason = fmt::format("enough for the answers of {} samples at {:g} and {:g} times its error", samples,
                                   kDemands[0].factor, kDemands[1].factor);
    else if (done[i].degree + 1 < chosen.highest_degree)
      done[i].reason = fmt::format("within 2^-12 of the function{}", enough ? ", and no answer allows less" : "");
    else
      done[i].reason = enough ? "the highest allowed; answers of samples need it"
                              : fmt::format("the highest allowed; {} samples are too few to allow less", samples);
  }
}

SampleOutputs outputs_of(const Network& network, const std::vector<std::vector<Tensor>>& samples) {
  SampleOutputs result(samples.size());
  SampleRun(network, samples, Functions::by_series)
      .each_output([&](std::size_t s, std::vector<std::vector<double>> outputs) {
        result[s] = std::move(outputs);
        return true;
      });
  return result;
}

/// Notes the outputs of the samples, and how good the series are by them.
void judge(ChosenDegrees& chosen, SampleOutputs outputs, const Answers& answers) {
  const bool enough = outputs.size() >= kFewestSamples;
  if (enough && !answers.shows_values())
    chosen.changed = answers.changed_share(outputs);
  else
    chosen.off = answers.largest_error(outputs);
  if (enough) chosen.outputs = std::move(outputs);
}

/// Returns how many times the errors of the series exceed those from which degrees are raised.
double excess(const ChosenDegrees& chosen) { return std::max(chosen.changed / kMostChanged, chosen.off / kMostOff); }

bool needs_another_level(const ChosenDegrees& raised) { return raised.changed > kManyChanged || raised.off > kMostOff; }

/// Returns the network with series of this degree in every function.
Sharper with_degree(const Network& network, int degree, const Answers& answers, const CompileOptions& options) {
  Sharper made{network, {}};
  made.chosen.highest_degree = degree;
  for (Function* function : functions_of(made.network)) {
    fit_function(*function, degree, function->function.name());
    made.chosen.first_degrees.push_back(degree_of(*function));
  }
  judge(made.chosen, outputs_of(made.network, options.calibration), answers);
  return made;
}

}  // namespace

ChosenDegrees choose_degrees(Network& network, const Answers& answers, const CompileOptions& options,
                             base::Progress& progress) {
  const std::vector<std::vector<Tensor>>& samples = options.calibration;
  if (fit_functions(network, options.max_degree, options.max_error).empty()) return {};
  const bool enough = samples.size() >= kFewestSamples;
  ChosenDegrees chosen;
  chosen.highest_degree = enough ? sharpen(network, answers, options, progress) : options.max_degree;
  for (const Approximation& first : describe_functions(network, options.max_error))
    chosen.first_degrees.push_back(first.degree);
  if (enough)
    judge(chosen, Search(network, answers, options, progress).run(), answers);
  else if (!is_leveled(network, options))  // only networks that bootstrap raise degrees by it
    judge(chosen, outputs_of(network, options.calibration), answers);
  chosen.approximations = describe_functions(network, options.max_error);
  give_reasons(chosen, samples.size());
  return chosen;
}

std::optional<Sharper> sharper(const Network& network, const ChosenDegrees& chosen, const Answers& answers,
                               const CompileOptions& options, base::Progress& progress) {
  constexpr double kHelps = 0.7, kNearlyAll = 0.98;
  if (options.calibration.empty() || !(excess(chosen) > 1) || is_leveled(network, options)) return std::nullopt;
  const int highest = std::min(kHighestLabelDegree, options.max_value_degree);
  std::optional<Sharper> best;
  progress.begin("raise degrees", 0);
  int degree = options.max_degree;
  double so_far = excess(chosen);
  while (!best || needs_another_level(best->chosen)) {
    const int next = a_level_more(degree), one_more = a_level_more(next);
    if (next > highest) break;
    // If nearly all answers are wrong, one level more changes too little to judge. Two are tried instead.
    const bool leaps = (best ? best->chosen : chosen).changed >= kNearlyAll && one_more <= highest;
    degree = leaps ? one_more : next;
    Sharper raised = with_degree(network, degree, answers, options);
    progress.advance();
    if (leaps && raised.chosen.changed <= kManyChanged) {
      Sharper between = with_degree(network, next, answers, options);
      if (between.chosen.changed <= kManyChanged) raised = std::move(between);
    }
    // If most answers are wrong before and after, or a sample has no answer, the effect of a level cannot be judged.
    const double now = excess(raised.chosen);
    if (std::isfinite(now) && now <= kHelps * so_far) {
      so_far = now;
      best = std::move(raised);
    } else if (std::isfinite(now) && is_of_use(raised.chosen)) {
      break;
    }
  }
  progress.end();
  if (!best) return std::nullopt;
  best->chosen.approximations = describe_functions(best->network, options.max_error);
  give_reasons(best->chosen, options.calibration.size());
  return best;
}

std::optional<Sharper> coarser(const Network& network, const ChosenDegrees& chosen, const Answers& answers,
                               const CompileOptions& options) {
  Sharper made{network, {}};
  const std::vector<Function*> functions = functions_of(made.network);
  int deepest = 0;
  for (const Function* function : functions) deepest = std::max(deepest, a_level_less(degree_of(*function)));
  if (deepest < kLowestDegree) return std::nullopt;
  std::vector<char> lowered;
  for (Function* function : functions) {
    lowered.push_back(a_level_less(degree_of(*function)) == deepest ? 1 : 0);
    if (lowered.back() == 0) continue;
    fit_function(*function, deepest, function->function.name());
    if (error_share(*function) > options.max_error) return std::nullopt;
  }
  made.chosen.first_degrees = chosen.first_degrees;
  made.chosen.highest_degree = chosen.highest_degree;
  judge(made.chosen, outputs_of(made.network, options.calibration), answers);
  if (!is_of_use(made.chosen)) return std::nullopt;
  made.chosen.approximations = describe_functions(made.network, options.max_error);
  give_reasons(made.chosen, options.calibration.size());
  for (std::size_t i = 0; i < lowered.size(); ++i)
    if (lowered[i] != 0)
      made.chosen.approximations[i].reason = "lowered, for no parameter set has the levels for a higher one";
    else if (chosen.approximations[i].degree == made.chosen.approximations[i].degree)
      made.chosen.approximations[i].reason = chosen.approximations[i].reason;
  return made;
}

bool is_of_use(const ChosenDegrees& chosen) { return chosen.changed <= kWorthless; }

double price_of_answers(const ChosenDegrees& fine, const ChosenDegrees& coarse) {
  constexpr double kQuarter = 1.25;
  const double halvings = std::log2(excess(coarse) / std::max(excess(fine), 1.0));
  return std::pow(kQuarter, std::max(1.0, halvings));
}

void record_degrees(const Network& network, const ChosenDegrees& chosen, Calibration& calibration) {
  calibration.highest_degree = chosen.highest_degree;
  calibration.answers_changed = chosen.changed;
  std::size_t next = 0;
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (const auto* function = std::get_if<Function>(&network.values[id].operation)) {
      CalibratedFunction& noted = calibration.values.at(id).function.value();
      noted.first_degree = chosen.first_degrees.at(next++);
      noted.coefficients = function->coefficients;
    }
}

ChosenDegrees restore_degrees(Network& network, const CompileOptions& options) {
  ChosenDegrees chosen;
  chosen.highest_degree = options.measured->highest_degree;
  chosen.changed = options.measured->answers_changed;
  centre_functions(network);
  for (ValueId id = 0; id < network.values.size(); ++id)
    if (auto* function = std::get_if<Function>(&network.values[id].operation)) {
      const CalibratedFunction& noted = options.measured->values.at(id).function.value();
      function->coefficients = noted.coefficients;
      approximate::impose(function->parity, function->coefficients);
      chosen.first_degrees.push_back(noted.first_degree);
    }
  chosen.approximations = describe_functions(network, options.max_error);
  give_reasons(chosen, options.samples());
  return chosen;
}

}  // namespace tacit::graph::passes
