#include "base/progress.h"
#include "graph/onnx/import.h"
#include "mutate_bytes.h"
#include "onnx_models.h"
#include "session/owner/compilation.h"
#include "session/owner/plan_reading.h"
#include "session/owner/plan_text.h"
#include "session/owner/slots/plan.h"

namespace tacit::fuzz {

std::string_view target_name() { return "plan"; }

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  const std::vector<Bytes> models = small_onnx_models();
  graph::CompileOptions options;
  options.parameters = params::CkksLiteral{
      .name = "small", .log_n = 8, .q_bits = {50, 40, 40, 40, 40}, .p_bits = {50}, .log_scale = 40, .insecure = true};
  for (const std::size_t i : {std::size_t{0}, std::size_t{3}}) {
    const session::Compilation compilation = session::compile_graph(
        "m.onnx", graph::onnx::import_bytes(text_of(models[i]), "m.onnx"), options, base::Progress::silent());
    all.push_back(bytes_of(session::plan_json(compilation).dump()));
  }
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_text(from, other, random); }

/// Text is a plan that can be shown, or refused; what is shown has no control characters that a terminal would act on.
void check(std::span<const std::uint8_t> bytes) {
  session::reading_plan(std::string(text_of(bytes)), [](const nlohmann::ordered_json& plan) {
    const std::string text = session::plan_text(plan) + session::instructions_text(plan);
    for (const char c : text)
      require(c == '\n' || static_cast<unsigned char>(c) >= 0x20, "a plan does not speak to the terminal");
  });
}

}  // namespace tacit::fuzz
