#include "scheme/tfhe/serialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/byte_stream.h"
#include "base/error.h"
#include "scheme/tfhe/check.h"

namespace tacit::scheme::tfhe {
namespace {

static_assert(std::endian::native == std::endian::little, "words are copied as they lie");

/// What the bytes are.
struct Kind {
  std::uint8_t number;
  const char* name;
};
constexpr Kind kCiphertexts{1, "ciphertexts"}, kSecretKey{2, "secret key"}, kEvaluationKeys{3, "evaluation keys"},
    kSeededCiphertexts{4, "fresh ciphertexts"}, kPackedCiphertexts{5, "fresh ciphertexts"}, kPublicKey{6, "public key"};

constexpr std::uint8_t kMagic[] = {'T', 'F', 'H', '1'};

class Writer {
 public:
  Writer(const Context& context, Kind kind, const params::ParameterHash& hash, const ByteSink& sink) : sink_(sink) {
    check_parameters(context, hash, "serialise", kind.name);
    sink_(kMagic);
    words<std::uint8_t>({{kind.number}});
    sink_(hash);
  }
  template <class Word>
  void words(std::span<const Word> values) const {
    sink_({reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()});
  }

 private:
  const ByteSink& sink_;
};

class Reader : public base::ByteReader {
 public:
  Reader(const Context& context, Kind kind, std::span<const std::uint8_t> bytes)
      : ByteReader(bytes, fmt::format("cannot load TFHE {}", kind.name)) {
    const auto magic = take(std::size(kMagic));
    const std::size_t format = std::size(kMagic) - 1;
    if (!std::ranges::equal(magic.first(format), std::span(kMagic).first(format))) fail("these bytes are not one");
    if (magic[format] != kMagic[format])
      fail(
          fmt::format("these bytes have format {:?}, and this version reads {:?}; make it again, or use the version of "
                      "Tacit that wrote it",
                      char(magic[format]), char(kMagic[format])));
    if (u8() != kind.number) fail("these bytes are not one");
    check_parameters(context, array<params::ParameterHash>(), "load", kind.name);
  }
  template <class Word>
  void words(std::span<Word> to) {
    // Taken first: what is to be filled was sized by the parameter set, or by bytes that are there.
    std::memcpy(to.data(), take(to.size_bytes()).data(), to.size_bytes());
  }
  /// Throws unless exactly so many bytes are left.
  void expect_left(std::size_t bytes) const {
    if (left() != bytes) fail(fmt::format("{} bytes follow where {} belong", left(), bytes));
  }
};

}  // namespace

void serialize(const Context& context, const LweCiphertexts& ciphertexts, const ByteSink& sink) {
  check(context, ciphertexts, "serialise");
  const Writer writer(context, kCiphertexts, ciphertexts.parameters(), sink);
  for (std::size_t i = 0; i < ciphertexts.count(); ++i) writer.words<Torus>(ciphertexts[i]);
}

void serialize(const Context& context, const FreshLweCiphertexts& ciphertexts, const ByteSink& sink) {
  if (ciphertexts.is_packed()) {
    const Writer writer(context, kPackedCiphertexts, ciphertexts.parameters, sink);
    const std::uint64_t count = ciphertexts.bodies.size();
    writer.words<std::uint64_t>(std::span(&count, 1));
    writer.words<Torus>(ciphertexts.masks);
    writer.words<Torus>(ciphertexts.bodies);
    return;
  }
  const Writer writer(context, kSeededCiphertexts, ciphertexts.parameters, sink);
  writer.words<std::uint8_t>(ciphertexts.seed);
  writer.words<Torus>(ciphertexts.bodies);
}

void serialize(const Context& context, const SecretKey& key, const ByteSink& sink) {
  const Writer writer(context, kSecretKey, key.parameters(), sink);
  writer.words<std::uint8_t>(key.small());
  writer.words<std::uint8_t>(key.large());
}

void serialize(const Context& context, const PublicKey& key, const ByteSink& sink) {
  const Writer writer(context, kPublicKey, key.parameters, sink);
  writer.words<std::uint8_t>(key.seed);
  writer.words<Torus>(key.bodies);
}

void serialize(const Context& context, const SeededEvaluationKeys& keys, const ByteSink& sink) {
  check_parameters(context, keys.bootstrap.parameters, "serialise", "bootstrapping key");
  const Writer writer(context, kEvaluationKeys, keys.key_switch.parameters, sink);
  writer.words<std::uint8_t>(keys.key_switch.seed);
  writer.words<std::uint32_t>(keys.key_switch.bodies);
  writer.words<std::uint8_t>(keys.bootstrap.seed);
  writer.words<Torus>(keys.bootstrap.bodies);
}

void serialize(const KeySeries& series, base::Progress& progress, const ByteSink& sink) {
  const Writer writer(series.context(), kEvaluationKeys, series.context().parameters().hash(), sink);
  writer.words<std::uint8_t>(series.key_switch_seed());
  series.key_switch_bodies([&](std::span<const std::uint32_t> bodies) { writer.words<std::uint32_t>(bodies); });
  writer.words<std::uint8_t>(series.bootstrap_seed());
  series.bootstrap_bodies([&](std::span<const Torus> bodies) { writer.words<Torus>(bodies); }, progress);
}

namespace {
constexpr std::uint64_t kHead = std::size(kMagic) + 1 + sizeof(params::ParameterHash);

/// Words of masks of so many ciphertexts under the public key.
std::uint64_t packed_mask_words(const Context& context, std::uint64_t count) {
  const std::uint64_t n = context.polynomial();
  return (count / n + (count % n != 0)) * context.large();
}
}  // namespace

std::uint64_t ciphertexts_bytes(const Context& context, std::uint64_t count) {
  return kHead + count * (context.large() + 1) * sizeof(Torus);
}

std::uint64_t seeded_ciphertexts_bytes(std::uint64_t count) {
  return kHead + sizeof(base::Seed) + count * sizeof(Torus);
}

std::uint64_t packed_ciphertexts_bytes(const Context& context, std::uint64_t count) {
  return kHead + sizeof count + (packed_mask_words(context, count) + count) * sizeof(Torus);
}

LweCiphertexts deserialize_ciphertexts(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kCiphertexts, bytes);
  const std::size_t each = (context.large() + 1) * sizeof(Torus);
  if (reader.left() % each != 0)
    reader.fail(fmt::format("{} bytes are no whole number of ciphertexts of {}", reader.left(), each));
  LweCiphertexts result(context.parameters().large_lwe(), reader.left() / each, context.parameters().hash());
  for (std::size_t i = 0; i < result.count(); ++i) reader.words(result[i]);
  return result;
}

namespace {

FreshLweCiphertexts deserialize_packed(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kPackedCiphertexts, bytes);
  const std::uint64_t count = reader.u64();
  if (count == 0 || count > reader.left() / sizeof(Torus))
    reader.fail(fmt::format("{} ciphertexts do not fit {} bytes", count, reader.left()));
  const std::uint64_t masks = packed_mask_words(context, count);
  reader.expect_left((masks + count) * sizeof(Torus));
  FreshLweCiphertexts result{.parameters = context.parameters().hash()};
  result.masks.resize(masks);
  reader.words(std::span(result.masks));
  result.bodies.resize(count);
  reader.words(std::span(result.bodies));
  return result;
}

}  // namespace

FreshLweCiphertexts deserialize_fresh_ciphertexts(const Context& context, std::span<const std::uint8_t> bytes) {
  if (bytes.size() > std::size(kMagic) && bytes[std::size(kMagic)] == kPackedCiphertexts.number)
    return deserialize_packed(context, bytes);
  Reader reader(context, kSeededCiphertexts, bytes);
  FreshLweCiphertexts result{.seed = reader.array<base::Seed>(), .parameters = context.parameters().hash()};
  if (reader.left() % sizeof(Torus) != 0)
    reader.fail(fmt::format("{} bytes are no whole number of ciphertexts of {}", reader.left(), sizeof(Torus)));
  result.bodies.resize(reader.left() / sizeof(Torus));
  reader.words(std::span(result.bodies));
  return result;
}

PublicKey deserialize_public_key(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kPublicKey, bytes);
  PublicKey key{.seed = reader.array<base::Seed>(), .bodies = {}, .parameters = context.parameters().hash()};
  reader.expect_left(context.large() * sizeof(Torus));
  key.bodies.resize(context.large());
  reader.words(std::span(key.bodies));
  return key;
}

SecretKey deserialize_secret_key(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kSecretKey, bytes);
  reader.expect_left(context.small() + context.large());
  const std::span<const std::uint8_t> small = reader.take(context.small()), large = reader.take(context.large());
  return SecretKey(context, small, large);
}

SeededEvaluationKeys deserialize_evaluation_keys(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kEvaluationKeys, bytes);
  const std::size_t switch_rows = context.large() * static_cast<std::size_t>(context.parameters().key_switch().levels);
  const std::size_t bootstrap_words = SeededBootstrapKey::rows(context) * context.polynomial();
  reader.expect_left(2 * base::Seed{}.size() + switch_rows * sizeof(std::uint32_t) + bootstrap_words * sizeof(Torus));
  SeededEvaluationKeys keys;
  keys.key_switch.parameters = keys.bootstrap.parameters = context.parameters().hash();
  keys.key_switch.seed = reader.array<base::Seed>();
  keys.key_switch.bodies.resize(switch_rows);
  reader.words(std::span(keys.key_switch.bodies));
  keys.bootstrap.seed = reader.array<base::Seed>();
  keys.bootstrap.bodies.resize(bootstrap_words);
  reader.words(std::span(keys.bootstrap.bodies));
  return keys;
}

}  // namespace tacit::scheme::tfhe
