#pragma once

#include <cstdint>
#include <string_view>

namespace tacit::base {

/// Told how far a long piece of work is. Implementations must be thread safe.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void begin(std::string_view stage, std::uint64_t total) = 0;
  virtual void advance(std::uint64_t done = 1) = 0;
  virtual void end() = 0;
  /// A sink that ignores everything.
  static Progress& silent();
};

}  // namespace tacit::base
