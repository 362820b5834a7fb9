#pragma once

#include <string>
#include <string_view>

#include "layout/layout.h"

namespace tacit::layout {

/// A cursor over the notation of meshes and shardings. Spaces between words do not matter. Every failure is an
/// InputError that names the text and the place.
class ShardingReader {
 public:
  /// `what` is read: "mesh", "array sharding".
  ShardingReader(std::string_view what, std::string_view text) : what_(what), text_(text) {}

  bool take(std::string_view word);
  void expect(std::string_view word);
  /// Letters, digits and '_', beginning with a letter.
  std::string name();
  /// Of at most 18 digits.
  Index number();
  void expect_end();
  [[noreturn]] void fail(const std::string& why) const;

 private:
  void skip_spaces();

  std::string_view what_, text_;
  std::size_t at_ = 0;
};

/// Whether a word can name an axis: up to 16 letters, digits and '_', a letter first.
bool is_axis_name(std::string_view word);

}  // namespace tacit::layout
