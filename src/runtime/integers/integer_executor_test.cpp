#include "runtime/integers/integer_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <random>

#include "base/error.h"
#include "program/integers/copies.h"
#include "program/integers/noise.h"
#include "program/integers/small_program_for_test.h"
#include "runtime/integers/compiled_integers.h"
#include "runtime/integers/integer_client.h"
#include "runtime/integers/integer_files.h"

namespace tacit::runtime {
namespace {

using scheme::tfhe::Context;
using scheme::tfhe::LweCiphertexts;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

/// A secure set, chosen for the program.
params::TfheLiteral literal_for(const integers::Program& program) {
  return params::solve(integers::requirements(program, -64));
}

integers::ClientInterface interface_of(const integers::Program& program) {
  integers::ClientInterface interface;
  const integers::Instruction &in = program.instructions.front(), &out = program.instructions.back();
  interface.inputs.push_back(
      {"x", in.shape, in.step, {layout::RepeatedReals(1), layout::RepeatedReals(0), 0, 3}, false});
  interface.outputs.push_back(
      {"y", out.shape, out.step, {layout::RepeatedReals(1), layout::RepeatedReals(0), out.lowest, out.highest}});
  return interface;
}

/// Client and server of a program.
struct Parties {
  explicit Parties(integers::Program of)
      : program(std::move(of)),
        context(Context::make(params::TfheParameters::check(literal_for(program)))),
        secret(scheme::tfhe::SecretKey::generate(*context)),
        keys(scheme::tfhe::SeededEvaluationKeys::generate(*context, secret)),
        executor(std::make_shared<const PreparedIntegers>(context, program),
                 std::make_shared<const scheme::tfhe::Evaluator>(context, keys)),
        client(interface_of(program), context, secret) {}

  /// Of the one input.
  std::vector<LweCiphertexts> encrypt(const std::vector<double>& x) const {
    return {scheme::tfhe::expand(*context, client.encrypt(std::span(&x, 1))[0])};
  }

  integers::Program program;
  scheme::tfhe::ContextPtr context;
  scheme::tfhe::SecretKey secret;
  scheme::tfhe::SeededEvaluationKeys keys;
  IntegerExecutor executor;
  IntegerClient client;

  /// Of the small program, made once.
  static const Parties& shared() {
    static const Parties parties(integers::small_program());
    return parties;
  }
};

TEST(IntegerExecutor, EqualsTheClearReadingOnEveryInput) {
  const Parties& p = Parties::shared();
  const integers::ClearProgram reading(p.program);
  for (std::int64_t x = 0; x < 4 * 2 * 4; ++x) {
    const integers::Integers input{x % 4, x / 4 % 2, x / 8};
    const auto result = p.executor.run(p.encrypt({input.begin(), input.end()}));
    const double expected = static_cast<double>(reading.run({&input, 1})[0][0]);
    EXPECT_EQ(p.client.decrypt(result.outputs)[0], std::vector<double>{expected}) << x;
    EXPECT_EQ(result.seconds.size(), p.program.instructions.size());
  }
}

/// Of every input. Keys are made for the program.
void expect_clear_results(const integers::Program& program, const std::vector<integers::Integers>& inputs) {
  const Parties p(program);
  const integers::ClearProgram reading(program);
  for (const integers::Integers& input : inputs) {
    const auto result = p.executor.run(p.encrypt({input.begin(), input.end()}));
    const integers::Integers expected = reading.run({&input, 1})[0];
    EXPECT_EQ(p.client.decrypt(result.outputs)[0], std::vector<double>(expected.begin(), expected.end()))
        << ::testing::PrintToString(input);
  }
}

TEST(IntegerExecutor, RoundsAsTheClearReadingDoes) {
  std::vector<integers::Integers> inputs;
  for (std::int64_t x = 0; x < 4 * 4; ++x) inputs.push_back({x % 4, x / 4});
  expect_clear_results(integers::rounding_program(), inputs);
}

TEST(IntegerExecutor, LooksSeveralTablesUpAtOnce) {
  for (const int log_tables : {1, 2})
    expect_clear_results(integers::sharing_program(log_tables), {{0, 0, 0}, {3, 1, 0}, {1, 1, 3}, {2, 0, 2}});
}

/// What the account of noise goes by: such elements are equal word for word, and others are not.
TEST(IntegerExecutor, EqualSumsAndTablesMakeOneCiphertext) {
  integers::Program program = integers::small_program();
  const auto matrix = [](std::int64_t columns, std::int64_t rows, std::vector<double> weights) {
    return std::make_shared<layout::Contraction>(layout::Contraction::dense({1, columns}, rows, std::move(weights)));
  };
  program.instructions[1].operation =
      integers::Linear{{{0, matrix(3, 4, {1, 1, 1, 0, 1, 2, 1, 1, 1, 1, 1, 1})}}, {2, 2, 2, 3}};
  auto& lookup = std::get<integers::Lookup>(program.instructions[2].operation);
  lookup.tables.push_back(lookup.tables[0]);
  lookup.table_of = {0, 0, 1, 0};
  program.instructions[1].shape = program.instructions[2].shape = {1, 4};
  program.instructions[3].operation = integers::Linear{{{2, matrix(4, 1, {1, 0, 0, -1})}}, {}};
  const auto classes = integers::copies(program);
  EXPECT_EQ(classes[2][0], classes[2][2]);
  struct Watch final : IntegerObserver {
    void value(program::ValueId id, const LweCiphertexts& ciphertexts) override { made[id] = ciphertexts; }
    std::map<program::ValueId, LweCiphertexts> made;
  } watch;
  const Parties p(program);
  p.executor.run(p.encrypt({2, 1, 3}), &watch);
  for (const program::ValueId id : {1u, 2u})
    for (std::size_t a = 0; a < 4; ++a)
      for (std::size_t b = 0; b < 4; ++b)
        EXPECT_EQ(std::ranges::equal(watch.made.at(id)[a], watch.made.at(id)[b]), classes[id][a] == classes[id][b])
            << id << " " << a << " " << b;
}

TEST(IntegerExecutor, CountsAStepAndMemoryForEveryBootstrap) {
  struct Count final : base::Progress {
    void stage_began(std::string_view, std::uint64_t steps) override { planned = steps; }
    void steps_done(std::uint64_t steps) override { done += steps; }
    void stage_ended() override {}
    std::uint64_t planned = 0, done = 0;
  };
  const Parties p(integers::sharing_program(1));
  Count count;
  p.executor.run(p.encrypt({1, 1, 1}), nullptr, count);
  EXPECT_EQ(count.planned, 3u);
  EXPECT_EQ(count.done, 3u);
  // The second lookup's results are held from the first's turn on: with two sums, and three times what is made at once.
  const double one = p.context->parameters().ciphertext_bytes();
  EXPECT_EQ(value_bytes(p.program, p.context->parameters()), (2 + 5 + 3 * 5) * one);
  // Tables of a, of b, and the third of b alone.
  EXPECT_EQ(table_bytes(p.program, p.context->parameters()),
            3 * (table_bytes(integers::sharing_program(0), p.context->parameters()) / 4));
}

TEST(IntegerExecutor, RefusesWhatDoesNotFit) {
  const Parties& p = Parties::shared();
  EXPECT_THAT([&] { p.executor.run({}); }, ThrowsMessage<base::InputError>(HasSubstr("input 'x' has 0 ciphertexts")));
  const auto other = Context::make(params::TfheParameters::check(params::named_tfhe_literal("T2")));
  const auto secret = scheme::tfhe::SecretKey::generate(*other);
  EXPECT_THROW(IntegerClient(interface_of(p.program), p.context, secret), base::KeyMismatch);
  EXPECT_THAT(
      [&] { PreparedIntegers(other, p.program); },
      ThrowsMessage<base::InputError>(AllOf(HasSubstr("layer 'squares'"), HasSubstr("compile the model again"))));
}

TEST(IntegerFiles, CarryHalvesKeysAndCiphertexts) {
  const Parties& p = Parties::shared();
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "integer_files";
  std::filesystem::create_directories(folder);
  IntegerModelHead head;
  head.name = "small";
  head.literal = p.context->parameters().literal();
  IntegerServerModel server{head, p.program};
  IntegerClientModel client{head, interface_of(p.program), "{}", {1, 2, 3}};
  bind(server, client);
  save(server, folder / "server");
  save(client, folder / "client");
  const IntegerServerModel loaded = load_integer_server_model(folder / "server");
  EXPECT_EQ(loaded.id, load_integer_client_model(folder / "client").id);
  EXPECT_EQ(integers::to_text(loaded.program), integers::to_text(p.program));
  EXPECT_EQ(artefact_scheme(folder / "server"), ArtefactScheme::tfhe);

  const Binding binding{loaded.id, p.context->parameters().hash(), new_key_set_id()};
  save(*p.context, p.secret, binding, folder / "secret");
  save(*p.context, p.keys, binding, folder / "keys");
  Provenance of_secret, of_keys;
  const auto secret = load_tfhe_secret_key(folder / "secret", *p.context, &loaded.id, of_secret);
  const auto keys = load_tfhe_evaluation_keys(folder / "keys", *p.context, &loaded.id, of_keys);
  EXPECT_EQ(of_secret.key_set, of_keys.key_set);
  EXPECT_THROW(load_tfhe_evaluation_keys(folder / "secret", *p.context, nullptr, of_keys), base::InputError);
  ModelId other = loaded.id;
  other[0] ^= 1;
  EXPECT_THROW(load_tfhe_secret_key(folder / "secret", *p.context, &other, of_secret), base::KeyMismatch);

  const std::vector<double> x{3, 1, 2};
  const IntegerClient owner(interface_of(p.program), p.context, secret);
  const auto sent = owner.encrypt(std::span(&x, 1));
  SampleWriter writer(folder / "x", ArtefactScheme::tfhe,
                      {CiphertextRole::inputs, binding, {"x"}, BatchedInputs{1, 1}});
  writer.add(pieces_of(*p.context, std::span<const scheme::tfhe::FreshLweCiphertexts>(sent)));
  writer.finish();
  const SampleReader reader = open_samples(folder / "x", *p.context, CiphertextRole::inputs);
  const std::vector<LweCiphertexts> inputs{scheme::tfhe::expand(*p.context, read_inputs(reader, 0, *p.context)[0])};
  const IntegerExecutor executor(std::make_shared<const PreparedIntegers>(p.context, loaded.program),
                                 std::make_shared<const scheme::tfhe::Evaluator>(p.context, keys));
  // 3 + 2 - 2 + 4 = 7 and 6: 49 and 36 modulo 8.
  EXPECT_EQ(owner.decrypt(executor.run(inputs).outputs)[0], std::vector<double>{1 - 4});
  EXPECT_THAT([&] { open_samples(folder / "x", *p.context, CiphertextRole::results); },
              ThrowsMessage<base::InputError>(HasSubstr("results are needed")));
  EXPECT_THAT([&] { SampleReader(folder / "x", ArtefactScheme::ckks, CiphertextRole::inputs, binding.parameters, ""); },
              ThrowsMessage<base::KeyMismatch>(HasSubstr("belongs to TFHE")));
}

TEST(IntegerExecutor, MemoryIsKeysTablesWeightsAndValues) {
  const auto parameters = params::TfheParameters::check(params::named_tfhe_literal("T4"));
  // 879 ciphertexts of 2 x 2 polynomials of 2^11 doubles; 2048 x 8 rows of 880 words of 32 bits, filled up to 896.
  EXPECT_EQ(parameters.bootstrap_key_bytes(), 879.0 * 4 * 2048 * 8);
  EXPECT_EQ(parameters.key_switch_key_bytes(), 2048.0 * 8 * 896 * 4);
  EXPECT_EQ(parameters.ciphertext_bytes(), 8.0 * 2049);
  EXPECT_EQ(key_bytes(parameters), 879.0 * 4 * 2048 * 8 + 2048.0 * 8 * 896 * 4);
  const integers::Program program = integers::small_program();
  // One table of 2^11 words, and of each entry of the two matrices an index and a number of 32 bits.
  EXPECT_EQ(table_bytes(program, parameters), 2048.0 * 8);
  EXPECT_EQ(weight_bytes(program), (2 * 3 + 2) * 8.0);
  // Two sums, and three times the two results of the bootstraps.
  EXPECT_EQ(value_bytes(program, parameters), (2 + 2 + 3 * 2) * 8.0 * 2049);
  EXPECT_EQ(memory_need(program, parameters), key_bytes(parameters) + table_bytes(program, parameters) +
                                                  weight_bytes(program) + value_bytes(program, parameters));
}

TEST(IntegerExecutor, ExpandsTheTensorsOfTheProgramAlone) {
  const Parties& p = Parties::shared();
  const std::vector<double> x{3, 1, 2};
  const std::vector<scheme::tfhe::FreshLweCiphertexts> one = p.client.encrypt(std::span(&x, 1));
  const auto expanded = expand_inputs(*p.context, p.program, one);
  ASSERT_EQ(expanded.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(expanded[0][2], scheme::tfhe::expand(*p.context, one[0])[2]));
  const auto refuses = [&](const std::vector<scheme::tfhe::FreshLweCiphertexts>& tensors, const char* reason) {
    EXPECT_THAT([&] { expand_inputs(*p.context, p.program, tensors); },
                ThrowsMessage<base::InputError>(HasSubstr(reason)));
  };
  refuses({}, "tensor 'x' has 0 ciphertexts; expected 3");
  refuses({one[0], one[0]}, "2 encrypted tensors for a program with 1 inputs");
  scheme::tfhe::FreshLweCiphertexts fewer = one[0];
  fewer.bodies.pop_back();
  refuses({fewer}, "tensor 'x' has 2 ciphertexts; expected 3");
}

}  // namespace
}  // namespace tacit::runtime
