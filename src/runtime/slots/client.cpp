#include "runtime/slots/client.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/private_value.h"
#include "base/wipe.h"
#include "params/noise.h"
#include "params/owner_flood.h"
#include "program/slots/landing_rules.h"
#include "runtime/slots/decryption_check.h"
#include "runtime/slots/small_answers.h"
#include "scheme/ckks/decryptor.h"
#include "scheme/ckks/encoder.h"
#include "scheme/ckks/encryptor.h"

namespace tacit::runtime {

using scheme::ckks::Ciphertext;

Client::Client(std::shared_ptr<const ClientModel> model, scheme::ckks::ContextPtr context,
               std::shared_ptr<const scheme::ckks::SecretKey> secret)
    : model_(std::move(model)),
      context_(std::move(context)),
      encoder_(context_),
      encryptor_(context_, *secret),
      decryptor_(std::in_place, context_, *secret) {
  check();
}

Client::Client(std::shared_ptr<const ClientModel> model, scheme::ckks::ContextPtr context,
               const scheme::ckks::PublicKey& key)
    : model_(std::move(model)), context_(std::move(context)), encoder_(context_), encryptor_(context_, key) {
  check();
}

void Client::check() const {
  const params::CkksParameters& parameters = context_->parameters();
  if (parameters.hash() != params::CkksParameters::check(model_->literal).hash())
    throw base::KeyMismatch("the key is of the parameter set " + parameters.literal().name + " and the model '" +
                            model_->name + "' needs " + model_->literal.name);
  const auto check_tensor = [&](const auto& tensor, const char* kind) {
    if (tensor.layout.slots() != static_cast<layout::Index>(parameters.slots()) || tensor.level < 0 ||
        tensor.level > parameters.max_level() || !(tensor.scale >= 1) || !std::isfinite(tensor.scale))
      base::refuse("model '{}': {} '{}' has a layout, level or scale that its parameters do not have", model_->name,
                   kind, tensor.name);
  };
  for (const program::ClientInput& input : model_->interface.inputs) check_tensor(input, "input");
  for (const program::ClientOutput& output : model_->interface.outputs) check_tensor(output, "output");
}

namespace {

/// Of one sample, which shares the input's layout with `batch` - 1 others.
void check_input(const program::ClientInput& input, layout::Index batch, std::span<const double> tensor,
                 double largest) {
  const layout::Index expected = layout::element_count(input.layout.shape()) / batch;
  if (static_cast<layout::Index>(tensor.size()) != expected)
    base::refuse("input '{}' has {} elements and the model needs {}", input.name, tensor.size(), expected);
  for (std::size_t i = 0; i < tensor.size(); ++i) {
    if (!std::isfinite(tensor[i]))
      base::refuse("input '{}': element {} is {}; only finite numbers can be encrypted", input.name, i, tensor[i]);
    if (input.lowest < input.highest && !(tensor[i] >= input.lowest && tensor[i] <= input.highest))
      base::refuse(
          "input '{}': element {} is {}, outside [{:.6g}, {:.6g}], the values that the model was compiled for; check "
          "the preprocessing, or compile with --calibrate data (or an --input-range) that covers it",
          input.name, i, base::private_value(tensor[i]), input.lowest, input.highest);
    const double unit = input.units.empty() ? 1 : input.units[i];
    if (!(unit * std::abs(tensor[i]) <= largest))
      base::refuse(
          "input '{}': element {} is {}, and the parameters carry {:.3g} at the most; check the "
          "preprocessing, or compile with --calibrate data (or an --input-range) that covers it",
          input.name, i, base::private_value(tensor[i]), largest / unit);
  }
}

/// A server that states another level or scale would have the client read the numbers in a unit of its choice. One
/// that states a message in the clear (c1 = 0) has not computed with what the client encrypted.
void check_result(const program::ClientOutput& output, const Ciphertext& ciphertext, int log_gap) {
  bool encrypted = false;
  for (std::size_t row = 0; row < ciphertext.c1.limbs() && !encrypted; ++row)
    encrypted = std::ranges::any_of(ciphertext.c1.limb_span(row), [](std::uint64_t word) { return word != 0; });
  if (!encrypted)
    base::refuse(
        "output '{}': the server answered with a number that nothing encrypts: it does not depend on the "
        "question, so nothing is shown",
        output.name);
  if (ciphertext.log_gap != 0 && ciphertext.log_gap != log_gap)
    base::refuse(
        "output '{}': a ciphertext came back with one coefficient in 2^{}, and results of this model have one in 2^{}: "
        "it is no result of this model; nothing is shown",
        output.name, ciphertext.log_gap, log_gap);
  if (ciphertext.level == output.level && slots::same_scale(ciphertext.scale, output.scale)) return;
  base::refuse(
      "output '{}': a ciphertext came back at level {} with scale 2^{:.3f}, and the model ends at level {} "
      "with scale 2^{:.3f}: it is no result of this model; nothing is shown",
      output.name, ciphertext.level, std::log2(ciphertext.scale), output.level, std::log2(output.scale));
}

/// The deviation that floods this noise, in the units of the program.
double flood_of(const program::ClientOutput& output, double noise, const params::Sharing& sharing) {
  const double flooded = params::flooding_deviation(noise, sharing);
  const int most = params::most_shared_bits(flooded * std::abs(output.unit));
  if (sharing.bits > most)
    base::refuse(
        "output '{}': {} bits behind the binary point cannot be shared, {} can: its noise of 2^{:.1f} is hidden by a "
        "flood of 2^{:.1f} ({:g} statistical bits, {:g} decryptions); ask for fewer bits, compile with --share {} for "
        "parameters that leave room, or share labels alone if the model has labels",
        output.name, sharing.bits, most, std::log2(noise * std::abs(output.unit)),
        std::log2(flooded * std::abs(output.unit)), sharing.statistical_bits, sharing.decryptions, sharing.bits);
  return flooded;
}

/// Copies the first slots / 2^log_gap slots to the others.
void repeat(std::vector<double>& slots, int log_gap) {
  const std::size_t period = slots.size() >> log_gap;
  for (std::size_t i = period; i < slots.size(); ++i) slots[i] = slots[i - period];
}

/// The elements that the real parts of slots are.
std::vector<double> elements(const layout::Layout& layout, std::span<const std::vector<std::complex<double>>> slots) {
  std::vector<std::vector<double>> real;
  for (const auto& ciphertext : slots) {
    std::vector<double>& values = real.emplace_back();
    values.reserve(ciphertext.size());
    for (const std::complex<double>& slot : ciphertext) values.push_back(slot.real());
  }
  const base::WipedAtExit wiped(real);
  return layout.unpack(real);
}

}  // namespace

void Client::expect(const OwnersResults& owners) {
  const int parts = context_->parameters().parts();
  if (owners.parts != parts)
    throw base::KeyMismatch(
        fmt::format("these results were decrypted by the holders of {} parts of a key, and the key "
                    "of the model '{}' has {}; name results of this model",
                    owners.parts, model_->name, parts));
  owners_ = owners;
}

DecryptedOutput Client::decrypt_one(const program::ClientOutput& modelled, const CiphertextArray& array,
                                    const std::optional<params::Sharing>& sharing) const {
  program::ClientOutput output = modelled;
  const double flooded = std::max(output.noise, params::rounding_noise(context_->parameters(), output.scale));
  const double flood = owners_ ? params::owners_flood(flooded, owners_->parts, owners_->promise) : 0;
  output.noise = std::hypot(output.noise, flood);
  const int log_gap = answer_gap(context_->parameters(), output.layout);
  for (const Ciphertext& ciphertext : array) check_result(output, ciphertext, log_gap);
  std::vector<std::vector<std::complex<double>>> slots(array.size());
  const base::WipedAtExit wiped_slots(slots);
  base::parallel_for(0, array.size(),
                     [&](std::size_t c) { slots[c] = decryptor_->exact_slots(array[c], output.scale); });
  const double seen = check_decryption(output, context_->parameters(), slots);
  const double measured = std::max(seen, context_->parameters().real_slots() ? flood : 0);
  {
    std::vector<double> exact = elements(output.layout, slots);
    const base::WipedAtExit wiped(exact);
    check_bounds(output, exact, measured);
  }
  double shown = measured;
  for (const auto& ciphertext : slots)
    shown =
        std::max(shown, scheme::ckks::estimated_noise(context_->parameters(), output.level, output.scale, ciphertext));
  // The model's estimate may be above what is there, and would cost more than half a bit. It counts where others are
  // protected by it, and where slots do not show their noise.
  const double noise = std::max(shown, output.noise);
  double added = context_->parameters().real_slots() ? noise : shown;
  // The floods hide the noise from everybody except who made them; the rest of it is a 50th of theirs.
  constexpr double kAddedToFlood = 0.25;
  if (owners_) added *= kAddedToFlood;
  if (sharing) added = flood_of(output, noise, *sharing);
  base::parallel_for(0, array.size(), [&](std::size_t c) { decryptor_->noise().add_to(slots[c], array[c], added); });
  const double unit = std::abs(output.unit);
  DecryptedOutput result{output.name, output.layout.shape(),
                         program::from_units(output, elements(output.layout, slots)), noise * unit, added * unit};
  if (sharing)
    for (double& value : result.values) value = params::rounded_to(value, sharing->bits);
  return result;
}

std::vector<CiphertextArray> Client::encrypt(std::span<const std::vector<std::vector<double>>> samples,
                                             QuestionForm form) const {
  const program::ClientInterface& interface = model_->interface;
  const std::vector<program::ClientInput>& inputs = interface.inputs;
  const auto check = [&](const std::vector<std::vector<double>>& sample) {
    if (sample.size() != inputs.size())
      base::refuse("{} inputs were given and the model '{}' has {}", sample.size(), model_->name, inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i)
      check_input(inputs[i], interface.batch, sample[i],
                  largest_value(context_->parameters(), inputs[i].level, inputs[i].scale));
  };
  for (std::size_t s = 0; s < samples.size(); ++s) try {
      check(samples[s]);
    } catch (const base::InputError& error) {
      if (samples.size() == 1) throw;
      base::refuse("sample {} of a batch: {}", s, error.what());
    }
  std::vector<std::vector<double>> tensors = program::side_by_side(interface, samples);
  const base::WipedAtExit wiped_tensors(tensors);
  std::vector<CiphertextArray> arrays;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::vector<double> tensor = program::in_units(inputs[i].units, tensors[i]);
    const base::WipedAtExit wiped_tensor(tensor);
    std::vector<std::vector<double>> slots = inputs[i].layout.pack(tensor);
    const base::WipedAtExit wiped(slots);
    CiphertextArray& array = arrays.emplace_back(slots.size());
    const int log_gap = form == QuestionForm::thin ? inputs[i].log_gap : 0;
    base::parallel_for(0, slots.size(), [&](std::size_t c) {
      repeat(slots[c], log_gap);
      scheme::ckks::Plaintext plaintext = encoder_.encode(slots[c], inputs[i].level, inputs[i].scale);
      array[c] = encryptor_.encrypt_thin(plaintext, log_gap);
      plaintext.poly.wipe();
    });
  }
  return arrays;
}

std::vector<DecryptedOutput> Client::decrypt(std::span<const CiphertextArray> outputs,
                                             const std::optional<params::Sharing>& sharing) const {
  if (!decryptor_) throw base::InputError("this client holds no secret key and can only encrypt");
  if (sharing) params::check(*sharing);
  std::vector<DecryptedOutput> results;
  for (const program::ClientOutput& output : model_->interface.outputs) {
    if (output.program_output >= outputs.size() ||
        outputs[output.program_output].size() != static_cast<std::size_t>(output.layout.ciphertexts()))
      base::refuse("output '{}': the ciphertexts that came back are not those of the model '{}'", output.name,
                   model_->name);
    results.push_back(decrypt_one(output, outputs[output.program_output], sharing));
  }
  return results;
}

}  // namespace tacit::runtime
