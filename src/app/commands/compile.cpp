#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "app/command_line.h"
#include "app/commands/add_command.h"
#include "app/commands/commands.h"
#include "app/options.h"
#include "app/output.h"
#include "app/progress_bar.h"
#include "app/warnings.h"
#include "base/byte_size.h"
#include "base/error.h"
#include "session/output_files.h"
#include "session/owner/compiled_network.h"
#include "session/owner/plan_text.h"
#include "session/stopwatch.h"

namespace tacit::app::commands {
namespace {

struct CompileCommandOptions : NetworkOptions {
  std::filesystem::path folder, server, client;
};

int compile(const CompileCommandOptions& options) {
  options.compute.apply();
  std::filesystem::path server = options.server, client = options.client;
  if (!options.folder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.folder, error);
    if (error) base::refuse("the folder {} cannot be made: {}", options.folder.string(), error.message());
    if (server.empty()) server = options.folder / "server.tacit";
    if (client.empty()) client = options.folder / "client.tacit";
  }
  if (server.empty() || client.empty())
    throw base::InputError("say where the two halves go: -o FOLDER, or --server FILE and --client FILE");
  session::check_output_files({server, client}, {options.model});
  ProgressBar bar;
  const session::Stopwatch watch;
  const std::unique_ptr<session::CompiledNetwork> network = options.compile(bar);
  warn_of(network->warnings());
  const session::HalvesRoots roots = network->save_halves(server, client);
  const double seconds = watch.seconds();
  nlohmann::ordered_json report = network->plan();
  report.erase("instructions");
  report["seconds"] = {{"compile", seconds}};
  report["server"] = {{"file", server.string()},
                      {"bytes", std::filesystem::file_size(server)},
                      {"root", base::hexadecimal(roots.server)}};
  report["client"] = {{"file", client.string()},
                      {"bytes", std::filesystem::file_size(client)},
                      {"root", base::hexadecimal(roots.client)}};
  std::string text = session::plan_text(without_warnings(report)) + "\n";
  for (const char* half : {"server", "client"})
    text +=
        fmt::format("  {}  {} ({})\n          root {}\n", half, report[half]["file"].get<std::string>(),
                    base::byte_size_text(report[half]["bytes"].get<double>()), report[half]["root"].get<std::string>());
  print_report(options.compute.json, report, text);
  return kSuccess;
}

}  // namespace

void add_compile(CLI::App& app, int& status) {
  auto [command, options] =
      add_command(app, status, "compile", "Write the server's and the client's half of a network", compile,
                  "Preprocessing applies to the calibration samples; give the same to encrypt.\n\n"
                  "Example:\n  tacit compile lenet.onnx -o lenet --calibrate train.npy --scale 255 --mean 0.1307 --std "
                  "0.3081 --pad 2\n");
  command.add_option("model", options.model, "The network, an ONNX file")->required();
  command.add_option("-o,--output", options.folder, "Folder for server.tacit and client.tacit");
  command.add_option("--server", options.server, "File for the server's half (with the weights)");
  command.add_option("--client", options.client, "File for the client's half (without weights)");
  options.add_to(command);
}

}  // namespace tacit::app::commands
