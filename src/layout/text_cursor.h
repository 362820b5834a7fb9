#pragma once

#include <string>
#include <string_view>

#include "layout/layout.h"

namespace tacit::layout {

/// A cursor over the notations of this room. Spaces before a word do not matter, unless the notation fixes them. Every
/// failure is an InputError that names the text and the place.
class TextCursor {
 public:
  /// `what` is read: "mesh", "tile shape".
  TextCursor(std::string_view what, std::string_view text, bool skips_spaces = true)
      : what_(what), text_(text), skips_spaces_(skips_spaces) {}

  bool take(std::string_view word);
  void expect(std::string_view word);
  /// Letters, digits and '_', possibly none.
  std::string word();
  /// Of an axis of a mesh.
  std::string name();
  bool at_number();
  /// Of at most 18 digits.
  Index number();
  /// `open`, items with separators between them, possibly none, and `close`. item() reads one.
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

  /// Whether a word can name an axis: up to 16 letters, digits and '_', a letter first.
  static bool is_name(std::string_view word);

 private:
  /// Moves on while characters are such, and returns what it passed.
  template <class Is>
  std::string_view run_of(const Is& is);
  void skip_spaces();

  std::string_view what_, text_;
  bool skips_spaces_;
  std::size_t at_ = 0;
};

}  // namespace tacit::layout
