#include "session/owner/slots/recorded_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/refusal_for_test.h"
#include "params/ckks_parameters.h"

namespace tacit::session {
namespace {

TEST(RecordedModel, NeedsAnEncryptedTensorAndAnOutput) {
  const params::CkksLiteral literal{
      .name = "small", .log_n = 13, .q_bits = {50, 40, 40}, .p_bits = {50}, .log_scale = 40};
  const auto session = std::make_shared<tensor::RecordingSession>("sums", params::CkksParameters::check(literal), 0,
                                                                  params::CostTable{});
  const auto refused = [&] { return base::refusal([&] { recorded_model(*session, literal); }); };
  EXPECT_EQ(refused(), "recording 'sums': it needs an encrypted tensor and an output");
  const tensor::TileTensor x = tensor::encrypt(session, tensor::TileShape::parse("{4|4096}"), {{4}, {1, 2, 3, 4}}, 1);
  EXPECT_EQ(refused(), "recording 'sums': it needs an encrypted tensor and an output");
  session->output(x, "y");
  session->output(x, "z");
  const Compilation compilation = recorded_model(*session, literal);
  EXPECT_EQ(compilation.name, "sums");
  EXPECT_EQ(compilation.model.client.inputs.size(), 1u);
  ASSERT_EQ(compilation.model.client.outputs.size(), 2u);
  EXPECT_EQ(compilation.model.client.outputs[0].name, "y");
  EXPECT_EQ(compilation.model.client.outputs[0].program_output, 0u);
  EXPECT_EQ(compilation.model.client.outputs[1].name, "z");
  EXPECT_EQ(compilation.model.client.outputs[1].program_output, 1u);
}

}  // namespace
}  // namespace tacit::session
