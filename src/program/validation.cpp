#include "program/validation.h"

namespace tacit::program {

const char* name(Detail detail) {
  switch (detail) {
    case Detail::network: return "nn";
    case Detail::vector: return "vector";
    case Detail::instruction: return "instruction";
  }
  return "";
}

std::optional<Detail> detail_named(std::string_view text) {
  for (const Detail detail : {Detail::network, Detail::vector, Detail::instruction})
    if (text == name(detail)) return detail;
  return std::nullopt;
}

}  // namespace tacit::program
