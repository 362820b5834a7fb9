// Checks that the models of all sizes are compiled. The harness names no size here, so nothing is prepared.

#include "stage.h"

int main() {
  return stage::run("server_preprocess_model", [] {
    const stage::Workload workload = stage::Workload::read();
    for (const auto& [size, width] : workload.width)
      stage::require(stage::model_folder(workload, size) / "server.tacit", "the submission's build");
  });
}
