#include <nlohmann/json.hpp>

#include "base/error.h"
#include "memory_file.h"
#include "mutate_bytes.h"
#include "runtime/description.h"
#include "runtime/receipt.h"
#include "target.h"

namespace tacit::fuzz {

using runtime::Receipt;

namespace {

const base::SigningKey& signing_key() {
  static const base::SigningKey key = [] {
    constexpr std::string_view kPem =
        "-----BEGIN PRIVATE KEY-----\n"
        "MC4CAQAwBQYDK2VwBCIEIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f\n"
        "-----END PRIVATE KEY-----\n";
    const MemoryFile file(std::as_bytes(std::span(kPem)));
    return base::SigningKey::from_pem(file.path());
  }();
  return key;
}

/// The text with the commitment, and the signature if there is one, of the fields that it has.
Bytes committed(const Bytes& text) {
  auto json = nlohmann::ordered_json::parse(text, nullptr, false);
  if (!json.is_object()) return text;
  try {
    Receipt receipt;
    receipt.version = json.at("tacit").get<std::string>();
    const auto take = [&](const char* name, auto& field) {
      runtime::from_hexadecimal(json.at(name).get<std::string>(), field);
    };
    take("parameters", receipt.parameters);
    take("model_id", receipt.model_id);
    take("model", receipt.model);
    take("keys", receipt.keys);
    take("input", receipt.input);
    take("output", receipt.output);
    json["commitment"] = base::hexadecimal(commitment(receipt));
    if (json.contains("signature")) {
      sign(receipt, signing_key());
      json["signer"] = base::hexadecimal(receipt.signed_by->signer);
      json["signature"] = base::hexadecimal(receipt.signed_by->signature);
    }
    return bytes_of(json.dump());
  } catch (const nlohmann::json::exception&) {
  } catch (const base::InputError&) {
  }
  return text;
}

}  // namespace

std::string_view target_name() { return "receipt"; }

std::vector<Bytes> seeds() {
  Receipt receipt{"0.1.0", {}, {}, {}, {}, {}};
  std::vector<Bytes> all{bytes_of(receipt_json(receipt))};
  for (std::size_t i = 0; i < receipt.model_id.size(); ++i) receipt.model_id[i] = static_cast<std::uint8_t>(8 * i);
  receipt.version = "1.2.3-dev+7";
  sign(receipt, signing_key());
  all.push_back(bytes_of(receipt_json(receipt)));
  return all;
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) {
  const Bytes text = mutate_text(from, other, random);
  return random.one_in(4) ? text : committed(text);
}

/// A receipt says the same when it is written again.
void check(std::span<const std::uint8_t> bytes) {
  const MemoryFile file(std::as_bytes(bytes));
  const Receipt receipt = runtime::load_receipt(file.path());
  require(runtime::parse_receipt(receipt_json(receipt), "fuzz") == receipt, "a receipt reads as it was written");
  require(runtime::parse_receipt(text_of(bytes), "fuzz") == receipt, "a file reads as its text does");
}

}  // namespace tacit::fuzz
