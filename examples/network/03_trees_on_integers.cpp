// Decision trees on encrypted integers, in one process: 03_trees_on_integers MODEL.onnx

#include <tacit/model.h>
#include <tacit/validation.h>

#include <cmath>
#include <cstdio>
#include <vector>

namespace {

// Readings of a machine: ten numbers a row, made up. Rows that calibrate are public; the last ones are private.
std::vector<tacit::Tensors> readings(int first, int count) {
  std::vector<tacit::Tensors> rows;
  for (int row = first; row < first + count; ++row) {
    std::vector<double>& numbers = rows.emplace_back(1).front();
    for (int i = 0; i < 10; ++i) numbers.push_back(1.5 * std::sin(1.7 * row * (i + 1) + i));
  }
  return rows;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: %s MODEL.onnx\n", arguments[0]);
    return 2;
  }
  tacit::CompileOptions options{.calibration = readings(0, 256)};
  options.scheme = tacit::Scheme::tfhe;
  options.bits = 4;
  const tacit::CompiledModel model = tacit::compile(arguments[1], options);
  const tacit::Plan plan = model.client.plan();
  std::printf("%lld lookups, %.2f s a row predicted, %.0f MB of keys\n", static_cast<long long>(plan.lookups),
              plan.seconds, plan.key_bytes / 1e6);

  // From here on nothing depends on the scheme.
  const std::vector<tacit::Tensors> rows = readings(1000, 3);
  const tacit::Client client(model.client);
  tacit::Server server(model.server, client.evaluation_keys());
  const std::vector<tacit::Tensors> answers = client.decrypt_all(server.evaluate(client.encrypt_all(rows)));
  const std::vector<tacit::Tensors> expected = tacit::simulate(model, rows);
  bool equal = true;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    std::printf("row %zu: class %.0f, probability of a failure %.3f\n", row, answers[row][0][0], answers[row][1][1]);
    equal = equal && answers[row] == expected[row];
  }
  const tacit::Validation validation = tacit::validate(model, {rows.data(), 1});
  std::printf("%s", validation.text.c_str());
  return equal && !validation.failed ? 0 : 1;
}
