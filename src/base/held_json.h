#pragma once

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/json_text.h"

namespace tacit::base {

/// Holds JSON from outside that can be destroyed after memory has run out. The destructor of nlohmann::json allocates,
/// and a failed allocation in a destructor ends the process. This destructor allocates nothing: it empties the tree
/// from its leaves. Its recursion is as deep as JsonBounds allow.
class HeldJson {
 public:
  HeldJson() = default;
  /// Parses as json_from does.
  HeldJson(std::string_view text, std::string_view what, const JsonBounds& bounds);
  HeldJson(HeldJson&& other) noexcept : value_(std::exchange(other.value_, nullptr)) {}
  HeldJson& operator=(HeldJson&&) = delete;
  ~HeldJson() { release(value_); }

  const nlohmann::json& operator*() const { return value_; }
  const nlohmann::json* operator->() const { return &value_; }
  operator const nlohmann::json&() const { return value_; }  // NOLINT(google-explicit-constructor): stands for it

 private:
  static void release(nlohmann::json& value) noexcept;
  nlohmann::json value_;
};

}  // namespace tacit::base
