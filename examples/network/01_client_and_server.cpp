// A network on an encrypted picture, in one process: 01_client_and_server MODEL.onnx

#include <tacit/model.h>

#include <algorithm>
#include <cstdio>
#include <vector>

namespace {

// Trousers, roughly: two bright legs on a dark ground, as the network expects its pixels.
std::vector<double> drawing() {
  std::vector<double> pixels;
  for (int y = 0; y < 28; ++y)
    for (int x = 0; x < 28; ++x) {
      const bool hips = y < 8 && x >= 10 && x < 18;
      const bool leg = y >= 8 && ((x >= 9 && x < 13) || (x >= 15 && x < 19));
      pixels.push_back(((hips || leg ? 0.8 : 0.0) - 0.286) / 0.353);
    }
  return pixels;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s MODEL.onnx\n", arguments[0]);
    return 2;
  }
  // The owner of the model compiles it. Pixels are known to lie in this range, so that nothing can overflow.
  const tacit::CompiledModel model = tacit::compile(arguments[1], {.input_range = std::pair{-0.82, 2.03}});
  std::printf("%s\n", model.client.plan().text.c_str());

  // The client keeps its secret key; the server gets evaluation keys and ciphertexts.
  const tacit::Client client(model.client);
  tacit::Server server(model.server, client.evaluation_keys());
  const tacit::EncryptedTensors answer = server.evaluate(client.encrypt({drawing()}));

  const std::vector<double> scores = client.decrypt(answer)[0];
  const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
  const char* const kNames[] = {"T-shirt", "trouser", "pullover", "dress", "coat",
                                "sandal",  "shirt",   "sneaker",  "bag",   "boot"};
  std::printf("class %td, %s\n", best, kNames[best]);
  return best == 1 ? 0 : 1;
}
