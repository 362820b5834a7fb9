#include "session/owner/options/compile_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parse_number.h"
#include "graph/compile.h"
#include "graph/pipeline.h"
#include "graph/quant/choose_parameters.h"
#include "session/sentence.h"

namespace tacit::session {
namespace {

constexpr double kMostDecryptions = 1099511627776.0;  // 2^40

const CompileOptions& defaults() {
  static const CompileOptions options;
  return options;
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

bool is_trim(double trim) { return trim >= 0 && trim < 1e9 && (trim < 1 || trim == std::floor(trim)); }

void set_trim(CompileOptions& options, const OptionWords& words) {
  const std::string& text = words.only();
  options.calibration_trim.reset();
  if (text == "auto") return;
  const auto trim = text == "off" ? 0.0 : base::parse_number<double>(text);
  if (!trim || !is_trim(*trim)) words.refuse(text, "give a number of rows, a share below 1, off, or auto");
  options.calibration_trim = trim;
}

void set_batch(CompileOptions& options, const OptionWords& words) {
  if (words.only() == "auto") {
    options.batch = kCheapestBatch;
    return;
  }
  const auto batch = base::parse_number<std::int64_t>(words.only());
  // The compiler knows the upper bound. 0 would be the cheapest number here.
  if (!batch || *batch == kCheapestBatch)
    words.refuse(words.only(), fmt::format("give a number of inputs from 1 to {}, or auto", graph::kLargestBatch));
  options.batch = *batch;
}

/// "no-NAME" words; the compiler checks the names.
void set_passes(CompileOptions& options, const OptionWords& words) {
  constexpr std::string_view kNo = "no-";
  options.skipped_passes.clear();
  for (const std::string& word : words.list()) {
    if (!word.starts_with(kNo)) words.refuse(word, "all passes run; no-NAME leaves one out");
    options.skipped_passes.push_back(word.substr(kNo.size()));
  }
}

Disclosure& shared(CompileOptions& options) { return options.share ? *options.share : options.share.emplace(); }

void set_owners(CompileOptions& options, const OptionWords& words) {
  const std::vector<std::string> numbers = words.list();
  std::vector<int> values;
  for (const std::string& number : numbers)
    if (const auto value = base::parse_number<int>(number)) values.push_back(*value);
  if (values.size() != 2 || numbers.size() != 2)
    words.refuse(fmt::format("{}", fmt::join(numbers, ",")),
                 "give two numbers, the owners and how many of them decrypt, as in 3,2");
  options.owners = Owners{.owners = values[0], .threshold = values[1]};
}

void set_shapes(CompileOptions& options, const OptionWords& words) {
  options.shapes.clear();
  for (const auto& [name, text] : words.named()) {
    Shape& shape = options.shapes[name];
    for (const std::string& part : OptionWords("shape", {text}).list()) {
      const auto extent = base::parse_number<std::int64_t>(part);
      if (!extent || *extent < 1)
        words.refuse(fmt::format("{}={}", name, text),
                     fmt::format("'{}' is no extent; give one number per axis", part));
      shape.push_back(*extent);
    }
  }
}

void set_constants(CompileOptions& options, const OptionWords& words) {
  options.constants.clear();
  options.constant_files.clear();
  for (const auto& [name, text] : words.named()) {
    if (const auto number = base::parse_number<double>(text))
      options.constants[name] = *number;
    else if (text.ends_with(".npy"))
      options.constant_files[name] = text;
    else
      words.refuse(fmt::format("{}={}", name, text), "the value is neither a number nor a .npy file");
  }
}

using O = CompileOptions;
using W = OptionWords;

std::vector<CompileOption> made_table() {
  std::vector<CompileOption> table;
  table.push_back({.name = "calibrate-trim",
                   .form = "ROWS",
                   .absent = "auto",
                   .help = "Rows that lie far from all others, and calibrate nothing: at most so many (10), a share of "
                           "all (0.01), off, or auto: 1 or 2, or 1 % of many. A warning names them",
                   .set = set_trim,
                   .given = [](const O& o) { return o.calibration_trim.has_value(); }});
  table.push_back({.name = "ranges",
                   .form = "FILE",
                   .absent = "",
                   .help = "In place of samples: what 'tacit calibrate' measured on some, for this model and these "
                           "options",
                   .set = [](O& o, const W& w) { o.ranges = w.only(); },
                   .given = [](const O& o) { return !o.ranges.empty(); }});
  table.push_back({.name = "input-range",
                   .form = "A,B",
                   .absent = "",
                   .help = "Lowest and highest value of the preprocessed input, if public (a,b)",
                   .set = [](O& o, const W& w) { o.input_range = w.two_reals(); },
                   .given = [](const O& o) { return o.input_range.has_value(); },
                   .numbers = 2,
                   .measured = true});
  table.push_back(
      {.name = "scheme",
       .form = "ckks|tfhe|auto",
       .absent = "ckks",
       .help = "ckks: real numbers, functions by polynomials; tfhe: integers, functions by tables, trees; "
               "auto: what is planned to take less time",
       .set =
           [](O& o, const W& w) {
             o.scheme = w.one_of<Scheme>({{"ckks", Scheme::ckks}, {"tfhe", Scheme::tfhe}, {"auto", Scheme::automatic}});
           },
       .given = [](const O& o) { return o.scheme != Scheme::ckks; },
       .measured = true});
  table.push_back({.name = "bits",
                   .form = "INT",
                   .absent = "6",
                   .help =
                       "With --scheme tfhe: bits of a table's argument, of weights, and of the features of trees. With "
                       "--scheme ckks: bits of the features of trees, 4 when absent",
                   .set =
                       [](O& o, const W& w) {
                         o.bits = static_cast<int>(w.integer(graph::quant::kFewestBits, graph::quant::kMostBits));
                       },
                   .given = [](const O& o) { return o.bits != 0; },
                   .measured = true});
  table.push_back({.name = "failure",
                   .form = "2^-128|2^-64|2^-40",
                   .absent = "2^-128",
                   .help = "With --scheme tfhe: largest probability that one lookup goes wrong: 2^-128, 2^-64 or 2^-40",
                   .set =
                       [](O& o, const W& w) {
                         o.log2_failure = w.one_of<double>({{"2^-128", -128}, {"2^-64", -64}, {"2^-40", -40}});
                       },
                   .given = [](const O& o) { return o.log2_failure != 0; },
                   .heeded = Heeded::by_integers,
                   .measured = true});
  table.push_back({.name = "rounding",
                   .form = "approximate|exact",
                   .absent = "approximate",
                   .help = "With --scheme tfhe: how sums get to the boxes of a table. approximate: by the table, and "
                           "noise may move them to the next; exact: bit by bit, so that results equal those of "
                           "--simulate, or by tables of more bits where that takes less time",
                   .set =
                       [](O& o, const W& w) {
                         o.exact_rounding = w.one_of<bool>({{"approximate", false}, {"exact", true}});
                       },
                   .given = [](const O& o) { return o.exact_rounding; },
                   .heeded = Heeded::by_integers,
                   .measured = true,
                   .not_automatic =
                       "exact rounding is for networks on integers, and where the scheme is chosen (auto) it may be "
                       "CKKS, whose results are approximate: ask for TFHE (--scheme tfhe), or leave exact rounding "
                       "out"});
  table.push_back(
      {.name = "parameters",
       .form = "NAME|FILE",
       .absent = "",
       .help = "A parameter set by name, or a JSON file; chosen when absent",
       .set = [](O& o, const W& w) { o.parameters = w.only(); },
       .given = [](const O& o) { return !o.parameters.empty(); },
       .measured = true,
       .not_automatic = "--parameters names a set of one scheme: give --scheme ckks or --scheme tfhe as well"});
  table.push_back({.name = "max-degree",
                   .form = "INT",
                   .absent = "",
                   .help = "Highest degree of a polynomial that replaces a function; without it 59, and more where "
                           "outputs would be off by too much",
                   .set = [](O& o, const W& w) { o.max_degree = static_cast<int>(w.integer(1, 1023)); },
                   .given = [](const O& o) { return o.max_degree != 0; },
                   .heeded = Heeded::by_slots,
                   .measured = true});
  table.push_back({.name = "max-polynomial-error",
                   .form = "FLOAT",
                   .absent = "0.1",
                   .help = "Largest error of such a polynomial, as a share of the function's largest value on its "
                           "interval",
                   .set = [](O& o, const W& w) { o.max_polynomial_error = w.real(0, 1); },
                   .given = [](const O& o) { return o.max_polynomial_error != defaults().max_polynomial_error; },
                   .heeded = Heeded::by_slots,
                   .measured = true});
  table.push_back({.name = "batch",
                   .form = "INT|auto",
                   .absent = "1",
                   .help = "Inputs that one run takes side by side, or auto: as many as make an input cheapest within "
                           "the memory",
                   .set = set_batch,
                   .given = [](const O& o) { return o.batch != defaults().batch; },
                   .heeded = Heeded::by_slots,
                   .measured = true});
  table.push_back({.name = "passes",
                   .form = "no-NAME,...",
                   .absent = "",
                   .help = passes_help(),
                   .set = set_passes,
                   .given = [](const O& o) { return !o.skipped_passes.empty(); },
                   .not_automatic = "--passes names passes of one compiler: give --scheme ckks or --scheme tfhe as "
                                    "well"});
  table.push_back({.name = "shard",
                   .form = "NODE=AXIS:BLOCKS,...",
                   .absent = "",
                   .help = "The mesh of a node, NODE=AXIS:BLOCKS,... (repeated for several), as in conv1=x:4,y:2: x "
                           "blocks of output channels, y of input channels, z of rows, or AXIS:BLOCKS@DIMENSION; or a "
                           "file of them, JSON or what 'plan --explain sharding' prints",
                   .set = [](O& o, const W& w) { o.shard = w.all(); },
                   .given = [](const O& o) { return !o.shard.empty(); },
                   .heeded = Heeded::by_slots,
                   .repeats = true,
                   .not_automatic = "--shard lays out ciphertexts of slots: give --scheme ckks as well"});
  table.push_back({.name = "precision",
                   .form = "INT",
                   .absent = "",
                   .help = "Choose parameters that keep the noise of every output below 2^-INT of its range, with 12 "
                           "deviations (1 to 40); needs --calibrate or --ranges",
                   .set =
                       [](O& o, const W& w) {
                         o.precision =
                             static_cast<int>(w.integer(graph::kFewestPrecisionBits, graph::kMostPrecisionBits));
                       },
                   .given = [](const O& o) { return o.precision != 0; },
                   .heeded = Heeded::by_slots,
                   .measured = true});
  table.push_back({.name = "share",
                   .form = "INT",
                   .absent = "",
                   .help = "Choose parameters that leave so many bits behind the binary point of results that others "
                           "see (for decrypt --share); needs --calibrate or --ranges. With --scheme tfhe: refuse "
                           "networks of which noise decides a part of the results",
                   .set = [](O& o, const W& w) { shared(o).bits = static_cast<int>(w.integer(-1000, 1000)); },
                   .given = [](const O& o) { return o.share.has_value(); },
                   .measured = true});
  table.push_back({.name = "share-statistical-bits",
                   .form = "FLOAT",
                   .absent = "30",
                   .help = "s: results of n numbers diverge from noiseless ones by at most n / (24 * 2^s) (Kullback, "
                           "Leibler). With --scheme tfhe: noise changes a shared result with probability 2^-s at most",
                   .set = [](O& o, const W& w) { shared(o).statistical_bits = w.real(20, 80); },
                   .given = [](const O& o) { return o.share.has_value(); },
                   .measured = true,
                   .needs = "share"});
  table.push_back({.name = "share-decryptions",
                   .form = "FLOAT",
                   .absent = "1024",
                   .help = "Results under one key that are ever shared",
                   .set = [](O& o, const W& w) { shared(o).decryptions = w.real(1, kMostDecryptions); },
                   .given = [](const O& o) { return o.share.has_value(); },
                   .measured = true,
                   .needs = "share"});
  table.push_back({.name = "owners",
                   .form = "N,T",
                   .absent = "",
                   .help = "The secret key has N owners, of whom T decrypt (tacit group): choose parameters that leave "
                           "room for their noise, and refuse what it would hide; needs --calibrate",
                   .set = set_owners,
                   .given = [](const O& o) { return o.owners.has_value(); },
                   .heeded = Heeded::by_slots,
                   .not_automatic = "--owners shares the secret key of slots: give --scheme ckks as well"});
  table.push_back({.name = "costs",
                   .form = "FILE",
                   .absent = "",
                   .help = "Prices of the machine that computes (JSON, from 'tacit bench cost --output FILE'); without "
                           "it choices go by those of docs/bench.md's machine, and plans show times by a measurement "
                           "of this one",
                   .set = [](O& o, const W& w) { o.costs = w.only(); },
                   .given = [](const O& o) { return !o.costs.empty(); },
                   .heeded = Heeded::by_slots,
                   .not_automatic =
                       "--costs prices CKKS alone, so that it says nothing about which scheme takes less time: give "
                       "--scheme ckks as well, or leave it out"});
  table.push_back({.name = "client-before",
                   .form = "on|off",
                   .absent = "on",
                   .help = "on: the client may run operators on its inputs in the clear, before anything is encrypted; "
                           "off: none",
                   .set =
                       [](O& o, const W& w) {
                         o.client_before = w.one_of<bool>({{"on", true}, {"off", false}});
                       },
                   .given = [](const O& o) { return !o.client_before; },
                   .measured = true,
                   .former = "client-pre"});
  table.push_back({.name = "keep-private",
                   .form = "NODE",
                   .absent = "",
                   .help = "A node (by name, repeated for several) that the client may not run, because it holds what "
                           "the model's owner keeps",
                   .set = [](O& o, const W& w) { o.keep_private = w.all(); },
                   .given = [](const O& o) { return !o.keep_private.empty(); },
                   .repeats = true,
                   .measured = true});
  table.push_back({.name = "max-error",
                   .form = "SHARE",
                   .absent = "",
                   .help = "Largest expected error of any output, as a share of its range (0.05 or 5%): above it the "
                           "network is refused before any key exists. Errors are stated from the calibration samples",
                   .set = [](O& o, const W& w) { o.max_error = w.share(); },
                   .given = [](const O& o) { return o.max_error.has_value(); }});
  table.push_back({.name = "shape",
                   .form = "NAME=1,3,224,224",
                   .absent = "",
                   .help = "The shape of an input whose axes the model leaves open (repeated for several). A leading 1 "
                           "takes the rows of a fixed batch one at a time; a leading n encrypts n rows together",
                   .set = set_shapes,
                   .given = [](const O& o) { return !o.shapes.empty(); },
                   .repeats = true,
                   .measured = true,
                   .group = OptionGroup::model});
  table.push_back({.name = "constant",
                   .form = "NAME=NUMBER|NAME=FILE.npy",
                   .absent = "",
                   .help = "An input that is public and the same for everybody, as a sampling rate; it is not "
                           "encrypted (repeated for several)",
                   .set = set_constants,
                   .given = [](const O& o) { return !o.constants.empty() || !o.constant_files.empty(); },
                   .repeats = true,
                   .measured = true,
                   .group = OptionGroup::model});
  return table;
}

}  // namespace

std::span<const CompileOption> compile_options() {
  static const std::vector<CompileOption> table = made_table();
  return table;
}

const CompileOption& compile_option(std::string_view name) {
  std::string dashed(name);
  std::ranges::replace(dashed, '_', '-');
  for (const CompileOption& option : compile_options())
    if (option.name == dashed || (!option.former.empty() && option.former == dashed)) return option;
  std::vector<std::string_view> names;
  for (const CompileOption& option : compile_options()) names.push_back(option.name);
  base::refuse("there is no option '{}'; options of a compilation are {}", printable(std::string(name.substr(0, 200))),
               fmt::join(names, ", "));
}

void set(const CompileOption& option, CompileOptions& options, const std::vector<std::string>& words) {
  option.set(options, OptionWords(option.name, words));
}

void require_heeded(const CompileOptions& options) {
  if (options.share && !options.share->bits)
    throw base::InputError(
        "--share-statistical-bits and --share-decryptions promise something of shared results: give "
        "their bits as well (--share)");
  if (options.owners && options.share)
    throw base::InputError(
        "--share is about results that the owner of a key shows to others, and --owners floods all results: leave one "
        "of the two out");
  if (options.calibration_trim && !is_trim(*options.calibration_trim))
    base::refuse("--calibrate-trim {}: give a number of rows, or a share below 1", *options.calibration_trim);
  for (const CompileOption& option : compile_options()) {
    if (!option.given(options)) continue;
    if (options.scheme == Scheme::ckks && option.heeded == Heeded::by_integers)
      base::refuse("--{} belongs to networks on integers: give --scheme tfhe as well", option.name);
    if (options.scheme == Scheme::tfhe && option.heeded == Heeded::by_slots)
      base::refuse("--{} belongs to --scheme ckks, not to integers (--scheme tfhe)", option.name);
    if (options.scheme == Scheme::automatic && !option.not_automatic.empty())
      throw base::InputError(std::string(option.not_automatic));
  }
}

}  // namespace tacit::session
