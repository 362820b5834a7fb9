// Our side of bench/peers/compare.py, by the protocol of bench/peers/measured_work.py. peer_works WORK prepares a work,
// does it at every line "go", and prints its quality at the end.

#include <fmt/format.h>
#include <tacit/ckks.h>
#include <tacit/merkle.h>
#include <tacit/model.h>
#include <tacit/tfhe.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr double kSecondsOfARound = 0.2;  // shorter work is repeated

struct Work {
  std::string parameters;
  int items = 1;  // pieces of work that `once` does
  std::function<void()> once{};
  std::function<std::string()> quality{};
};

void say(const nlohmann::json& line) { std::cout << line.dump() << std::endl; }

void serve(const Work& work) {
  say({{"parameters", work.parameters}});
  for (std::string line; std::getline(std::cin, line) && line == "go";) {
    using Clock = std::chrono::steady_clock;
    const auto begin = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
    int count = 0;
    do {
      work.once();
      count += work.items;
    } while (elapsed() < kSecondsOfARound);
    say({{"seconds", elapsed()}, {"count", count}});
  }
  say({{"quality", work.quality()}});
}

std::vector<double> random_slots(std::size_t count) {
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> values(count);
  for (double& value : values) value = uniform(engine);
  return values;
}

// The common data of the three works of CKKS.
struct Party {
  Party(const char* set, const tacit::ckks::KeyRequest& request)
      : parameters(tacit::ckks::Parameters::named(set)),
        context(parameters),
        secret(tacit::ckks::KeyGenerator(context).secret_key()),
        evaluator(context, tacit::ckks::KeyGenerator(context).evaluation_keys(secret, request)),
        x(random_slots(parameters.slots())) {}

  tacit::ckks::Ciphertext encrypt(int level) const {
    return tacit::ckks::Encryptor(context, secret).encrypt(tacit::ckks::Encoder(context).encode(x, level));
  }
  std::string bits_of(const std::vector<double>& expected) const {
    const std::vector<double> got = tacit::ckks::Decryptor(context, secret).decrypt(*last);
    double worst = 0, sum = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double error = std::abs(got[i] - expected[i]);
      worst = std::max(worst, error);
      sum += error;
    }
    return fmt::format("{:.1f} bits in the worst slot, {:.1f} mean", -std::log2(worst),
                       -std::log2(sum / static_cast<double>(expected.size())));
  }

  tacit::ckks::Parameters parameters;
  tacit::ckks::Context context;
  tacit::ckks::SecretKey secret;
  tacit::ckks::Evaluator evaluator;
  std::vector<double> x;
  std::optional<tacit::ckks::Ciphertext> last{};
};

// Makes sets of scale 2^40 at a level where the peers have as many limbs.
Work ckks(const std::string& name, int log_n) {
  const char* set = log_n == 15 ? "N15-d15" : "N16-d32";
  const int level = log_n == 15 ? 14 : 27;
  const auto party = std::make_shared<Party>(set, tacit::ckks::KeyRequest{.rotations = {1}, .level = level});
  std::vector<double> expected = party->x;
  const tacit::ckks::Ciphertext a = party->encrypt(level), b = party->encrypt(level);
  Work work{.parameters =
                fmt::format("{} at level {}, {} limbs, scale 2^{:.0f}, ternary secret, {}-bit security", set, level,
                            level + 1, std::log2(party->parameters.scale()), party->parameters.security_bits())};
  if (name == "rotate") {
    std::rotate(expected.begin(), expected.begin() + 1, expected.end());
    work.once = [party, a] { party->last = party->evaluator.rotate(a, 1); };
  } else {
    for (double& value : expected) value *= value;
    work.once = [party, a, b] { party->last = party->evaluator.multiply(a, b); };
  }
  work.quality = [party, expected] { return party->bits_of(expected); };
  return work;
}

Work bootstrap() {
  constexpr int kLevel = 8;  // five levels above the three that slots to coefficients needs next
  const auto party = std::make_shared<Party>("S8", tacit::ckks::KeyRequest{.bootstrap = true});
  const tacit::ckks::Bootstrapping refresh(party->context, tacit::ckks::Bootstrapping::Form::linear, kLevel);
  const tacit::ckks::Ciphertext x = party->encrypt(refresh.input_level());
  return {
      .parameters = fmt::format(
          "S8 to level {}, {} slots, scale 2^40, linear, slots to coefficients first, ternary secret, {}-bit security",
          refresh.output_level(), party->parameters.slots(), party->parameters.security_bits()),
      .once = [party, refresh, x] { party->last = party->evaluator.bootstrap(refresh, x); },
      .quality =
          [party, refresh] {
            return fmt::format("{}; {} levels to use", party->bits_of(party->x),
                               party->last->level() - refresh.input_level());
          }};
}

Work lookups(const std::string& set, int count) {
  namespace tfhe = tacit::tfhe;
  const auto parameters = tfhe::Parameters::named(set);
  const auto table = [modulus = std::int64_t{1} << parameters.bits()](std::int64_t n) { return (n * n + 3) % modulus; };
  const auto secret = std::make_shared<tfhe::SecretKey>(parameters);
  const auto server = std::make_shared<tfhe::Evaluator>(secret->evaluation_keys());
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = 0; i < count; ++i) numbers.push_back((5 * i + 1) % (std::int64_t{1} << parameters.bits()));
  const auto last = std::make_shared<std::optional<tfhe::Ciphertexts>>();
  return {.parameters = fmt::format("{}, {} at once, 2-norm {:.0f}, failure 2^{:.0f}, {}-bit security", set, count,
                                    parameters.norm2(), parameters.log2_failure(), parameters.security_bits()),
          .items = count,
          .once = [=, hidden = secret->encrypt(numbers),
                   looked_up = tfhe::Table(parameters, table)] { *last = server->lookup(hidden, looked_up); },
          .quality =
              [=] {
                const std::vector<std::int64_t> got = secret->decrypt(**last);
                int right = 0;
                for (std::size_t i = 0; i < got.size(); ++i) right += got[i] == table(numbers[i]);
                return fmt::format("{} of {} right; fails with 2^{:.0f}", right, got.size(), parameters.log2_failure());
              }};
}

// Uses the published construction, without our domains, so that roots can be compared.
Work merkle(int log2_leaves) {
  std::vector<std::uint64_t> words(std::size_t{4} << log2_leaves);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
  const auto root = std::make_shared<std::string>();
  const tacit::MerkleOptions options{.hash = "rescue-prime-c.1-strict", .leaf = "digests"};
  return {.parameters = options.hash,
          .once =
              [=, words = std::move(words)] {
                *root = tacit::MerkleTree::of_bytes(std::as_bytes(std::span(words)), options).root();
              },
          .quality = [root] { return "root " + root->substr(0, 16); }};
}

Work find(const std::string& work) {
  const std::size_t dash = work.find('-');
  const std::string name = work.substr(0, dash), argument = dash == std::string::npos ? "" : work.substr(dash + 1);
  if (name == "rotate" || name == "multiply") return ckks(name, std::stoi(argument));
  if (name == "bootstrap") return bootstrap();
  if (name == "lookup") return lookups("T" + argument, 1);
  if (name == "lookups") return lookups("T" + argument, 64);
  if (name == "merkle") return merkle(std::stoi(argument));
  throw std::invalid_argument(work + ": no such work; see bench/peers/works.py");
}

}  // namespace

int main(int count, char** arguments) {
  try {
    if (count != 2) throw std::invalid_argument("peer_works WORK");
    tacit::set_threads(1);
    serve(find(arguments[1]));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}
