#pragma once

#include <tacit/compile_options.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "session/owner/options/option_words.h"

namespace tacit::session {

/// The schemes that heed an option.
enum class Heeded { by_both, by_slots, by_integers };

/// The part of a command's help that an option stands in.
enum class OptionGroup { compilation, model };

/// One option of a compilation, in the words of every face of the product.
struct CompileOption {
  std::string_view name;    ///< of the command, without "--"; Python has '_' in place of '-'
  std::string_view form;    ///< the form of its words, for people
  std::string_view absent;  ///< what holds without it, for people; may be empty
  std::string help;
  void (*set)(CompileOptions&, const OptionWords&);
  bool (*given)(const CompileOptions&);  ///< true if the options differ from what holds without it
  Heeded heeded = Heeded::by_both;
  int numbers = 1;                   ///< numbers that it takes, in one word with commas or in as many words
  bool repeats = false;              ///< takes several words
  bool measured = false;             ///< changes what is measured on samples, so that a file of ranges states it
  std::string_view not_automatic{};  ///< why it is refused where the scheme is chosen; empty if it is not
  std::string_view needs{};          ///< another option that must be given, or empty
  std::string_view former{};         ///< its name in the version before, which still works; empty if there is none
  OptionGroup group = OptionGroup::compilation;
};

/// Returns the table, in the order of a command's help.
std::span<const CompileOption> compile_options();

/// Returns the option of this name, or of this former name. '_' counts as '-'. Throws InputError if there is none.
const CompileOption& compile_option(std::string_view name);

/// Sets an option by words. Throws InputError as OptionWords does.
void set(const CompileOption& option, CompileOptions& options, const std::vector<std::string>& words);

/// Throws InputError for an option that the scheme does not heed, that cannot stand with Scheme::automatic, or that
/// lacks another one. It names the option.
void require_heeded(const CompileOptions& options);

}  // namespace tacit::session
