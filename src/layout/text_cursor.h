#pragma once

#include <string>
#include <string_view>

#include "layout/layout.h"

namespace tacit::layout {

/// A cursor over the notations of this room. Spaces before a word do not matter, unless the notation fixes them. Every
/// failure is an InputError that names the text and the place.
class TextCursor {
 public:
  /// `what` names the text: "mesh", "tile shape".
  TextCursor(std::string_view what, std::string_view text, bool skips_spaces = true)
      : what_(what), text_(text), skips_spaces_(skips_spaces) {}

  bool take(std::string_view word);
  void expect(std::string_view word);
  /// Reads letters, digits and '_', possibly none.
  std::string word();
  /// Reads the name of an axis of a mesh.
  std::string name();
  bool at_number();
  /// Reads a number of at most 18 digits.
  Index number();
  /// Reads `open`, items with separators between them (possibly none), and `close`. item() reads one item.
  template <class Item>
  void list(std::string_view open, std::string_view separator, std::string_view close, const Item& item) {
    expect(open);
    if (take(close)) return;
    do item();
    while (take(separator));
    expect(close);
  }
  bool at_end();
  void expect_end();
  [[noreturn]] void fail(const std::string& why) const;

  /// Returns true if a word can name an axis: up to 16 letters, digits and '_', a letter first.
  static bool is_name(std::string_view word);

 private:
  /// Moves on while `is` holds for the characters, and returns the passed characters.
  template <class Is>
  std::string_view run_of(const Is& is);
  void skip_spaces();

  std::string_view what_, text_;
  bool skips_spaces_;
  std::size_t at_ = 0;
};

}  // namespace tacit::layout
