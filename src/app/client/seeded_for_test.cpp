// A client whose entropy is a stream that the caller chooses, so that two builds can be compared byte by byte. It
// defines draw_entropy in place of the library's. Only tests use it.
//
//   tacit_seeded_client keys CLIENT SEED EVALUATION SECRET
//   tacit_seeded_client encrypt CLIENT SECRET SEED VALUES QUESTION
//   tacit_seeded_client decrypt CLIENT SECRET SEED RESULTS QUESTION ANSWERS
//
// VALUES are the float64 of one input, tensor after tensor. ANSWERS are those of all outputs.

#include <tacit/client_c.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/entropy.h"
#include "base/parallel.h"

namespace {
std::uint64_t entropy_state = 0;

/// The next number of splitmix64 (Steele, Lea, Flood 2014). javascript/tacit-client/test has the same stream.
std::uint64_t next_word() {
  std::uint64_t z = entropy_state += 0x9E3779B97F4A7C15;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}
}  // namespace

bool tacit::base::draw_entropy(std::span<std::uint8_t> bytes, Entropy) noexcept {
  for (std::size_t at = 0; at < bytes.size(); at += 8) {
    const std::uint64_t word = next_word();
    std::memcpy(bytes.data() + at, &word, bytes.size() - at < 8 ? bytes.size() - at : 8);
  }
  return true;
}

namespace {

using Bytes = std::vector<char>;

Bytes read(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "%s: cannot be read\n", path);
    std::exit(2);
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

TacitBytes view(const Bytes& bytes) { return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}; }

void require(TacitStatus status) {
  if (status == TACIT_OK) return;
  std::fprintf(stderr, "%s\n", tacit_client_sentence());
  std::exit(1);
}

struct File {
  std::ofstream out;
  explicit File(const char* path) : out(path, std::ios::binary) {}
  TacitSink sink() {
    return {this, nullptr, [](void* self, const std::uint8_t* bytes, std::size_t size) {
              std::ofstream& to = static_cast<File*>(self)->out;
              to.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(size));
              return to ? 0 : 1;
            }};
  }
};

int make_keys(const TacitClientModel* model, char** names) {
  File evaluation(names[0]), secret(names[1]);
  const TacitSink to_evaluation = evaluation.sink(), to_secret = secret.sink();
  require(tacit_client_make_keys(model, &to_evaluation, nullptr, &to_secret, nullptr));
  return 0;
}

int encrypt(const TacitClientModel* model, const Bytes& key, char** names) {
  const Bytes bytes = read(names[0]);
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  std::vector<std::vector<std::int64_t>> shapes;
  const nlohmann::json facts = nlohmann::json::parse(tacit_client_model_facts(model));
  for (const auto& input : facts["inputs"]) shapes.push_back(input["shape"].get<std::vector<std::int64_t>>());
  std::vector<TacitArray> arrays;
  std::size_t at = 0;
  for (const std::vector<std::int64_t>& shape : shapes) {
    arrays.push_back({values.data() + at, shape.data(), shape.size()});
    std::size_t size = 1;
    for (const std::int64_t extent : shape) size *= static_cast<std::size_t>(extent);
    at += size;
  }
  if (at != values.size()) return 2;
  File question(names[1]);
  const TacitSink to_question = question.sink();
  require(tacit_client_encrypt(model, view(key), 0, arrays.data(), arrays.size(), 1, &to_question, nullptr, nullptr));
  return 0;
}

int decrypt(const TacitClientModel* model, const Bytes& key, char** names) {
  const Bytes results = read(names[0]), question = read(names[1]);
  TacitAnswers* answers = nullptr;
  require(tacit_client_decrypt(model, view(key), view(results), view(question), {nullptr, 0}, nullptr, &answers));
  std::ofstream out(names[2], std::ios::binary);
  for (std::size_t i = 0; i < tacit_client_answers_inputs(answers); ++i)
    for (std::size_t o = 0; o < tacit_client_answers_outputs(answers); ++o) {
      TacitArray array{};
      require(tacit_client_answers_get(answers, i, o, &array));
      std::size_t size = 1;
      for (std::size_t d = 0; d < array.dimensions; ++d) size *= static_cast<std::size_t>(array.shape[d]);
      out.write(reinterpret_cast<const char*>(array.values), static_cast<std::streamsize>(size * sizeof(double)));
    }
  tacit_client_answers_free(answers);
  return out ? 0 : 2;
}

}  // namespace

int main(int count, char** names) {
  const std::string work = count > 3 ? names[1] : "";
  if (!(work == "keys" && count == 6) && !(work == "encrypt" && count == 7) && !(work == "decrypt" && count == 8)) {
    std::fprintf(stderr, "usage: see the head of seeded_for_test.cpp\n");
    return 2;
  }
  tacit::base::set_thread_limit(1);  // draws have an order
  const Bytes client = read(names[2]);
  TacitClientModel* model = nullptr;
  require(tacit_client_model_open(view(client), 1, &model));
  entropy_state = std::strtoull(names[work == "keys" ? 3 : 4], nullptr, 10);
  if (work == "keys") return make_keys(model, names + 4);
  const Bytes key = read(names[3]);
  return work == "encrypt" ? encrypt(model, key, names + 5) : decrypt(model, key, names + 5);
}
