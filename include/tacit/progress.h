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

/// Told how far a long piece of work is, and asked whether to go on: derive from it. Stages may nest. Calls come from
/// any thread, several at once. Where work ends by an exception, its own or one of a derived class, `end` is not called
/// for the stages that were open: take a new object for the next work.
class TACIT_API Progress {
 public:
  virtual ~Progress() = default;
  /// A stage of `total` steps (0: unknown) begins, `done` of them are finished, the innermost stage ends. The first two
  /// throw Cancelled where `cancelled()` is true: the work unwinds, and what it had begun to write is removed.
  void begin(std::string_view stage, std::uint64_t total) {
    require_going_on();
    stage_began(stage, total);
  }
  void advance(std::uint64_t done = 1) {
    require_going_on();
    steps_done(done);
  }
  void end() { stage_ended(); }
  /// One that shows nothing and never cancels.
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
