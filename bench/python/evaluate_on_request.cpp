// The C++ side of a comparison in turns; tools/measure_python.py is the other side. It reads a server's half,
// evaluation keys and encrypted inputs. For every line of standard input it evaluates the inputs and prints the
// seconds.

#include <fmt/format.h>
#include <tacit/model.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <iostream>
#include <string>

namespace {

struct Options {
  std::string model, keys, input;
  int threads = 0;
};

void serve(const Options& options) {
  tacit::set_threads(options.threads);
  const auto model = tacit::ServerModel::load(options.model);
  const auto inputs = tacit::EncryptedTensors::load(model, options.input);
  tacit::Server server(model, tacit::ModelKeys::load(model, options.keys));
  for (std::string line; std::getline(std::cin, line);) {
    const auto start = std::chrono::steady_clock::now();
    server.evaluate(inputs);
    fmt::print("{:.6f}\n", std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Evaluates by the C++ interface once for every line of standard input, and prints the seconds");
  app.add_option("model", options.model, "The server's half")->required();
  app.add_option("keys", options.keys, "Evaluation keys")->required();
  app.add_option("input", options.input, "Encrypted inputs")->required();
  app.add_option("--threads", options.threads, "Threads; 0 uses every processor")->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    serve(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
