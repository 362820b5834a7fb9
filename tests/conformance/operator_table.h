#pragma once

#include <map>
#include <string>
#include <vector>

#include "node_case.h"

namespace tacit::conformance {

/// How one case ended.
struct Outcome {
  bool matched = false;
  bool on_client = false;    ///< the client runs some of it, before encryption or after decryption
  bool all_private = false;  ///< every real input was encrypted, not only the first
  double error = 0;
  std::string refusal;
};

/// The first part of docs/operators.md: the operators that are declared.
std::string declared_operators();

/// docs/operators.md: what the compiler takes, and how many of the ONNX project's cases show it.
class OperatorTable {
 public:
  void add(const NodeCase& node_case, const Outcome& outcome);
  std::string to_markdown() const;

 private:
  struct Row {
    std::size_t matched = 0, on_client = 0, refused = 0;
    std::string refusal;  ///< of the first refused case
  };
  std::map<std::string, Row> rows_;
};

}  // namespace tacit::conformance
