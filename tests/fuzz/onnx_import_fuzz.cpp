#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "graph/onnx/import.h"

/// Any bytes are a model or an InputError: nothing else leaves the importer.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    tacit::graph::onnx::import_bytes({reinterpret_cast<const char*>(data), size}, "fuzz");
  } catch (const tacit::base::InputError&) {
    return 0;
  }
  return 0;
}
