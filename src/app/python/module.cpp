#include <tacit/version.h>

#include <string>

#include "app/python/bindings.h"
#include "app/python/errors.h"

PYBIND11_MODULE(_core, core) {
  using namespace tacit::app::python;
  translate_errors();
  bind_model(core);
  bind_validation(core);
  bind_receipt(core);
  bind_merkle(core);
  bind_tiles(core);
  core.attr("__version__") = std::to_string(TACIT_VERSION_MAJOR) + "." + std::to_string(TACIT_VERSION_MINOR) + "." +
                             std::to_string(TACIT_VERSION_PATCH);
}
