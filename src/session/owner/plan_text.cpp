#include "session/owner/plan_text.h"

#include <fmt/format.h>

#include <functional>

#include "base/byte_size.h"
#include "base/json_fields.h"
#include "base/percent_text.h"
#include "session/owner/client_steps.h"
#include "session/owner/expected_errors.h"
#include "session/sentence.h"
#include "session/table.h"

namespace tacit::session {
namespace {

using Json = nlohmann::ordered_json;
/// Adds a line of a name and a value.
using Line = std::function<void(const char* name, const std::string& value)>;

bool on_integers(const Json& plan) { return plan.at("scheme") == "tfhe"; }

double number(const Json& json, const char* field) { return json.at(field).get<double>(); }
std::string words(const Json& json, const char* field) { return json.at(field).get<std::string>(); }
std::string size(const Json& json, const char* field) { return base::byte_size_text(number(json, field)); }

/// `run`: what a run of several inputs takes. `weights`: what the model holds beside keys.
std::string estimate_text(const Json& estimate, double threads, const std::string& run, const char* weights) {
  return fmt::format("{:.3g} s an input{} on {} of {}, {} of keys, {} of {}, {} of ciphertexts",
                     number(estimate, "seconds"), run,
                     threads == 1 ? std::string("one core") : fmt::format("{:.0f} threads", threads),
                     printable(words(estimate, "machine")), size(estimate, "key_bytes"), size(estimate, "weight_bytes"),
                     weights, size(estimate, "ciphertext_bytes"));
}

/// The bytes of inputs under either key. `run`: "an input", or a run of several.
void add_input_bytes(const Json& plan, const std::string& run, const Line& line) {
  if (!plan.contains("public_key")) return;  // missing in earlier files
  const Json& key = plan.at("public_key");
  const bool refused = key.contains("refused") && !key.at("refused").is_null();
  line("encrypted", fmt::format("{} {} to send{}", size(key, "secret_input_bytes"), run,
                                refused ? ", and no public key (keygen --public says why)"
                                        : fmt::format(", {} with a public key", size(key, "public_input_bytes"))));
}

void add_lines_on_slots(const Json& plan, const Line& line) {
  line("parameters",
       fmt::format("{}: N = 2^{:.0f}, log QP {:.1f} of at most {:.0f}", plan.at("parameters").value("name", ""),
                   number(plan, "log_n"), number(plan, "log_qp"), number(plan, "max_log_qp")));
  line("levels", fmt::format("{:.0f}", number(plan, "levels")));
  const double batch = plan.value("batch", 1.0);  // missing in earlier files
  const std::string run = batch == 1 ? "an input" : fmt::format("a run of {:.0f} inputs", batch);
  if (number(plan, "bootstraps") > 0) line("bootstraps", fmt::format("{:.0f} {}", number(plan, "bootstraps"), run));
  line("rotations",
       fmt::format("{:.0f} {}, with {:.0f} keys", number(plan, "rotations"), run, number(plan, "rotation_keys")));
  line("ciphertexts",
       fmt::format("{:.0f} in, {:.0f} out", number(plan, "ciphertexts"), number(plan, "output_ciphertexts")));
  add_input_bytes(plan, run, line);
  const Json& estimate = plan.at("estimate");
  const std::string of_run = batch == 1 ? "" : fmt::format(" ({:.3g} s {})", batch * number(estimate, "seconds"), run);
  const double threads = estimate.value("threads", 1.0);  // missing in earlier files
  line("estimate", estimate_text(estimate, threads, of_run, "weights"));
  if (estimate.contains("encode_seconds")) {  // missing in earlier files, as the other stages
    std::string stages = fmt::format("{:.3g} s to make keys, {:.3g} s to encode weights",
                                     number(estimate, "key_seconds"), number(estimate, "encode_seconds"));
    if (const double anew = number(estimate, "encode_anew_seconds"); anew > 0)
      stages += fmt::format(", {:.3g} s of it anew in every run", anew);
    line("before a run", stages);
  }
  if (estimate.contains("least_memory_bytes"))  // missing in earlier files
    line("memory",
         fmt::format("{} beside the program itself; at least {}, with weights that are encoded anew in every run",
                     size(estimate, "memory_bytes"), size(estimate, "least_memory_bytes")));
  for (const Json& a : plan.at("approximations"))
    line("approximated",
         fmt::format("{} '{}' by degree {} on [{:.4g}, {:.4g}], error at most {:.2g} ({})", words(a, "op"),
                     words(a, "node"), base::whole_number(a.at("degree")), a.at("interval").at(0).get<double>(),
                     a.at("interval").at(1).get<double>(), number(a, "max_error"), words(a, "reason")));
}

/// What of the results may be shown to others.
void add_sharing(const Json& sharing, const Line& line) {
  for (const Json& output : sharing) {
    const std::int64_t bits = base::whole_number(output.at("bits"));
    line("sharing",
         fmt::format("'{}' has noise of 2^{:.1f}: {}", words(output, "output"), number(output, "log_noise"),
                     bits >= 0
                         ? fmt::format("{} bits behind the binary point can be shared (decrypt --share {})", bits, bits)
                     : output.value("labels", true)  // missing in earlier files
                         ? "too much to share numbers; labels can be (decrypt --labels)"
                         : "too much to share numbers; compile with --share for parameters that leave room"));
  }
}

/// The same for results on integers.
void add_shared_numbers(const Json& shared, const Line& line) {
  if (const Json& refused = shared.at("refused"); !refused.is_null())
    line("sharing", "no numbers: " + one_line(refused.get<std::string>()));
  else if (shared.at("log2_failure_of_run").is_null())
    line("sharing", "all numbers can be shared (decrypt --share): noise changes none");
  else
    line("sharing", fmt::format("all numbers can be shared (decrypt --share): noise changes a result with probability "
                                "2^{:.1f}",
                                number(shared, "log2_failure_of_run")));
}

void add_lines_on_integers(const Json& plan, const Line& line) {
  const Json& p = plan.at("parameters");
  const auto small = base::whole_number(p.at("lwe_dimension"));
  line("parameters",
       fmt::format("{}: {}k = {}, N = 2^{}{}", p.value("name", ""), small > 0 ? fmt::format("n = {}, ", small) : "",
                   base::whole_number(p.at("glwe_dimension")), base::whole_number(p.at("log_polynomial")),
                   small > 0 ? fmt::format(", extension 2^{}", base::whole_number(p.at("log_extension")))
                             : ", without lookups and evaluation keys"));
  const double rounding = number(plan, "rounding_bootstraps"), tables = number(plan, "tables_together");
  line(
      "lookups",
      fmt::format("{:.0f} an input, of {:.0f} bits{}{}{}", number(plan, "lookups"), number(plan, "bits"),
                  tables > 1 ? fmt::format("; {:.0f} bootstraps do them, with up to {:.0f} tables each",
                                           number(plan, "bootstraps") - rounding, tables)
                             : "",
                  rounding > 0 ? fmt::format("; {:.0f} bootstraps round their arguments exactly", rounding) : "",
                  number(plan, "rounded_lookups") > 0
                      ? fmt::format("; {:.0f} round their argument to the nearest box, or {} of them to the next",
                                    number(plan, "rounded_lookups"), base::percent_text(number(plan, "neighbour_rate")))
                      : ""));
  if (number(plan, "lookups") > 0 && plan.at("exact").get<bool>())
    line("results", "equal those of --simulate, whatever the noise");
  if (!plan.at("log2_failure_of_run").is_null())
    line("failure", fmt::format("2^{:.0f} a lookup at most, 2^{:.1f} an input", number(plan, "log2_failure"),
                                number(plan, "log2_failure_of_run")));
  line("ciphertexts",
       fmt::format("{:.0f} in, {:.0f} out", number(plan, "ciphertexts"), number(plan, "output_ciphertexts")));
  add_input_bytes(plan, "an input", line);
  const Json& estimate = plan.at("estimate");
  line("estimate", estimate_text(estimate, number(estimate, "threads"), "", "tables and weights"));
  if (estimate.contains("memory_bytes"))  // missing in earlier files
    line("memory", size(estimate, "memory_bytes") + " beside the program itself");
}

std::string instructions_on_slots(const Json& plan) {
  Table table({"operation", "node", "level", "layout", "diagonals", "rotations", "degree", "ms"});
  for (const Json& i : plan.at("instructions")) {
    const auto positive = [&](const char* field) {
      const auto value = base::whole_number(i.at(field));
      return value ? fmt::to_string(value) : std::string();
    };
    table.add({one_line(words(i, "operation")), one_line(words(i, "node")),
               fmt::to_string(base::whole_number(i.at("level"))), one_line(words(i, "layout")), positive("diagonals"),
               positive("rotations"), positive("degree"), fmt::format("{:.2f}", number(i, "seconds") * 1e3)});
  }
  return table.text();
}

std::string instructions_on_integers(const Json& plan) {
  Table table({"operation", "node", "elements", "bits", "tables", "bootstraps", "2-norm", "next box", "ms"});
  for (const Json& i : plan.at("instructions")) {
    const auto tables = base::whole_number(i.at("tables")), bootstraps = base::whole_number(i.at("bootstraps"));
    table.add({one_line(words(i, "operation")), one_line(words(i, "node")),
               fmt::to_string(base::whole_number(i.at("ciphertexts"))),
               fmt::to_string(base::whole_number(i.at("bits"))), tables > 0 ? fmt::to_string(tables) : std::string(),
               bootstraps > 0 ? fmt::to_string(bootstraps) : std::string(), fmt::format("{:.4g}", number(i, "norm2")),
               i.at("neighbour_rate").is_null() ? std::string() : base::percent_text(number(i, "neighbour_rate")),
               fmt::format("{:.2f}", number(i, "seconds") * 1e3)});
  }
  return table.text();
}

}  // namespace

std::string plan_text(const Json& plan) {
  std::string text = fmt::format("Plan for {}\n", printable(words(plan, "model")));
  const Line line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", name, printable(value));
  };
  const double security = number(plan, "security_bits");
  line("scheme", fmt::format("{}, {}", on_integers(plan) ? "TFHE" : "CKKS",
                             security > 0 ? fmt::format("{:.0f}-bit security", security)
                                          : "INSECURE parameters, for tests only"));
  on_integers(plan) ? add_lines_on_integers(plan, line) : add_lines_on_slots(plan, line);
  const Json& steps = plan.at("client_steps");
  if (const std::string before = client_text(steps, "before"); !before.empty())
    line("client", "runs in the clear, before encryption: " + before);
  if (const std::string after = client_text(steps, "after"); !after.empty())
    line("client", "runs in the clear, after decryption: " + after);
  if (!on_integers(plan))
    add_sharing(plan.at("sharing"), line);
  else if (plan.contains("shared_numbers"))  // missing in earlier files
    add_shared_numbers(plan.at("shared_numbers"), line);
  if (plan.contains("expected_errors"))  // missing in earlier files
    for (const std::string& error : expected_errors_text(plan)) line("error", error);
  for (const Json& note : plan.at("notes")) line("note", note.get<std::string>());
  for (const Json& warning : plan.at("warnings")) text += "  warning: " + printable(warning.get<std::string>()) + "\n";
  return text;
}

std::string instructions_text(const Json& plan) {
  return on_integers(plan) ? instructions_on_integers(plan) : instructions_on_slots(plan);
}

}  // namespace tacit::session
