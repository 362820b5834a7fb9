#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <utility>

namespace tacit::app::commands {

/// Adds a subcommand, and returns it with its options. The caller binds the options, which live as long as the
/// subcommand. The parser's callback calls `carry_out` with them and sets `status` to the result. `footer` ends the
/// help.
template <class Options>
std::pair<CLI::App&, Options&> add_command(CLI::App& app, int& status, const std::string& name,
                                           const std::string& description, int (*carry_out)(const Options&),
                                           const std::string& footer) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(name, description);
  command->footer(footer);
  command->callback([options, carry_out, &status] { status = carry_out(*options); });
  return {*command, *options};
}

}  // namespace tacit::app::commands
