#pragma once

#include <stdexcept>
#include <string>

namespace tacit::app::service {

/// A refused request, as a status of HTTP and one sentence for the client.
class Refusal : public std::runtime_error {
 public:
  /// `retry_after` is in seconds if trying again helps; 0: it does not help.
  Refusal(int status, const std::string& sentence, int retry_after = 0)
      : std::runtime_error(sentence), status_(status), retry_after_(retry_after) {}
  int status() const { return status_; }
  int retry_after() const { return retry_after_; }

 private:
  int status_, retry_after_;
};

}  // namespace tacit::app::service
