#include "app/service/embedded_files.h"

#include "base/embedded_file.h"

namespace tacit::app::service {

TACIT_EMBED(page_html, TACIT_SERVICE_PAGE "/index.html");
TACIT_EMBED(page_script, TACIT_SERVICE_PAGE "/page.js");
TACIT_EMBED(page_style, TACIT_SERVICE_PAGE "/page.css");
TACIT_EMBED(openapi, TACIT_SERVICE_PAGE "/openapi.json");

}  // namespace tacit::app::service
