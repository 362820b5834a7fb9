#pragma once

/// The options of a compilation: one struct, and one table with a row for each option. The command, C++ and Python read
/// the same table, so that an option has one name, one meaning and one refusal everywhere.

#include <tacit/disclosure.h>
#include <tacit/handle.h>
#include <tacit/insecure.h>
#include <tacit/progress.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tacit {

/// One number per element, row-major, for every input (or output) of a model in its order.
using Tensors = std::vector<std::vector<double>>;
using Shape = std::vector<std::int64_t>;

/// The encryption scheme of a network.
enum class Scheme {
  ckks,       ///< real numbers in slots: convolutional networks, wide layers, many outputs as real numbers
  tfhe,       ///< integers and tables: decision trees, small networks at low latency, functions that jump
  automatic,  ///< for CompileOptions: the scheme with the shorter planned time; a note in the plan says why
};

/// For CompileOptions::batch: the number of inputs per run that makes an input cheapest within the memory budget.
inline constexpr std::int64_t kCheapestBatch = 0;

/// Options of compile(). A field marked "slots" (CKKS) or "integers" (TFHE) applies to that scheme only. Setting it for
/// the other one is an error (InputError). With Scheme::automatic each scheme reads its own fields. `set_option` sets a
/// field by the name that the command and Python use.
/// The owners of one secret key.
struct Owners {
  int owners = 0;     ///< 2 or more
  int threshold = 0;  ///< the owners who decrypt together, from 2 to all
};

struct CompileOptions {
  /// Public inputs, already preprocessed, from which the ranges of approximated functions are measured. Models with
  /// functions that are not polynomials need them. Never use private inputs.
  std::vector<Tensors> calibration{};
  /// The ranges that calibrate() measured, in place of calibration samples: JSON, or the name of a file. If `scheme` is
  /// automatic, it is the scheme that they were measured for.
  std::string ranges{};
  /// A publicly known range of every input element, such as the range of preprocessed bytes.
  std::optional<std::pair<double, double>> input_range{};
  /// The largest number (1 or more) or share (below 1) of calibration samples that may be set aside. These are samples
  /// far from all others, and a warning names them. 0: none. Not given: 1 or 2, or 1 % of many.
  std::optional<double> calibration_trim{};
  /// Shapes by name, for inputs that have open axes in the model. A leading 1 takes the rows of a fixed batch one at a
  /// time.
  std::map<std::string, Shape> shapes{};
  /// Inputs, by name, that are public and the same for everybody, such as a sampling rate. The number fills the input's
  /// shape. These inputs are not encrypted.
  std::map<std::string, double> constants{};
  /// The same for inputs that are arrays: names of .npy files.
  std::map<std::string, std::string> constant_files{};
  /// A parameter set of `scheme`: its name, its JSON literal, or the name of a file with a literal. Empty: chosen by
  /// cost. InputError if `scheme` is automatic.
  std::string parameters{};
  /// Allows or refuses a literal in `parameters` that is marked insecure.
  InsecureParameters insecure = InsecureParameters::refuse;
  /// A hard bound on keys, encoded weights and values together; 0: the memory of this machine. If another machine will
  /// compute the model, give the memory of that one.
  std::uint64_t memory_bytes = 0;
  /// Slots: the largest degree of an approximating polynomial, 1 to 1023. 0: 59, and more if probabilities or numbers
  /// would be off by a 1000th of their range.
  int max_degree = 0;
  /// Slots: the largest error of an approximating polynomial, as a share of the function's largest value on its
  /// interval. A model with a larger error is refused.
  double max_polynomial_error = 0.1;
  /// The largest expected error of an output, as a share of its range. A model with a larger error is refused. The
  /// error is stated from the calibration samples, so a bound without them is refused. None: no bound.
  std::optional<double> max_error{};
  /// Slots: bits of precision of every decrypted output, 1 to 40: 12 deviations of its noise stay below 2^-precision of
  /// its range over the calibration samples. Parameters are chosen for it, also sets with precise bootstraps, and a
  /// model that no set is precise enough for is refused. Needs calibration samples or ranges. 0: as many bits as the
  /// answers of the samples need.
  int precision = 0;
  /// Allows the client to run operators of the model on its inputs, in the clear, before it encrypts.
  bool client_before = true;
  /// Nodes, by name, that the client may not run, because they hold secrets of the model's owner.
  std::vector<std::string> keep_private{};
  /// Slots: prices of the machine that will compute, from `tacit bench cost --output FILE`: JSON, or the name of the
  /// file. Empty: the shipped prices. InputError if `scheme` is automatic.
  std::string costs{};
  /// Receives the progress of compilation, and may cancel it.
  Progress* progress = nullptr;
  /// Slots: the number of inputs that one run takes side by side, 1 to 4096. They share ciphertexts, so that each takes
  /// less time, and a single input takes more.
  std::int64_t batch = 1;
  Scheme scheme = Scheme::ckks;
  /// Integers: bits of a table's argument, of weights, and of the features of trees, 2 to 8; 0: 6. Slots: bits of the
  /// features of trees; 0: 4. A network on slots without trees refuses it.
  int bits = 0;
  /// Integers: log2 of the probability that a lookup, or the decryption of a result, fails: -40, -64 or -128; 0: -128.
  double log2_failure = 0;
  /// Integers: rounds sums that have more bits than tables exactly, bit by bit or by wider tables. Decrypted results
  /// then equal `simulate`. Otherwise noise may move an argument of a table to the next box, and evaluation
  /// takes a fraction of the time. InputError if `scheme` is automatic.
  bool exact_rounding = false;
  /// Slots: meshes that nodes run on, instead of the compiler's choice. Each entry is an argument of the command's
  /// --shard or the content of such a file:
  /// - text such as "conv1=x:4,y:2",
  /// - the name of a file,
  /// - a JSON object of nodes and their meshes,
  /// - lines that `tacit plan --explain sharding` prints.
  /// InputError if `scheme` is automatic.
  std::vector<std::string> shard{};
  /// The bits that results for others shall keep, and the promise about them. `bits` must be set. On slots, parameters
  /// leave room for them, and calibration samples or ranges are needed. On integers, a model is refused if noise
  /// decides a part of its results, or changes them more often than promised.
  std::optional<Disclosure> share{};
  /// Slots: the owners of the secret key, and how many of them decrypt (tacit/owners.h). Parameters leave room for the
  /// noise of their keys and for the flood of their results. The model is refused if the flood would change labels of
  /// calibration samples, or hide numbers. Needs calibration samples.
  std::optional<Owners> owners{};
  /// Passes of the compiler that do not run, by name: to see what they gain. InputError if `scheme` is automatic.
  std::vector<std::string> skipped_passes{};
  /// Receives what passes made or decided and rejected, with prices: the name of the pass, and text.
  std::function<void(const std::string& pass, const std::string& text)> explain{};
  /// The passes that `explain` receives, by name. Empty: all.
  std::vector<std::string> explained_passes{};
};

/// A row of the table of options, for people and for programs that offer the options in another form.
struct OptionRow {
  std::string name;    ///< of the command, without "--"; with "_" in place of "-" in Python
  std::string form;    ///< the form of its words: "INT", "A,B", "on|off"
  std::string absent;  ///< what holds without the option
  std::string help;
  bool slots = true, integers = true;  ///< schemes that heed it
  bool repeats = false;                ///< takes several words
};

/// Returns the table: every option of `tacit compile`, `plan`, `run` and `validate` that changes what is compiled.
TACIT_API std::vector<OptionRow> option_table();

/// Sets the option of this name by words, as the command takes them: set_option(options, "max-degree", {"59"}). Names
/// may have "_" in place of "-". Throws InputError for an unknown name, and for words that are not of the option's form
/// or outside its bounds.
TACIT_API void set_option(CompileOptions& options, std::string_view name, const std::vector<std::string>& words);

}  // namespace tacit
