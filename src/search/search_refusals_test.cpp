#include <cmath>
#include <limits>

#include "base/refusal_for_test.h"
#include "search/party_for_test.h"

namespace tacit::search {
namespace {

using base::expect_refusal;
using base::InputError;
using base::KeyMismatch;

TEST_F(SearchParties, RefusesVectorsThatAStoreCannotHold) {
  const auto refuses = [&](RandomVectors vectors, const BuildChoices& choices, const std::string& why) {
    expect_refusal<InputError>([&] { build({.vectors = vectors.vectors()}, choices); }, why);
    EXPECT_FALSE(std::filesystem::exists(store())) << why;
  };
  RandomVectors vectors(9, 4, 1);
  vectors.row(3)[2] = std::nan("");
  refuses(vectors, {}, "vector 3 holds NaN at dimension 2; remove it, or replace it by a number");
  vectors.row(3)[2] = std::numeric_limits<double>::infinity();
  refuses(vectors, {.metric = Metric::dot}, "vector 3 holds infinity at dimension 2");
  for (double& x : vectors.row(3)) x = 0;
  refuses(vectors, {}, "vector 3 is zero, and a zero vector has no cosine; remove it, or use --metric dot");
  for (double& x : vectors.row(3)) x = 1;
  refuses(vectors, {}, "vector 3 has the norm 2, and cosines need norm 1; give --normalise, or use --metric dot");
  for (double& x : vectors.row(3)) x = 1e200;
  refuses(vectors, {.metric = Metric::euclid}, "vector 3 has a norm above the largest number of double precision");
  refuses(RandomVectors(2, 4097, 1), {}, "the vectors have 4097 dimensions; a store holds 1 to 4096");
  refuses(RandomVectors(0, 4, 1), {}, "there are no vectors; give at least one");
  refuses(RandomVectors(9, 4, 1), {.largest_component = 0.1}, "--largest-component is 0.1, and the vectors have");
  refuses(RandomVectors(9, 4, 1, 2), {.metric = Metric::dot, .largest_norm = 1},
          "--largest-norm is 1, and the vectors have norms up to 2; raise it");
  RandomVectors zeros(2, 3, 1);
  for (std::uint64_t i = 0; i < 2; ++i)
    for (double& x : zeros.row(i)) x = 0;
  refuses(zeros, {.metric = Metric::dot}, "all vectors are zero; give vectors that differ");
}

TEST_F(SearchParties, RefusesIdsAndPayloadsThatDoNotFit) {
  RandomVectors vectors(3, 4, 1);
  const auto refuses = [&](const Records& records, const std::string& why) {
    expect_refusal<InputError>([&] { build(records, {}); }, why);
  };
  refuses({.vectors = vectors.vectors(), .ids = {5, 6, 5}}, "records 0 and 2 have the same id 5; ids must differ");
  refuses({.vectors = vectors.vectors(), .ids = {5, 6}}, "there are 2 ids for 3 vectors");
  refuses({.vectors = vectors.vectors(), .payload = test_payload(0)}, "a record of the payload has 0 bytes");
  refuses({.vectors = vectors.vectors(), .payload = test_payload(1 << 21)}, "2097152 bytes; 1 to 1048576 are allowed");
  build({.vectors = vectors.vectors(), .ids = {1, 2, 3}, .payload = test_payload(6)}, {});
  refuses({.vectors = vectors.vectors()}, "exists and is not empty; choose another folder");
  RandomVectors more(1, 4, 2);
  const auto append_refuses = [&](const Records& records, const std::string& why) {
    expect_refusal<InputError>([&] { append_to_store(store(), records, base::Progress::silent()); }, why);
    EXPECT_EQ(Store(store()).shape().version, 1U);
  };
  append_refuses({.vectors = more.vectors(), .payload = test_payload(6)},
                 "the store has ids of its own; append records with");
  append_refuses({.vectors = more.vectors(), .ids = {2}, .payload = test_payload(6)},
                 "records 1 and 3 have the same id 2");
  append_refuses({.vectors = more.vectors(), .ids = {4}}, "have 6 bytes of payload, and the new ones have 0");
  append_refuses({.vectors = more.vectors(), .ids = {4}, .payload = test_payload(7)},
                 "have 6 bytes of payload, and the new ones have 7");
  RandomVectors wide(1, 5, 2);
  append_refuses({.vectors = wide.vectors(), .ids = {4}, .payload = test_payload(6)},
                 "the vectors have 5 dimensions, and the store has 4");
  for (double& x : more.row(0)) x = 0;
  more.row(0)[1] = 1;
  append_refuses({.vectors = more.vectors(), .ids = {4}, .payload = test_payload(6)},
                 "has the component 1, and the store holds components up to");
  const std::int64_t ids[] = {9};
  expect_refusal<InputError>([&] { delete_from_store(store(), ids, base::Progress::silent()); },
                             "the store has no record with the id 9; nothing was deleted");
}

TEST_F(SearchParties, RefusesQueries) {
  RandomVectors vectors(30, 4, 1);
  build({.vectors = vectors.vectors()}, {.metric = Metric::euclid});
  make_keys();
  const auto refuses = [&](RandomVectors queries, std::uint64_t top, const std::string& why) {
    expect_refusal<InputError>([&] { ask(queries.vectors(), top); }, why);
    EXPECT_FALSE(std::filesystem::exists(at("question")));
  };
  refuses(RandomVectors(1, 5, 2), 1, "the queries have 5 dimensions, and the store has 4");
  refuses(RandomVectors(1, 4, 2), 31, "the best 31 records are asked for, and the store has 30; ask for 1 to 30");
  refuses(RandomVectors(1, 4, 2), 0, "the best 0 records are asked for");
  refuses(RandomVectors(1, 4, 2, 2.5), 1, "query 0 has the norm 2.5, and the store answers norms up to 2");
  RandomVectors nan(2, 4, 2);
  nan.row(1)[0] = std::nan("");
  refuses(nan, 1, "query 1 holds NaN at dimension 0");
  expect_refusal<InputError>([&] { ask_records({1}); }, "the store was built without --payload");
}

TEST_F(SearchParties, RefusesFilesThatDoNotBelongTogether) {
  RandomVectors vectors(30, 4, 1);
  build({.vectors = vectors.vectors(), .payload = test_payload(4)}, {.largest_component = 1});
  make_keys();
  ask(vectors.vectors(), 1);
  // Keys of another key generation for this store.
  std::filesystem::rename(at("evaluation"), at("evaluation of the question"));
  std::filesystem::rename(at("secret"), at("secret of the question"));
  make_keys();
  expect_refusal<KeyMismatch>([&] { evaluate(); }, "the questions are under other keys than the given ones");
  std::filesystem::rename(at("evaluation of the question"), at("evaluation"));
  evaluate();
  std::filesystem::rename(at("secret of the question"), at("secret"));
  // An answer to other questions.
  std::filesystem::rename(at("answer"), at("old answer"));
  ask(vectors.vectors(), 1);
  std::filesystem::rename(at("old answer"), at("answer"));
  expect_refusal<KeyMismatch>([&] { scores(); },
                              "answer 0 is of another question than question 0; ask the server again");
  // A question about records in a form that the store no longer has.
  ask_records({2});
  RandomVectors more(5000, 4, 2);
  append_to_store(store(), {.vectors = more.vectors(), .payload = test_payload(4, 30)}, base::Progress::silent());
  expect_refusal<InputError>([&] { evaluate(); }, "the store has changed the form of its records");
  // A secret key instead of evaluation keys.
  std::filesystem::rename(at("secret"), at("evaluation"));
  expect_refusal<InputError>([&] { evaluate(); }, "secret key");
}

TEST_F(SearchParties, RefusesKeysOfAnotherStore) {
  RandomVectors vectors(30, 4, 1);
  build({.vectors = vectors.vectors()}, {});
  make_keys();
  std::filesystem::rename(store(), at("other"));
  build({.vectors = vectors.vectors()}, {});
  expect_refusal<KeyMismatch>([&] { ask(vectors.vectors(), 1); }, "the key belongs to the store");
  expect_refusal<KeyMismatch>([&] { load_search_keys(at("evaluation"), client().shape()); },
                              "the keys belong to the store");
}

TEST_F(SearchParties, RefusesAStoreThatIsDamagedOrCutOff) {
  RandomVectors vectors(5000, 4, 1);
  build({.vectors = vectors.vectors()}, {});
  make_keys();
  ask(RandomVectors(1, 4, 2).vectors(), 1);
  const std::filesystem::path tiles = store() / "tiles-1.tacit";
  const std::vector<char> whole = base::read_file(tiles);
  std::vector<char> damaged = whole;
  damaged[128 + 4096 * 4 + 17] ^= 1;
  base::write_file(tiles, damaged);
  expect_refusal<InputError>([&] { evaluate(); }, "is damaged: its SHA-256 does not match, copy the file again");
  EXPECT_FALSE(std::filesystem::exists(at("answer")));
  base::write_file(tiles, std::span(whole).first(whole.size() - 1000));
  expect_refusal<InputError>([&] { evaluate(); }, "it was truncated or damaged");
  std::filesystem::remove(tiles);
  expect_refusal<InputError>([&] { evaluate(); }, "cannot open the file");
  // Tiles of another store, whole in themselves.
  std::filesystem::rename(store(), at("first"));
  RandomVectors others(5000, 4, 3);
  build({.vectors = others.vectors()}, {});
  const std::vector<char> foreign = base::read_file(tiles);
  std::filesystem::remove_all(store());
  std::filesystem::rename(at("first"), store());
  base::write_file(tiles, foreign);
  expect_refusal<InputError>([&] { evaluate(); }, "its root is");
}

}  // namespace
}  // namespace tacit::search
