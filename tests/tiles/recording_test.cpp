#include "tensor/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "check/slots/insertion.h"
#include "check/slots/validation_run.h"
#include "program/slots/clear_program.h"
#include "program/slots/cost.h"
#include "program/slots/key_manifest.h"
#include "program/slots/serialize.h"
#include "runtime/slots/bench_for_test.h"
#include "runtime/slots/executor.h"
#include "session/owner/slots/recorded_model.h"
#include "tensor/convolution.h"
#include "tensor/packing.h"
#include "tensor/random_tiles_for_test.h"

namespace tacit {
namespace {

using tensor::Dense;
using tensor::RecordingSession;
using tensor::SessionPtr;
using tensor::TileShape;
using tensor::TileTensor;
using Inputs = std::vector<std::vector<double>>;

/// A computation on tiles with the values of its inputs.
struct Computation {
  std::function<TileTensor(const SessionPtr&)> carry_out;
  Inputs inputs;
};

std::shared_ptr<RecordingSession> recorded(const params::RequiredParameters& required, const Computation& computation) {
  const auto session = std::make_shared<RecordingSession>("recorded", params::CkksParameters::check(required.literal),
                                                          required.base_level);
  session->output(computation.carry_out(session), "y");
  return session;
}

/// What is recorded computes what the eager session does: in the clear, and on ciphertexts of a server that has the
/// program's file alone.
void expect_same(const params::RequiredParameters& required, const Computation& computation, double tolerance) {
  const auto session = recorded(required, computation);
  slots::verify(session->program());
  const slots::Program program = slots::program_from_bytes(slots::to_bytes(session->program()));
  EXPECT_EQ(slots::to_text(program), slots::to_text(session->program()));
  const Dense expected = tensor::decrypt(computation.carry_out(tensor::clear_session(session->slots(), 8)));
  const Inputs clear = slots::ClearProgram(program).run(computation.inputs);
  const runtime::Bench bench(required.literal);
  runtime::Executor executor(bench.prepared(program), bench.keys(program));
  const runtime::RunResult run = executor.run(bench.encrypt(program, computation.inputs));
  const auto found = bench.decrypt(run.outputs.at(0), program.instructions.back().layout);
  ASSERT_EQ(clear.at(0).size(), expected.values.size());
  for (std::size_t i = 0; i < expected.values.size(); ++i) {
    ASSERT_NEAR(clear[0][i], expected.values[i], 1e-9) << i;
    ASSERT_NEAR(found[i], expected.values[i], tolerance) << i;
  }
}

Computation of_packing(const tensor::PackedComputation& packed, const tensor::PackedComputation::Extents& extents,
                       const tensor::PackingOptions& options) {
  tensor::testing::RandomTiles random(64, 31);
  Computation computation;
  std::vector<Dense> tensors;
  for (const TileShape& shape : packed.shapes(extents)) {
    tensors.push_back(random.tensor(shape.sizes()));
    computation.inputs.push_back(tensors.back().values);
  }
  computation.carry_out = [=](const SessionPtr& session) {
    return packed.compute(
        tensor::encrypt_inputs(session, packed, extents, packed.depth,
                               [&](std::size_t input, const layout::Shape&) { return tensors[input]; }),
        options, {});
  };
  return computation;
}

TEST(Recording, PackedComputationsRunAsPrograms) {
  const auto required = params::parameters_for({64, 4, 35, 14, 0});
  expect_same(required, of_packing(tensor::regression(8, 5), {8, 8}, tensor::PackingOptions::published()), 1e-3);
  expect_same(required, of_packing(tensor::inner_products(16, 7), {16, 4}, {{false, 2}, true}), 1e-3);
  for (const auto change : {tensor::Change::clear, tensor::Change::reshard, tensor::Change::sum_into})
    expect_same(required, of_packing(tensor::matrix_chain({3, 4, 2, 5}), {4, 4, 4}, {{false, 1}, true, change}), 1e-2);
}

Computation convolution() {
  tensor::testing::RandomTiles random(128, 32);
  const Dense image = random.tensor({2, 12, 12, 4}), filters = random.tensor({3, 2, 3, 3});
  return {[=](const SessionPtr& session) {
            const auto shape = TileShape::parse("{c 2}{y 12|4 woven 4}{x 12|4 woven 4}{b 4|8}");
            return tensor::convolve(tensor::encrypt(session, shape, image, 2), filters, {});
          },
          {image.values}};
}

TEST(Recording, ConvolutionsRunAsPrograms) {
  expect_same(params::parameters_for({128, 3, 40, 10, 0}), convolution(), 1e-4);
}

TEST(Recording, ASecureComputationIsPlannedAndValidatedWithCauses) {
  const auto required = params::parameters_for({8192, 4, 35, 8, 128});
  const Computation computation = of_packing(tensor::matrix_chain({3, 4, 2, 5}), {16, 16, 32}, {});
  const auto session = recorded(required, computation);
  const session::Compilation compilation = session::recorded_model(*session, required.literal);
  const graph::CompiledModel& model = compilation.model;
  const slots::ProgramCost cost = slots::price(model.program, model.parameters, {});
  EXPECT_GT(cost.seconds, 0);
  EXPECT_GT(cost.memory.keys, 1e6);
  EXPECT_EQ(cost.rotations, 5);

  const runtime::Bench bench(model.parameters);
  const check::OwnerKeys keys{bench.context, std::make_shared<const scheme::ckks::SecretKey>(bench.secret),
                              bench.keys(model.program)};
  const check::Request request = check::parse_request("vector", -3);
  const check::Report right = check::run_validation(model, request, {}, keys, {{computation.inputs}}, {});
  EXPECT_EQ(right.first_failure(), nullptr);
  EXPECT_GT(right.operators.size(), 5u);
}

TEST(Recording, EveryDetailIsValidatedEndToEnd) {
  const auto required = params::parameters_for({64, 3, 40, 5, 0});
  const Dense row{{1, 5}, {0.5, -0.25, 0.75, 1, -1}};
  const Computation computation{[=](const SessionPtr& session) {
                                  const TileTensor x =
                                      tensor::encrypt(session, TileShape::parse("{copy 8}{n any|8}"), row, 3);
                                  return tensor::add(tensor::multiply(x, x), 0.5);
                                },
                                {row.values}};
  const auto session = recorded(required, computation);
  const session::Compilation compilation = session::recorded_model(*session, required.literal);
  const runtime::Bench bench(required.literal);
  const check::OwnerKeys keys{bench.context, std::make_shared<const scheme::ckks::SecretKey>(bench.secret),
                              bench.keys(compilation.model.program)};
  for (const char* detail : {"vector", "instruction"})
    for (const bool end_to_end : {false, true}) {
      const check::Report report = check::run_validation(compilation.model, check::parse_request(detail, -4),
                                                         {.end_to_end = end_to_end}, keys, {{computation.inputs}}, {});
      EXPECT_EQ(report.first_failure(), nullptr) << detail << end_to_end;
    }
}

TEST(Recording, NothingCanBeDecryptedAndOtherSessionsTensorsAreRefused) {
  const auto required = params::parameters_for({64, 3, 40, 5, 0});
  const auto parameters = params::CkksParameters::check(required.literal);
  const auto session = std::make_shared<RecordingSession>("r", parameters, required.base_level);
  const auto other = std::make_shared<RecordingSession>("o", parameters, required.base_level);
  const TileTensor x = tensor::encrypt(session, TileShape::parse("{n 5|64}"), {{5}, {}}, 2);
  EXPECT_THAT([&] { tensor::decrypt(x); },
              testing::ThrowsMessage<base::InputError>(testing::HasSubstr("a recording has no values")));
  EXPECT_THAT([&] { other->output(x, "y"); },
              testing::ThrowsMessage<base::InputError>(testing::HasSubstr("belongs to another session")));
  EXPECT_THAT([&] { session::recorded_model(*session, required.literal); },
              testing::ThrowsMessage<base::InputError>(testing::HasSubstr("needs an encrypted tensor and an output")));
}

}  // namespace
}  // namespace tacit
