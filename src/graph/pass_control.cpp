#include "graph/pass_control.h"

namespace tacit::graph {

const PassControl& PassControl::all() {
  static const PassControl kAll;
  return kAll;
}

}  // namespace tacit::graph
