// Several inputs in one call, with the plan as numbers, progress and a check of every operator:
// 02_batches_and_validation MODEL.onnx

#include <tacit/model.h>
#include <tacit/validation.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// Two pictures of waves, as the network expects its pixels.
std::vector<tacit::Tensors> waves() {
  std::vector<tacit::Tensors> pictures(2, tacit::Tensors(1));
  for (int i = 0; i < 784; ++i) {
    pictures[0][0].push_back(std::sin(0.05 * i));
    pictures[1][0].push_back(std::cos(0.30 * i));
  }
  return pictures;
}

// Prints stages as they begin. `cancelled()` could end the work, which then throws tacit::Cancelled.
class Stages final : public tacit::Progress {
  void stage_began(std::string_view stage, std::uint64_t steps) override {
    std::printf("%.*s: %llu steps\n", static_cast<int>(stage.size()), stage.data(),
                static_cast<unsigned long long>(steps));
  }
  void steps_done(std::uint64_t) override {}
  void stage_ended() override {}
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s MODEL.onnx\n", arguments[0]);
    return 2;
  }
  const tacit::CompiledModel model = tacit::compile(arguments[1], {.input_range = std::pair{-1.0, 1.0}});
  const tacit::Plan plan = model.client.plan();
  std::printf("%d-bit security, %.3f s an input predicted, %.0f MB of keys\n", plan.security_bits, plan.seconds,
              plan.key_bytes / 1e6);

  Stages stages;
  const tacit::Client client(model.client);
  tacit::Server server(model.server, client.evaluation_keys(stages));
  const std::vector<tacit::Tensors> inputs = waves();
  const tacit::EncryptedTensors questions = client.encrypt_all(inputs, stages);
  const tacit::EncryptedTensors results = server.evaluate(questions, stages);
  results.require_answers_to(questions);  // one answer for each question, in order
  const std::vector<tacit::Tensors> answers = client.decrypt_all(results);
  for (const tacit::Tensors& scores : answers) std::printf("first score %.3f\n", scores[0][0]);
  // For others: classes without numbers, which would tell of the key.
  for (const tacit::Tensors& label : client.decrypt_all(results, tacit::Disclosure{.labels = true}))
    std::printf("class %.0f\n", label[0][0]);

  // Whoever owns the keys compares every encrypted operator with the operator of the model.
  const tacit::Validation validation = tacit::validate(model, inputs, {.epsilon = -3});
  std::printf("%s", validation.text.c_str());
  return answers.size() == 2 && !validation.failed ? 0 : 1;
}
