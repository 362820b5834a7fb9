#include <tacit/version.h>

#include <string>

#include "app/python/bindings.h"
#include "app/python/bytes.h"
#include "app/python/errors.h"
#include "app/python/guarded_objects.h"
#include "app/python/owners.h"
#include "app/python/search.h"

PYBIND11_MODULE(_core, core) {
  using namespace tacit::app::python;
  translate_errors();
  bind_bytes(core);
  bind_model(core);
  bind_validation(core);
  bind_receipt(core);
  bind_merkle(core);
  bind_search(core);
  bind_owners(core);
  bind_tiles(core);
  guard_objects(core);
  guard_objects(core.attr("tile"));
  core.attr("__version__") = std::to_string(TACIT_VERSION_MAJOR) + "." + std::to_string(TACIT_VERSION_MINOR) + "." +
                             std::to_string(TACIT_VERSION_PATCH);
  core.def("build_info", &tacit::build_info);
}
