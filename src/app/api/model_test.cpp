#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tacit/model.h>
#include <tacit/secrets.h>

#include <cmath>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include "base/refusal_for_test.h"
#include "base/temporary_folder_for_test.h"

namespace tacit {
namespace {

using base::expect_refusal;
using ::testing::HasSubstr;

const char* const kNetwork = TACIT_EXAMPLES "/fashion/model.onnx";

class ModelApi : public ::testing::Test {
 protected:
  const base::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
};

TEST_F(ModelApi, AClientAndAServerThatShareFilesGetThePlaintextAnswer) {
  Tensors image(1);
  for (int i = 0; i < 784; ++i) image[0].push_back(0.8 * std::sin(0.05 * i));
  // What the network answers in plain double precision.
  const std::vector<double> logits{0.2460,  -0.4762, -0.4360, -2.7692, -1.5081,
                                   -0.2300, -3.1094, -1.3408, 5.1394,  0.7134};
  const CompiledModel compiled = compile(kNetwork, {.input_range = std::pair{-1.0, 2.1}});
  EXPECT_EQ(compiled.client.input_shapes(), (std::vector<Shape>{{1, 1, 28, 28}}));
  EXPECT_EQ(compiled.client.output_shapes(), (std::vector<Shape>{{1, 10}}));
  EXPECT_EQ(compiled.client.plan().security_bits, 128);
  compiled.client.save(folder / "client");
  compiled.server.save(folder / "server");
  EXPECT_LT(std::filesystem::file_size(folder / "client"), std::filesystem::file_size(folder / "server") / 10);

  {
    const auto half = ClientModel::load(folder / "client");
    const Client client(half);
    client.save_secret_key(folder / "secret");
    client.evaluation_keys().save(folder / "keys");
    client.encrypt(image).save(folder / "question");
  }
  {
    const auto half = ServerModel::load(folder / "server");
    expect_refusal<InputError>([&] { ModelKeys::load(half, folder / "secret"); }, "secret key");
    Server server(half, ModelKeys::load(half, folder / "keys"));
    server.evaluate(EncryptedTensors::load(half, folder / "question")).save(folder / "answer");
    const Client stranger(compiled.client);
    expect_refusal<KeyMismatch>([&] { server.evaluate(stranger.encrypt(image)); }, "");
    const EncryptedTensors answer = server.evaluate(EncryptedTensors::load(half, folder / "question"));
    expect_refusal<InputError>([&] { server.evaluate(answer); }, "evaluated already");
    expect_refusal<InputError>([&] { EncryptedTensors::load(half, folder / "answer"); }, "evaluated already");
  }
  const auto half = ClientModel::load(folder / "client");
  const Client client(half, folder / "secret");
  {
    // Whoever has inputs needs the client's half and the public key.
    client.public_key().save(folder / "public");
    expect_refusal<InputError>([&] { ModelPublicKey::load(half, folder / "secret"); },
                               "it holds a secret key where a public key is needed");
    const CompiledModel other = compile(kNetwork, {.input_range = std::pair{-1.0, 2.2}});
    expect_refusal<KeyMismatch>([&] { ModelPublicKey::load(other.client, folder / "public"); }, "public");
    const ModelPublicKey key = ModelPublicKey::load(half, folder / "public");
    Server server(ServerModel::load(folder / "server"),
                  ModelKeys::load(ServerModel::load(folder / "server"), folder / "keys"));
    const EncryptedTensors question = key.encrypt(image);
    const EncryptedTensors answer = server.evaluate(question);
    answer.require_answers_to(question);
    const Tensors found = client.decrypt(answer);
    for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(found.at(0).at(i), logits[i], 1e-3) << i;
    question.save(folder / "open");
    EXPECT_NEAR(static_cast<double>(std::filesystem::file_size(folder / "open")) /
                    static_cast<double>(std::filesystem::file_size(folder / "question")),
                5, 0.1);
  }
  const Tensors answer = client.decrypt(EncryptedTensors::load(half, folder / "answer"));
  ASSERT_EQ(answer.size(), 1u);
  ASSERT_EQ(answer[0].size(), logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(answer[0][i], logits[i], 1e-3) << i;

  expect_refusal<InputError>([&] { client.decrypt(client.encrypt(image)); }, "no server has evaluated");
  expect_refusal<InputError>([&] { EncryptedTensors::load(half, folder / "question"); }, "no server has evaluated");
  image[0][7] = 2.5;
  expect_refusal<InputError>([&] { client.encrypt(image); }, "element 7 is a private value");
  show_private_values(true);
  expect_refusal<InputError>([&] { client.encrypt(image); }, "element 7 is 2.5");
  show_private_values(false);
  image[0].pop_back();
  expect_refusal<InputError>([&] { client.encrypt(image); }, "784");
}

TEST_F(ModelApi, TheContentOfAFileCompilesToTheSameModelAsTheFile) {
  std::ifstream file(kNetwork, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const CompileOptions options{.input_range = std::pair{-1.0, 2.1}};
  const CompiledModel model = compile_bytes(content, "mine.onnx", options);
  EXPECT_EQ(model.client.id(), compile(kNetwork, options).client.id());
  expect_refusal<InputError>([&] { compile_bytes("no model", "mine.onnx"); }, "'mine.onnx': it is not an ONNX model");

  const Plan whole = plan(model), of_the_client = model.client.plan();
  EXPECT_EQ(whole.rotations, of_the_client.rotations);
  EXPECT_THAT(whole.text, ::testing::AllOf(HasSubstr("mine.onnx"), HasSubstr("node_Conv_43")));
  EXPECT_THAT(whole.json, HasSubstr("\"instructions\""));
  EXPECT_THAT(of_the_client.text, ::testing::Not(HasSubstr("node_Conv_43")));
  EXPECT_EQ(plan({model.client, model.server}).text, of_the_client.text);
}

TEST_F(ModelApi, InsecureParametersNeedTheCallersPermission) {
  const CompiledModel secure = compile(kNetwork, {.input_range = std::pair{-1.0, 2.1}});
  std::string literal = secure.client.parameters();
  const std::size_t flag = literal.find("false");
  ASSERT_NE(flag, std::string::npos) << literal;
  literal.replace(flag, 5, "true");
  CompileOptions options{.input_range = std::pair{-1.0, 2.1}, .parameters = literal};
  expect_refusal<InputError>([&] { compile(kNetwork, options); }, "insecure");
  options.insecure = InsecureParameters::allow;
  const CompiledModel model = compile(kNetwork, options);
  model.client.save(folder / "client");
  model.server.save(folder / "server");
  expect_refusal<InputError>([&] { ClientModel::load(folder / "client"); }, "client: the parameter set");
  expect_refusal<InputError>([&] { ServerModel::load(folder / "server"); }, "server: the parameter set");
  EXPECT_EQ(ClientModel::load(folder / "client", InsecureParameters::allow).parameters(), model.client.parameters());
  EXPECT_NO_THROW(ServerModel::load(folder / "server", InsecureParameters::allow));
}

TEST_F(ModelApi, RefusalsComeBeforeAnyKey) {
  expect_refusal<InputError>([&] { compile(folder / "absent.onnx"); }, "absent.onnx");
  expect_refusal<InputError>([&] { compile(kNetwork, {.parameters = "N12-d99"}); }, "N12-d99");
  expect_refusal<InputError>([&] { compile(kNetwork, {.calibration = {{{1, 2, 3}}}}); }, "784");
  expect_refusal<InputError>([&] { ClientModel::load(kNetwork); }, "model.onnx");
}

TEST_F(ModelApi, NoPolynomialIsOfAHigherDegreeThanAllowed) {
  CompileOptions options;
  options.scheme = Scheme::ckks;
  options.max_degree = 7;
  for (int i = 0; i < 20; ++i) {
    Tensors sample(1);
    for (int k = 0; k < 10; ++k) sample[0].push_back(2 * std::sin(3.0 * i + k));
    options.calibration.push_back(sample);
  }
  const std::string text = plan(compile(TACIT_EXAMPLES "/trees/perceptron.onnx", options)).text;
  const std::regex degree("Relu 'Relu1?' by degree ([0-9]+) on");
  int approximated = 0;
  for (std::sregex_iterator found(text.begin(), text.end(), degree), end; found != end; ++found, ++approximated) {
    EXPECT_GE(std::stoi((*found)[1]), 2) << text;
    EXPECT_LE(std::stoi((*found)[1]), 7) << text;
  }
  EXPECT_EQ(approximated, 2) << text;
}

}  // namespace
}  // namespace tacit
