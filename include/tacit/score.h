#pragma once

/// Compares a compiled model with the plaintext network, on many inputs. For the owner of model and inputs.

#include <tacit/error.h>
#include <tacit/model.h>
#include <tacit/progress.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tacit {

/// Options of score().
struct ScoreOptions {
  std::vector<double> labels{};  ///< true answers, one per input, for the accuracy; may be empty
  bool encrypted = false;        ///< run on ciphertexts under fresh keys; otherwise simulate, in a fraction of the time
  std::uint64_t memory_bytes = 0;  ///< bound of keys, weights and values of an encrypted run; 0: the free memory
  Progress* progress = nullptr;
};

/// Options of cross_fit().
struct CrossFitOptions {
  std::vector<double> labels{};      ///< true answers, one per input, for the accuracy; may be empty
  std::int64_t parts = 5;            ///< 2 to 1000, and at most the number of inputs
  std::int64_t most_samples = 1000;  ///< the most inputs that calibrate one network, taken evenly from the other parts
};

/// An input without an answer.
struct Miss {
  std::size_t input = 0;  ///< counted from 0
  std::string why;
};

/// The result of score() and of cross_fit().
struct Score {
  std::size_t inputs = 0;
  std::vector<Miss> misses;      ///< by input
  std::vector<Tensors> answers;  ///< by input; empty for an input without an answer
  /// The share of inputs that have the plaintext's answer in every output. An input without an answer does not agree.
  double agreement = 0;
  /// The share of answered inputs whose answer is the label, for the compiled model and for the plaintext network. For
  /// a regression, the coefficient of determination R2. None without labels.
  std::optional<double> accuracy{}, plain_accuracy{};
  double seconds = 0;  ///< of evaluation, per answered input
  std::string text;    ///< a table for people
  std::string json;    ///< the scores with the errors of every output, as `tacit run --json` prints them
};

/// Runs the plaintext network and the compiled model on every input, and compares the answers. An input is a miss of
/// this input alone if the model cannot take it, if it drives a value out of the interval that the model was compiled
/// for, or if its answer is no number. Throws InputError
/// - for a model that was read from files,
/// - for labels that are not one per input,
/// - if the model can take none of the inputs,
/// - if the memory of an encrypted run cannot be met.
TACIT_API Score score(const CompiledModel& model, std::span<const Tensors> inputs, const ScoreOptions& options = {});

/// Scores inputs when there are no others to calibrate on. Divides them into parts (input i is in part i mod parts),
/// and simulates each part with a network that is calibrated on the others. `compile` holds no calibration. Slots
/// alone. Throws InputError
/// - as compile() does,
/// - for calibration samples, ranges, or a scheme that is not CKKS,
/// - for parts out of bounds, and for labels that are not one per input.
TACIT_API Score cross_fit(const std::filesystem::path& onnx_file, std::span<const Tensors> inputs,
                          const CompileOptions& compile = {}, const CrossFitOptions& options = {});
/// The same for the bytes of a model, which messages call `name`.
TACIT_API Score cross_fit_bytes(std::string_view onnx, const std::string& name, std::span<const Tensors> inputs,
                                const CompileOptions& compile = {}, const CrossFitOptions& options = {});

}  // namespace tacit
