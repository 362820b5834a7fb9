#pragma once

#include <memory>
#include <vector>

#include "params/bootstrap_schedule.h"
#include "program/slots/key_manifest.h"
#include "program/slots/levels.h"
#include "program/slots/program.h"
#include "runtime/slots/ciphertext_file.h"
#include "runtime/slots/prepared_program.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"

namespace tacit::runtime {

/// Keys, and conversions between tensors and ciphertexts, without the checks of Client.
struct Bench {
  scheme::ckks::ContextPtr context;
  scheme::ckks::SecretKey secret;

  explicit Bench(const params::CkksLiteral& literal)
      : context(scheme::ckks::Context::make(params::CkksParameters::check(literal))),
        secret(scheme::ckks::KeyGenerator(context).secret_key()) {}

  layout::Index slots() const { return static_cast<layout::Index>(context->parameters().slots()); }

  std::shared_ptr<const scheme::ckks::EvaluationKeys> keys(const slots::Program& program) const {
    return std::make_shared<const scheme::ckks::EvaluationKeys>(
        scheme::ckks::KeyGenerator(context).evaluation_keys(secret, slots::key_manifest(program)));
  }

  std::shared_ptr<const PreparedProgram> prepared(const slots::Program& program,
                                                  const PrepareOptions& options = {}) const {
    return std::make_shared<const PreparedProgram>(context, program, options);
  }

  std::vector<CiphertextArray> encrypt(const slots::Program& program,
                                       const std::vector<std::vector<double>>& tensors) const {
    return encrypt_with(scheme::ckks::Encryptor(context, secret), program, tensors);
  }
  /// With a fresh public key.
  std::vector<CiphertextArray> encrypt_public(const slots::Program& program,
                                              const std::vector<std::vector<double>>& tensors) const {
    const scheme::ckks::PublicKey key = scheme::ckks::KeyGenerator(context).public_key(secret);
    return encrypt_with(scheme::ckks::Encryptor(context, key), program, tensors);
  }
  std::vector<CiphertextArray> encrypt_with(const scheme::ckks::Encryptor& encryptor, const slots::Program& program,
                                            const std::vector<std::vector<double>>& tensors) const {
    const scheme::ckks::Encoder encoder(context);
    std::vector<CiphertextArray> arrays;
    for (const slots::Instruction& instruction : program.instructions) {
      if (!std::holds_alternative<slots::Input>(instruction.operation)) continue;
      CiphertextArray& array = arrays.emplace_back();
      for (const auto& values : instruction.layout.pack(tensors[arrays.size() - 1]))
        array.push_back(encryptor.encrypt(encoder.encode(values, instruction.level, instruction.scale)));
    }
    return arrays;
  }

  std::vector<double> decrypt(const CiphertextArray& array, const layout::Layout& layout) const {
    const scheme::ckks::Decryptor decryptor(context, secret);
    std::vector<std::vector<double>> slots;
    for (const auto& ciphertext : array) {
      slots.emplace_back();
      for (const auto& z : decryptor.exact_slots(ciphertext)) slots.back().push_back(z.real());
    }
    return layout.unpack(slots);
  }
};

/// A bootstrap of an input that fills a ciphertext, and an addition of numbers to its result.
inline slots::Program refreshing_program(const Bench& bench) {
  const params::CkksParameters& parameters = bench.context->parameters();
  const auto layout = layout::Layout::row_major({bench.slots()}, bench.slots());
  slots::Program program{.name = "refreshed", .slots = bench.slots(), .instructions = {}};
  const auto add = [&](slots::Operation operation) {
    program.instructions.push_back({std::move(operation), layout, "node", "refreshed.onnx: node", 1, -1, 0});
  };
  add(slots::Input{"x"});
  add(slots::Bootstrap{{0}, params::plan_bootstrap(parameters.literal(), {.output_level = 5})});
  add(slots::AddPlain{1, layout::RepeatedReals(0.5)});
  add(slots::Output{2, "y"});
  slots::assign_levels(program, parameters);
  slots::verify(program);
  return program;
}

}  // namespace tacit::runtime
