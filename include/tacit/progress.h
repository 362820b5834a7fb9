#pragma once

#include <tacit/error.h>

#include <cstdint>
#include <string_view>

namespace tacit {

/// The work was stopped because its `Progress` said so.
class TACIT_API Cancelled : public Error {
 public:
  using Error::Error;
};

/// Receives the progress of a long piece of work, and may cancel it: derive from it. Stages may nest. Calls come from
/// any thread, several at once. If work ends by an exception, its own or one of a derived class, `end` is not called
/// for the open stages. Take a new object for the next work.
class TACIT_API Progress {
 public:
  virtual ~Progress() = default;
  /// `begin` starts a stage of `total` steps (0: unknown). `advance` reports `done` more finished steps, and `end` ends
  /// the innermost stage. `begin` and `advance` throw Cancelled if `cancelled()` is true. The work then unwinds, and
  /// its unfinished files are removed.
  void begin(std::string_view stage, std::uint64_t total) {
    require_going_on();
    stage_began(stage, total);
  }
  void advance(std::uint64_t done = 1) {
    require_going_on();
    steps_done(done);
  }
  void end() { stage_ended(); }
  /// Returns an object that shows nothing and never cancels.
  static Progress& silent();

 protected:
  virtual void stage_began(std::string_view stage, std::uint64_t total) = 0;
  virtual void steps_done(std::uint64_t done) = 0;
  virtual void stage_ended() = 0;
  virtual bool cancelled() const { return false; }

 private:
  void require_going_on() const {
    if (cancelled()) throw Cancelled("cancelled");
  }
};

namespace detail {
class Silence final : public Progress {
  void stage_began(std::string_view, std::uint64_t) override {}
  void steps_done(std::uint64_t) override {}
  void stage_ended() override {}
};
}  // namespace detail

inline Progress& Progress::silent() {
  static detail::Silence silence;
  return silence;
}

}  // namespace tacit
