#include "graph/passes/refusal.h"

#include <fmt/format.h>

#include "graph/attribute.h"
#include "graph/declaration.h"

namespace tacit::graph::passes {

void refuse_operator(const Node& node, const std::string& reason, bool tables) {
  std::string message = reason.empty() ? "this operator has no encrypted form" : reason + " has no encrypted form";
  if (const Operator* op = find_operator(node.op)) {
    const std::string_view on_integers = integers_form(*op);
    message += fmt::format("; supported: {}", tables && on_integers != kAsOnSlots ? on_integers : slots_form(*op));
  }
  refuse(node, message);
}

}  // namespace tacit::graph::passes
