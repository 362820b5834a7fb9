#pragma once

/// The part that all stages of a submission share. Submissions are for the benchmarking suite of
/// HomomorphicEncryption.org, workload ml-inference. This header has the harness's folders, the facts of a workload,
/// and the frame of a program.

#include <tacit/error.h>
#include <tacit/model.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace stage {

namespace fs = std::filesystem;

/// The names of the harness's sizes. A program gets the position of a name as its argument.
inline constexpr std::string_view kSizes[] = {"single", "small", "medium", "large"};

/// Inputs in one file of encrypted inputs. Clients and servers hold one file at a time.
inline constexpr std::size_t kInputsPerFile = 1024;

/// Returns the folder of the running program, where the build puts workload.txt and the compiled models.
inline fs::path beside_program() { return fs::read_symlink("/proc/self/exe").parent_path(); }

/// The facts of a workload that programs need. `tools/suite.py make` writes them.
struct Workload {
  std::size_t values = 0;            ///< numbers per input
  std::vector<double> mean, std;     ///< one number per channel
  std::map<std::string, int> width;  ///< by size: inputs that one run takes side by side

  static Workload read() {
    const fs::path path = beside_program() / "workload.txt";
    std::ifstream file(path);
    if (!file) throw tacit::InputError(path.string() + " is missing: build the submission with its CMakeLists.txt");
    Workload found;
    std::string word;
    while (file >> word) {
      if (word == "values") {
        file >> found.values;
      } else if (word == "channel") {
        double mean = 0, std = 0;
        file >> mean >> std;
        found.mean.push_back(mean);
        found.std.push_back(std);
      } else if (word == "width") {
        file >> word;
        file >> found.width[word];
      } else {
        throw tacit::InputError(path.string() + " has the unknown word '" + word + "': make the submission again");
      }
    }
    if (found.values == 0 || found.mean.empty() || found.values % found.mean.size() != 0)
      throw tacit::InputError(path.string() + " states no input: make the submission again");
    return found;
  }
};

/// The folders of one size, below the folder in which the harness runs.
struct Folders {
  std::string size;

  fs::path dataset() const { return fs::path("datasets") / size / "intermediate"; }
  fs::path io() const { return fs::path("io") / size; }
  fs::path pixels() const { return dataset() / "test_pixels.txt"; }
  fs::path public_keys() const { return io() / "public_keys"; }
  fs::path secret_key() const { return io() / "secret_key"; }
  fs::path questions() const { return io() / "ciphertexts_upload"; }
  fs::path answers() const { return io() / "ciphertexts_download"; }
  fs::path intermediate() const { return io() / "intermediate"; }
  fs::path predictions() const { return io() / "encrypted_model_predictions.txt"; }
  fs::path keys_file() const { return public_keys() / "keys.tacit"; }
  fs::path secret_file() const { return secret_key() / "secret.tacit"; }
  fs::path inputs_file() const { return intermediate() / "inputs.bin"; }
  fs::path scores_file() const { return intermediate() / "scores.bin"; }
};

/// Returns the size that the only argument names. The harness gives it as a number.
inline std::string size_of(int count, char** arguments) {
  const std::string_view text = count == 2 ? arguments[1] : "";
  unsigned size = std::size(kSizes);
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (failure != std::errc() || end != text.data() + text.size() || size >= std::size(kSizes))
    throw tacit::InputError("expected one argument, the size: 0 (single), 1 (small), 2 (medium) or 3 (large)");
  return std::string(kSizes[size]);
}

/// Returns the folder of the compiled model for a size. Models are compiled once per width.
inline fs::path model_folder(const Workload& workload, const std::string& size) {
  const auto found = workload.width.find(size);
  if (found == workload.width.end())
    throw tacit::InputError("the workload has no size '" + size + "': see the table in the submission's README.md");
  return beside_program() / "models" / std::to_string(found->second);
}

/// Throws unless the file exists. `maker` is the stage that writes it.
inline void require(const fs::path& path, std::string_view maker) {
  if (!fs::exists(path))
    throw tacit::InputError("expected " + path.string() + " in " + fs::current_path().string() + ": run " +
                            std::string(maker) + " first");
}

/// Makes the folder anew, so that no file of an earlier run is left.
inline void start_clean(const fs::path& folder) {
  fs::remove_all(folder);
  fs::create_directories(folder);
}

inline std::size_t elements(const tacit::Shape& shape) {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return static_cast<std::size_t>(product);
}

/// Reads the client's half of a size, and checks that it is a model of this workload.
inline tacit::ClientModel client_model(const Workload& workload, const std::string& size) {
  const fs::path path = model_folder(workload, size) / "client.tacit";
  require(path, "the submission's build");
  tacit::ClientModel model = tacit::ClientModel::load(path);
  const auto shapes = model.input_shapes();
  if (shapes.size() != 1 || elements(shapes[0]) != workload.values || model.output_shapes().size() != 1)
    throw tacit::InputError(path.string() + " is no model of this workload, which has one input of " +
                            std::to_string(workload.values) + " numbers: make the submission with its model");
  return model;
}

/// The files questions-0.tacit, questions-1.tacit and so on of a folder. Answers have the names of their questions.
inline fs::path part(const fs::path& folder, std::size_t number) {
  return folder / ("part-" + std::to_string(number) + ".tacit");
}

/// Rows of doubles in a file, each as long as the first number of the file says.
class RowWriter {
 public:
  RowWriter(const fs::path& path, std::uint64_t length) : path_(path), file_(path, std::ios::binary) {
    file_.write(reinterpret_cast<const char*>(&length), sizeof length);
  }
  void write(const std::vector<double>& row) {
    file_.write(reinterpret_cast<const char*>(row.data()), static_cast<std::streamsize>(row.size() * sizeof(double)));
  }
  /// Throws if anything could not be written, as on a full disk.
  void close() {
    file_.close();
    if (!file_) throw tacit::InputError(path_.string() + " cannot be written: is the disk full?");
  }

 private:
  fs::path path_;
  std::ofstream file_;
};

/// Reads what a RowWriter wrote.
class RowReader {
 public:
  explicit RowReader(const fs::path& path) : path_(path), file_(path, std::ios::binary) {
    std::error_code failure;
    const std::uintmax_t bytes = fs::file_size(path, failure);
    if (failure || !file_.read(reinterpret_cast<char*>(&length_), sizeof length_) || length_ == 0 || length_ > bytes ||
        (bytes - sizeof length_) % (length_ * sizeof(double)) != 0)
      throw tacit::InputError(path.string() + " is damaged: run the stage that writes it again");
  }
  std::uint64_t length() const { return length_; }
  /// Reads the next row. Returns false at the end.
  bool read(std::vector<double>& row) {
    row.resize(length_);
    return static_cast<bool>(
        file_.read(reinterpret_cast<char*>(row.data()), static_cast<std::streamsize>(length_ * sizeof(double))));
  }

 private:
  fs::path path_;
  std::ifstream file_;
  std::uint64_t length_ = 0;
};

/// Seconds by name, as the harness reads them from a submission.
class Steps {
 public:
  /// Runs a step and adds its time to those of this name.
  template <typename Step>
  auto time(const std::string& name, Step&& step) {
    const auto begin = std::chrono::steady_clock::now();
    auto result = std::forward<Step>(step)();
    seconds_[name] += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return result;
  }
  /// Writes a JSON object, which harnesses that know it add to their report.
  void write(const fs::path& path) const {
    std::ofstream file(path);
    const char* separator = "{";
    for (const auto& [name, seconds] : seconds_) {
      file << separator << "\"" << name << "\": " << seconds;
      separator = ", ";
    }
    file << (seconds_.empty() ? "{}" : "}") << "\n";
    file.close();
    if (!file) throw tacit::InputError(path.string() + " cannot be written: is the disk full?");
  }

 private:
  std::map<std::string, double> seconds_;
};

/// Runs a stage. Writes one sentence and returns 1 if the stage throws.
inline int run(std::string_view name, const std::function<void()>& body) {
  try {
    body();
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%.*s: %s\n", static_cast<int>(name.size()), name.data(), error.what());
    return 1;
  }
}

}  // namespace stage
