#pragma once

#include <string_view>

namespace tacit::app::service {

/// Files of `page/` that are part of the program.
std::string_view page_html();
std::string_view page_script();
std::string_view page_style();
std::string_view openapi();

}  // namespace tacit::app::service
