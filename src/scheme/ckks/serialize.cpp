#include "scheme/ckks/serialize.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/byte_stream.h"
#include "base/error.h"
#include "base/parallel.h"
#include "ring/automorphism.h"
#include "scheme/ckks/check.h"
#include "scheme/ckks/residue_bits.h"

namespace tacit::scheme::ckks {
namespace {

/// What the bytes are.
struct Kind {
  std::uint8_t number;
  const char* name;
};
constexpr Kind kCiphertext{1, "ciphertext"}, kSecretKey{2, "secret key"}, kPublicKey{3, "public key"},
    kEvaluationKeys{4, "evaluation keys"}, kRelinearisationRound{5, "a round of relinearisation"},
    kThinCiphertext{6, "ciphertext"};

/// The forms of the relinearisation key.
constexpr std::uint8_t kNoKey = 0, kSeededKey = 1, kKeyOfTwoHalves = 2;

constexpr std::uint8_t kMagic[] = {'T', 'C', 'K', '7'};

std::size_t residue_bytes(const ring::Modulus& q) {
  return (static_cast<std::size_t>(std::bit_width(q.value())) + 7) / 8;
}

constexpr std::size_t kWord = sizeof(std::uint64_t);
static_assert(std::endian::native == std::endian::little, "residues are packed from words in memory");

/// Words of `width` bytes that can be read or written as whole words of memory without leaving `bytes` bytes.
std::size_t whole_words(std::size_t bytes, std::size_t width) {
  return bytes < kWord ? 0 : (bytes - kWord) / width + 1;
}

/// Writes the low `width` bytes of each word. A word is stored whole, and the next one overwrites its high bytes.
void pack(std::span<const std::uint64_t> words, std::size_t width, std::uint8_t* out) {
  const std::size_t whole = whole_words(words.size() * width, width);
  for (std::size_t i = 0; i < whole; ++i) std::memcpy(out + i * width, &words[i], kWord);
  for (std::size_t i = whole; i < words.size(); ++i) std::memcpy(out + i * width, &words[i], width);
}

/// Reads what `pack` wrote. Returns whether all words are below `bound`.
bool unpack(std::span<const std::uint8_t> bytes, std::size_t width, std::uint64_t bound,
            std::span<std::uint64_t> words) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (8 * (kWord - width));
  const std::size_t whole = whole_words(bytes.size(), width);
  bool all = true;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::uint64_t word = 0;
    if (i < whole)
      std::memcpy(&word, bytes.data() + i * width, kWord);
    else
      std::memcpy(&word, bytes.data() + i * width, width);
    words[i] = word & mask;
    all &= words[i] < bound;
  }
  return all;
}

class Writer {
 public:
  Writer(const Context& context, Kind kind, const params::ParameterHash& hash, const ByteSink& sink)
      : chain_(context.chain()), sink_(sink) {
    check_parameters(context, hash, "serialise", kind.name);
    sink_(kMagic);
    number(kind.number, 1);
    sink_(hash);
  }
  /// One word in 2^log_gap of the rows of a level, in bits.
  void thin_rows(const ring::NttPoly& poly, int level, int log_gap) const {
    const std::size_t count = chain_.n() >> log_gap;
    for (std::size_t row = 0; row < rlwe::ModulusChain::rows(level); ++row) {
      std::vector<std::uint64_t> words(count);
      for (std::size_t i = 0; i < count; ++i) words[i] = poly.limb(row)[i << log_gap];
      sink_(packed_bits(words, residue_bits(chain_.modulus(row))));
    }
  }
  void number(std::uint64_t value, std::size_t bytes) const {
    std::uint8_t out[8];
    for (std::size_t i = 0; i < bytes; ++i) out[i] = static_cast<std::uint8_t>(value >> (8 * i));
    sink_({out, bytes});
  }
  void raw(std::span<const std::uint8_t> bytes) const { sink_(bytes); }
  /// Row i belongs to prime prime_of(level, i).
  void rows(const ring::NttPoly& poly, int level) const { rows(chain_, poly, poly.limbs(), level); }
  void rows(const rlwe::ModulusChain& chain, const ring::NttRows& poly, std::size_t count, int level) const {
    std::vector<std::uint8_t> packed;
    for (std::size_t row = 0; row < count; ++row) {
      const std::size_t width = residue_bytes(chain.modulus(chain.prime_of(level, row)));
      packed.resize(chain.n() * width);
      pack({poly.limb(row), chain.n()}, width, packed.data());
      sink_(packed);
    }
  }
  /// With the digits that it is made for: they follow from the parameter set by rules that may change.
  void key(const rlwe::ModulusChain& chain, const rlwe::SwitchingKey& key) const {
    number(static_cast<std::uint64_t>(key.level()), 2);
    number(chain.special_primes(key.level()), 1);
    number(key.digits(), 1);
    for (std::size_t digit = 0; digit < key.digits(); ++digit)
      number(chain.digit_last(key.level(), digit) - chain.digit_first(digit), 1);
    if (key.seeded()) raw(key.seed());
    for (const auto* half : {&key.b(), &key.held_a()})
      for (const ring::NttRows& poly : *half) rows(chain, poly, chain.extended_rows(key.level()), key.level());
  }

 private:
  const rlwe::ModulusChain& chain_;
  const ByteSink& sink_;
};

class Reader : public base::ByteReader {
 public:
  Reader(const Context& context, Kind kind, std::span<const std::uint8_t> bytes) : Reader(context, kind, kind, bytes) {}
  /// Reads an object of either kind.
  Reader(const Context& context, Kind kind, Kind other, std::span<const std::uint8_t> bytes)
      : ByteReader(bytes, fmt::format("cannot load {}", kind.name)), chain_(context.chain()) {
    const auto magic = take(std::size(kMagic));
    const std::size_t format = std::size(kMagic) - 1;
    if (!std::ranges::equal(magic.first(format), std::span(kMagic).first(format))) fail("these bytes are not one");
    if (magic[format] != kMagic[format])
      fail(
          fmt::format("these bytes have format {:?}, and this version reads {:?}; make it again, or use the version of "
                      "Tacit that wrote it",
                      char(magic[format]), char(kMagic[format])));
    number_ = u8();
    if (number_ != kind.number && number_ != other.number) fail("these bytes are not one");
    check_parameters(context, array<params::ParameterHash>(), "load", kind.name);
  }
  bool is(Kind kind) const { return number_ == kind.number; }
  bool flag() {
    const std::uint8_t value = u8();
    if (value > 1) fail("a flag is neither 0 nor 1");
    return value == 1;
  }
  int level() { return level(chain_); }
  int level(const rlwe::ModulusChain& chain) {
    const int value = u16();
    if (value > chain.max_level()) fail(fmt::format("level {} is above {}", value, chain.max_level()));
    return value;
  }
  ring::NttPoly rows(int level, std::size_t count) { return rows(chain_, level, count); }
  int log_gap(std::size_t slots) {
    const int value = u8();
    if (value < 1 || slots >> value < 2) fail(fmt::format("{} slots cannot repeat 2^{} times", slots, value));
    return value;
  }
  ring::NttPoly thin_rows(int level, int log_gap) {
    const std::size_t count = chain_.n() >> log_gap, rows = rlwe::ModulusChain::rows(level);
    std::vector<std::vector<std::uint64_t>> words;
    for (std::size_t row = 0; row < rows; ++row) {
      const ring::Modulus& q = chain_.modulus(row);
      auto read = unpacked_bits(take(packed_bytes(count, residue_bits(q))), count, residue_bits(q), q.value());
      if (!read) fail("a residue is not below its prime; the bytes are damaged");
      words.push_back(*std::move(read));
    }
    ring::NttPoly poly(chain_.n(), rows);
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t i = 0; i < chain_.n(); ++i) poly.limb(row)[i] = words[row][i >> log_gap];
    return poly;
  }
  ring::NttPoly rows(const rlwe::ModulusChain& chain, int level, std::size_t count) {
    std::vector<std::span<const std::uint8_t>> parts;  // taken first: nothing is allocated for bytes that are not there
    for (std::size_t row = 0; row < count; ++row)
      parts.push_back(take(chain.n() * residue_bytes(chain.modulus(chain.prime_of(level, row)))));
    ring::NttPoly poly(chain.n(), count);
    base::parallel_for(0, count, [&](std::size_t row) {
      const ring::Modulus& q = chain.modulus(chain.prime_of(level, row));
      if (!unpack(parts[row], residue_bytes(q), q.value(), poly.limb_span(row)))
        fail("a residue is not below its prime; the bytes are damaged");
    });
    return poly;
  }
  rlwe::SwitchingKey key(const rlwe::ModulusChain& chain, bool seeded = true) {
    const int reach = level(chain);
    bool same = u8() == chain.special_primes(reach);
    const std::size_t digits = u8();
    same = same && digits == chain.digits(reach);
    for (std::size_t digit = 0; digit < digits; ++digit) {
      const std::size_t primes = u8();
      same = same && primes == chain.digit_last(reach, digit) - chain.digit_first(digit);
    }
    if (!same) fail("its digits are not those that this version gives the parameter set; make the keys again");
    const auto half = [&] {
      std::vector<ring::NttPoly> polys;
      for (std::size_t digit = 0; digit < chain.digits(reach); ++digit)
        polys.push_back(rows(chain, reach, chain.extended_rows(reach)));
      return polys;
    };
    if (seeded) {
      const base::Seed key_seed = array<base::Seed>();
      return {chain, reach, key_seed, half()};
    }
    std::vector<ring::NttPoly> b = half();
    return {chain, reach, std::move(b), half()};
  }

 private:
  const rlwe::ModulusChain& chain_;
  std::uint8_t number_ = 0;
};

}  // namespace

void serialize(const Context& context, const Ciphertext& ciphertext, const ByteSink& sink) {
  check(context, ciphertext, "serialise");
  const bool thin = ciphertext.log_gap > 0;
  const Writer writer(context, thin ? kThinCiphertext : kCiphertext, ciphertext.parameters, sink);
  writer.number(static_cast<std::uint64_t>(ciphertext.level), 2);
  writer.number(std::bit_cast<std::uint64_t>(ciphertext.scale), 8);
  writer.number(ciphertext.c1_seed ? 1 : 0, 1);
  if (thin) {
    writer.number(static_cast<std::uint64_t>(ciphertext.log_gap), 1);
    writer.thin_rows(ciphertext.c0, ciphertext.level, ciphertext.log_gap);
  } else {
    writer.rows(ciphertext.c0, ciphertext.level);
  }
  if (ciphertext.c1_seed) {
    writer.raw(*ciphertext.c1_seed);
  } else if (thin) {
    writer.thin_rows(ciphertext.c1, ciphertext.level, 0);
  } else {
    writer.rows(ciphertext.c1, ciphertext.level);
  }
}

std::uint64_t ciphertext_bytes(const Context& context, int level, bool seeded, int log_gap) {
  const rlwe::ModulusChain& chain = context.chain();
  std::uint64_t first = 0, second = 0;
  for (std::size_t row = 0; row < rlwe::ModulusChain::rows(level); ++row) {
    const ring::Modulus& q = chain.modulus(row);
    const auto half = [&](int gap) {
      return log_gap > 0 ? packed_bytes(chain.n() >> gap, residue_bits(q)) : chain.n() * residue_bytes(q);
    };
    first += half(log_gap);
    second += half(0);
  }
  constexpr std::uint64_t kHead = std::size(kMagic) + 1 + sizeof(params::ParameterHash) + 2 + sizeof(double) + 1;
  return kHead + (log_gap > 0 ? 1 : 0) + first + (seeded ? sizeof(base::Seed) : second);
}

Ciphertext deserialize_ciphertext(const Context& context, std::span<const std::uint8_t> bytes) {
  const rlwe::ModulusChain& chain = context.chain();
  Reader reader(context, kCiphertext, kThinCiphertext, bytes);
  Ciphertext result;
  result.parameters = context.parameters().hash();
  result.level = reader.level();
  result.scale = std::bit_cast<double>(reader.u64());
  check_scale(result.scale, "load ciphertext");
  const bool seeded = reader.flag();
  const std::size_t rows = rlwe::ModulusChain::rows(result.level);
  if (reader.is(kThinCiphertext)) {
    result.log_gap = reader.log_gap(context.parameters().slots());
    result.c0 = reader.thin_rows(result.level, result.log_gap);
  } else {
    result.c0 = reader.rows(result.level, rows);
  }
  if (seeded) {
    result.c1_seed = reader.array<base::Seed>();
    result.c1 = ring::NttPoly(chain.n(), rows);
    base::parallel_for(0, rows, [&](std::size_t row) {
      rlwe::uniform_row(chain, *result.c1_seed, 0, row).fill(0, result.c1.limb_span(row));
    });
  } else if (result.log_gap > 0) {
    result.c1 = reader.thin_rows(result.level, 0);
  } else {
    result.c1 = reader.rows(result.level, rows);
  }
  reader.expect_end();
  return result;
}

void serialize(const Context& context, const SecretKey& key, const ByteSink& sink) {
  const Writer writer(context, kSecretKey, key.parameters(), sink);
  const auto coefficients = key.coefficients();
  writer.raw({reinterpret_cast<const std::uint8_t*>(coefficients.data()), coefficients.size()});
}

SecretKey deserialize_secret_key(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kSecretKey, bytes);
  const auto coefficients = reader.take(context.chain().n());
  reader.expect_end();
  return {context.chain(),
          context.parameters().hash(),
          {reinterpret_cast<const std::int8_t*>(coefficients.data()), coefficients.size()}};
}

void serialize(const Context& context, const PublicKey& key, const ByteSink& sink) {
  const Writer writer(context, kPublicKey, key.parameters, sink);
  writer.raw(key.seed);
  writer.rows(key.b, context.chain().max_level());
}

PublicKey deserialize_public_key(const Context& context, std::span<const std::uint8_t> bytes) {
  const rlwe::ModulusChain& chain = context.chain();
  Reader reader(context, kPublicKey, bytes);
  PublicKey key;
  key.parameters = context.parameters().hash();
  key.seed = reader.array<base::Seed>();
  const std::size_t rows = chain.extended_rows(chain.max_level());
  key.b = reader.rows(chain.max_level(), rows);
  reader.expect_end();
  key.a = ring::NttPoly(chain.n(), rows);
  base::parallel_for(
      0, rows, [&](std::size_t row) { rlwe::uniform_row(chain, key.seed, 0, row).fill(0, key.a.limb_span(row)); });
  return key;
}

void serialize(const Context& context, const EvaluationKeys& keys, const ByteSink& sink) {
  const Writer writer(context, kEvaluationKeys, keys.parameters, sink);
  writer.number(!keys.relinearisation ? kNoKey : keys.relinearisation->seeded() ? kSeededKey : kKeyOfTwoHalves, 1);
  if (keys.relinearisation) writer.key(context.product_chain(), *keys.relinearisation);
  writer.number(keys.conjugation ? 1 : 0, 1);
  if (keys.conjugation) writer.key(context.chain(), keys.conjugation->key);
  writer.number(static_cast<std::uint64_t>(keys.rotation_primes.top.value_or(-1) + 1), 2);
  const auto write_rotations = [&](const rlwe::ModulusChain& chain,
                                   const std::map<std::int64_t, GaloisKey>& rotations) {
    writer.number(rotations.size(), 4);
    for (const auto& [steps, rotation] : rotations) {
      writer.number(static_cast<std::uint64_t>(steps), 4);
      writer.key(chain, rotation.key);
    }
  };
  write_rotations(context.rotation_chain(keys.rotation_primes), keys.rotations);
  if (context.ephemeral_chain() != nullptr) {
    writer.number(keys.raise.to_ephemeral ? 1 : 0, 1);
    if (keys.raise.to_ephemeral) writer.key(*context.ephemeral_chain(), *keys.raise.to_ephemeral);
    write_rotations(context.raising_chain(), keys.raise.to_secret);
  }
}

EvaluationKeys deserialize_evaluation_keys(const Context& context, std::span<const std::uint8_t> bytes) {
  Reader reader(context, kEvaluationKeys, bytes);
  const std::size_t n = context.parameters().n();
  const ring::Kind kind = context.chain().kind();
  const auto galois = [&](const rlwe::ModulusChain& chain, std::uint64_t element) {
    return GaloisKey{reader.key(chain), rlwe::Automorphism(element, n, kind)};
  };
  EvaluationKeys keys{.parameters = context.parameters().hash()};
  const std::uint8_t relinearisation = reader.u8();
  if (relinearisation > kKeyOfTwoHalves) reader.fail("its relinearisation key has an unknown form");
  if (relinearisation != kNoKey)
    keys.relinearisation.emplace(reader.key(context.product_chain(), relinearisation == kSeededKey));
  if (reader.flag()) {
    if (context.parameters().real_slots()) reader.fail("it holds a conjugation key, and the slots are real");
    keys.conjugation.emplace(galois(context.chain(), ring::conjugation_element(n)));
  }
  const std::uint64_t rotation_levels = reader.u16();
  if (rotation_levels > context.parameters().q().size())
    reader.fail(fmt::format("its rotations reach {} levels, and there are {}", rotation_levels,
                            context.parameters().q().size()));
  if (rotation_levels > 0) keys.rotation_primes.top = static_cast<int>(rotation_levels) - 1;
  const auto read_rotations = [&](const rlwe::ModulusChain& chain, std::uint64_t least) {
    std::map<std::int64_t, GaloisKey> rotations;
    const std::uint64_t count = reader.u32();
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint64_t steps = reader.u32();
      if (steps < least || steps >= context.parameters().slots())
        reader.fail(fmt::format("rotation steps {} are out of order or range", steps));
      least = steps + 1;
      const auto signed_steps = static_cast<std::int64_t>(steps);
      rotations.emplace(signed_steps, galois(chain, ring::rotation_element(signed_steps, n, kind)));
    }
    return rotations;
  };
  keys.rotations = read_rotations(context.rotation_chain(keys.rotation_primes), 1);
  if (context.ephemeral_chain() != nullptr) {
    if (reader.flag()) keys.raise.to_ephemeral.emplace(reader.key(*context.ephemeral_chain()));
    keys.raise.to_secret = read_rotations(context.raising_chain(), 0);
  }
  reader.expect_end();
  return keys;
}

void serialize(const Context& context, const RelinearisationRound& round, const ByteSink& sink) {
  const rlwe::ModulusChain& chain = context.product_chain();
  const Writer writer(context, kRelinearisationRound, context.parameters().hash(), sink);
  writer.number(static_cast<std::uint64_t>(round.level), 2);
  writer.number(round.polys.size(), 2);
  for (const ring::NttPoly& poly : round.polys) writer.rows(chain, poly, poly.limbs(), round.level);
}

RelinearisationRound deserialize_relinearisation_round(const Context& context, std::span<const std::uint8_t> bytes) {
  const rlwe::ModulusChain& chain = context.product_chain();
  Reader reader(context, kRelinearisationRound, bytes);
  RelinearisationRound round{.level = reader.level(chain), .polys = {}};
  const std::size_t polys = reader.u16();
  if (polys > 2 * chain.digits(round.level)) reader.fail("it has more polynomials than two for each digit");
  for (std::size_t i = 0; i < polys; ++i)
    round.polys.push_back(reader.rows(chain, round.level, chain.extended_rows(round.level)));
  reader.expect_end();
  return round;
}

}  // namespace tacit::scheme::ckks
