#include "app/service/embedded_files.h"

// As bytes of the program.
#define TACIT_EMBED(name, file)                                                                     \
  asm(".pushsection .rodata, \"a\"\n"                                                               \
      ".hidden tacit_service_" #name "\n.hidden tacit_service_" #name                               \
      "_end\n"                                                                                      \
      ".global tacit_service_" #name "\n.global tacit_service_" #name                               \
      "_end\n"                                                                                      \
      "tacit_service_" #name ":\n.incbin \"" TACIT_SERVICE_PAGE "/" file                            \
      "\"\n"                                                                                        \
      "tacit_service_" #name "_end:\n.byte 0\n.popsection\n");                                      \
  extern "C" const char tacit_service_##name[], tacit_service_##name##_end[];                       \
  namespace {                                                                                       \
  std::string_view embedded_##name() { return {tacit_service_##name, tacit_service_##name##_end}; } \
  }

TACIT_EMBED(html, "index.html")
TACIT_EMBED(script, "page.js")
TACIT_EMBED(style, "page.css")
TACIT_EMBED(openapi, "openapi.json")

namespace tacit::app::service {

std::string_view page_html() { return embedded_html(); }
std::string_view page_script() { return embedded_script(); }
std::string_view page_style() { return embedded_style(); }
std::string_view openapi() { return embedded_openapi(); }

}  // namespace tacit::app::service
