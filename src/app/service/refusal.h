#pragma once

#include <stdexcept>
#include <string>

namespace tacit::app::service {

/// A request that is not served: what its client is told, as a status of HTTP and one sentence.
class Refusal : public std::runtime_error {
 public:
  /// `retry_after` in seconds, where trying again helps; 0: it does not.
  Refusal(int status, const std::string& sentence, int retry_after = 0)
      : std::runtime_error(sentence), status_(status), retry_after_(retry_after) {}
  int status() const { return status_; }
  int retry_after() const { return retry_after_; }

 private:
  int status_, retry_after_;
};

}  // namespace tacit::app::service
