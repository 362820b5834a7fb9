#include "base/progress.h"

namespace tacit::base {

Progress& Progress::silent() {
  struct Silent final : Progress {
    void begin(std::string_view, std::uint64_t) override {}
    void advance(std::uint64_t) override {}
    void end() override {}
  };
  static Silent sink;
  return sink;
}

}  // namespace tacit::base
