#include <bit>
#include <utility>

#include "app/api/memory.h"
#include "app/api/slots/model_on_slots.h"
#include "app/api/slots/tile_impl.h"
#include "check/tile_validation.h"
#include "layout/operators/matrix.h"
#include "params/requirement.h"
#include "program/search.h"
#include "session/owner/slots/client_memory.h"
#include "session/owner/slots/recorded_model.h"
#include "tensor/convolution.h"
#include "tensor/operators.h"

namespace tacit::tile {
namespace {

constexpr int kHoists = 3, kMostStages = 16;
constexpr std::int64_t kMostMoves = 4000;  // of a search over stages

tensor::Dense dense(const Sizes& sizes, std::span<const double> values) {
  return {sizes, std::vector<double>(values.begin(), values.end())};
}

tensor::FoldOptions folding(Fold fold) { return {fold.all_places, fold.hoist}; }

Tensor made(tensor::TileTensor tensor) { return Access::make<Tensor>(std::move(tensor)); }

}  // namespace

params::RequiredParameters required_parameters(std::string_view text, InsecureParameters insecure) {
  const params::Requirement requirement = params::Requirement::parse(text);
  if (requirement.security_bits == 0 && insecure != InsecureParameters::allow)
    throw base::InputError(
        "requirement '" + requirement.to_string() +
        "': without security it encrypts for nobody; ask for 128, or allow insecure parameters in tests");
  return params::parameters_for(requirement);
}

Shape::Shape(std::string_view text) : Handle(std::make_shared<const Impl>(Impl{layout::TileShape::parse(text)})) {}
std::string Shape::to_string() const { return impl_->value.to_string(); }
Sizes Shape::sizes() const { return impl_->value.sizes(); }
std::int64_t Shape::tiles() const { return impl_->value.tiles(); }
std::int64_t Shape::slots() const { return impl_->value.slots(); }
Shape Shape::with_replicated(int dim) const { return Access::make<Shape>(impl_->value.with_replicated(dim)); }
bool Shape::operator==(const Shape& other) const { return impl_->value == other.impl_->value; }

Session Session::clear(std::string_view requirement) {
  const params::Requirement asked = params::Requirement::parse(requirement);
  return Access::make<Session>(tensor::clear_session(asked.slots, asked.depth));
}

Session Session::cost(std::string_view requirement, InsecureParameters insecure) {
  auto costs = tensor::cost_session(required_parameters(requirement, insecure));
  return Access::make<Session>(costs, costs);
}

Session Session::encrypted(std::string_view requirement, const Session& rehearsal, InsecureParameters insecure) {
  const params::RequiredParameters parameters = required_parameters(requirement, insecure);
  const auto& costs = rehearsal.impl_->costs;
  if (costs == nullptr)
    throw base::InputError(
        "an encrypted session takes its keys from a rehearsal in a cost session, not in another one");
  const auto context = scheme::ckks::Context::make(params::CkksParameters::check(parameters.literal));
  session::require_memory_for_keys("requirement '" + std::string(requirement) + "'", parameters.literal,
                                   costs->cost().keys, app::api::work_budget(0));
  const scheme::ckks::KeyGenerator generator(context);
  const auto secret = std::make_shared<const scheme::ckks::SecretKey>(generator.secret_key());
  const auto keys =
      std::make_shared<const scheme::ckks::EvaluationKeys>(generator.evaluation_keys(*secret, costs->cost().keys));
  const runtime::Binding binding{
      .model = {}, .parameters = context->parameters().hash(), .key_set = runtime::new_key_set_id()};
  auto session = std::make_shared<EncryptedSession>(context, parameters.base_level, secret.get(), keys, binding);
  return Access::make<Session>(std::move(session), nullptr, secret, keys);
}

std::int64_t Session::slots() const { return impl_->value->slots(); }
int Session::max_level() const { return impl_->value->max_level(); }

Cost Session::cost() const {
  if (impl_->costs == nullptr) throw InputError("only a cost session has a cost");
  const slots::Cost& read = impl_->costs->cost();
  return {read.seconds,
          read.peak_bytes,
          impl_->costs->key_bytes(),
          read.work.count(slots::Unit::encrypt),
          read.work.count(slots::Unit::product),
          read.work.count(slots::Unit::relinearise),
          read.work.rotations()};
}

Shape Tensor::shape() const { return Access::make<Shape>(impl_->value.shape()); }
int Tensor::level() const { return impl_->value.level(); }
double Tensor::estimated_bytes() const { return impl_->value.estimated_bytes(); }
std::vector<double> Tensor::decrypt() const { return tensor::decrypt(impl_->value).values; }

Plain::Plain(const Session& session, const Shape& shape, const Sizes& sizes, std::span<const double> values)
    : Handle(
          std::make_shared<const Impl>(Impl{tensor::PlainTensor(open(session), open(shape), dense(sizes, values))})) {}

Tensor encrypt(const Session& session, const Shape& shape, const Sizes& sizes, std::span<const double> values,
               int level) {
  return made(
      tensor::encrypt(open(session), open(shape), dense(sizes, values), level < 0 ? session.max_level() : level));
}

Tensor add(const Tensor& a, const Tensor& b) { return made(tensor::add(open(a), open(b))); }
Tensor subtract(const Tensor& a, const Tensor& b) { return made(tensor::subtract(open(a), open(b))); }
Tensor multiply(const Tensor& a, const Tensor& b) { return made(tensor::multiply(open(a), open(b))); }
Tensor add(const Tensor& a, const Plain& b) { return made(tensor::add(open(a), open(b))); }
Tensor multiply(const Tensor& a, const Plain& b) { return made(tensor::multiply(open(a), open(b))); }
Tensor add(const Tensor& a, double addend) { return made(tensor::add(open(a), addend)); }
Tensor multiply(const Tensor& a, double factor) { return made(tensor::multiply(open(a), factor)); }
Tensor sum(const Tensor& a, int dim, Fold fold) { return made(tensor::sum(open(a), dim, folding(fold))); }
Tensor multiply_sum(const Tensor& a, const Tensor& b, int dim, Fold fold) {
  return made(tensor::multiply_sum(open(a), open(b), dim, folding(fold)));
}
Tensor multiply_sum(const Tensor& a, const Plain& b, int dim, Fold fold) {
  return made(tensor::multiply_sum(open(a), open(b), dim, folding(fold)));
}
Tensor clear_unknowns(const Tensor& a) { return made(tensor::clear_unknowns(open(a))); }
Tensor replicate(const Tensor& a, int dim, Fold fold) { return made(tensor::replicate(open(a), dim, folding(fold))); }
Tensor rotate(const Tensor& a, int dim, std::int64_t steps) { return made(tensor::rotate(open(a), dim, steps)); }
Tensor slice(const Tensor& a, int dim, std::int64_t begin, std::int64_t count) {
  return made(tensor::slice(open(a), dim, begin, count));
}
Tensor concat(const Tensor& a, const Tensor& b, int dim) { return made(tensor::concat(open(a), open(b), dim)); }
Tensor reshard(const Tensor& a, const Shape& target) { return made(tensor::reshard(open(a), open(target))); }

Tensor sum_into(const Tensor& a, int dim, const Shape& target) {
  return made(tensor::sum_into(open(a), dim, open(target)));
}

Tensor matrix_times(std::span<const double> matrix, const Tensor& a, const Shape& target) {
  const layout::Index rows = layout::element_count(open(target).sizes());
  const layout::Shape columns{layout::element_count(open(a).shape().sizes())};
  return made(tensor::linear(open(a),
                             std::make_shared<layout::Contraction>(layout::Contraction::dense(
                                 columns, rows, std::vector<double>(matrix.begin(), matrix.end()))),
                             open(target)));
}

Tensor convolve(const Tensor& image, const Sizes& filter_sizes, std::span<const double> filters, std::int64_t stride,
                Fold fold) {
  tensor::ConvolutionOptions options;
  options.stride = stride;
  options.fold = folding(fold);
  return made(tensor::convolve(open(image), dense(filter_sizes, filters), options));
}

Tensor encrypt_filters(const Session& session, const Shape& image, const Sizes& filter_sizes,
                       std::span<const double> filters, int level) {
  return made(tensor::encrypt_filters(open(session), open(image), dense(filter_sizes, filters), {},
                                      level < 0 ? session.max_level() : level));
}

Tensor convolve(const Tensor& image, const Tensor& filters, std::int64_t stride, Fold fold) {
  tensor::ConvolutionOptions options;
  options.stride = stride;
  options.fold = folding(fold);
  return made(tensor::convolve(open(image), open(filters), options));
}

Comparison validate(std::string_view name, const Tensor& result, const std::vector<Tensor>& tensors,
                    const std::vector<Plain>& plains, const Operator& made_by, std::int64_t length, double epsilon) {
  check::TileOperands operands;
  for (const Tensor& tensor : tensors) operands.tensors.push_back(open(tensor));
  for (const Plain& plain : plains) operands.plains.push_back(open(plain));
  const auto carried_out = [&](const check::TileOperands& messages) {
    std::vector<Tensor> in_the_clear;
    std::vector<Plain> plain_messages;
    for (const tensor::TileTensor& tensor : messages.tensors) in_the_clear.push_back(Access::make<Tensor>(tensor));
    for (const tensor::PlainTensor& plain : messages.plains) plain_messages.push_back(Access::make<Plain>(plain));
    return open(made_by(in_the_clear, plain_messages));
  };
  const check::OperatorResult judged =
      check::validate_tiles(std::string(name), open(result), operands, carried_out, length, epsilon);
  return Comparison{judged.worst_error,
                    judged.mean_error,
                    judged.failed,
                    judged.index,
                    judged.encrypted,
                    judged.message,
                    judged.failed ? check::failure_text(judged) : std::string()};
}

CompiledModel record(std::string_view requirement, std::string_view name, const Computation& computation,
                     InsecureParameters insecure) {
  const params::RequiredParameters required = required_parameters(requirement, insecure);
  const auto session = std::make_shared<tensor::RecordingSession>(
      std::string(name), params::CkksParameters::check(required.literal), required.base_level);
  const std::vector<Tensor> outputs = computation(Access::make<Session>(session));
  for (std::size_t o = 0; o < outputs.size(); ++o)
    session->output(open(outputs[o]), outputs.size() == 1 ? "output" : "output" + std::to_string(o));
  return compiled_model_on<OnSlots>(session::recorded_model(*session, required.literal), insecure);
}

Plan plan(std::string_view requirement, int dims, const PlanRequest& request, const Batch& batch) {
  if (dims < 1 || !batch) throw base::InputError("plan: at least one open tile extent and a computation are needed");
  const auto costs = tensor::cost_session(required_parameters(requirement, InsecureParameters::refuse));
  const Session session = Access::make<Session>(costs, costs);
  program::SearchRequest asked;
  asked.objective = request.objective == PlanRequest::Objective::throughput ? program::Objective::throughput
                    : request.objective == PlanRequest::Objective::memory   ? program::Objective::memory
                                                                            : program::Objective::latency;
  asked.latency = request.latency;
  asked.memory = request.memory;
  if (request.stages < 1 || request.stages > kMostStages)
    throw base::InputError("plan: stages is " + std::to_string(request.stages) + ", outside 1 to " +
                           std::to_string(kMostStages));
  const auto all_stages = static_cast<std::size_t>(dims * request.stages);
  const auto packing = [all_stages](const program::Candidate& candidate) {
    PlannedPacking chosen;
    for (std::size_t i = 0; i < all_stages; ++i)
      chosen.extents.push_back(std::int64_t{1} << candidate.exponents[i % candidate.exponents.size()]);
    chosen.fold.hoist = candidate.options[0] + 1;
    return chosen;
  };
  const program::PriceCandidate price =
      [&](const program::Candidate& candidate) -> std::optional<program::CandidateCost> {
    const PlannedPacking choice = packing(candidate);
    try {
      costs->restart();
      const std::int64_t items = batch(session, choice.extents, choice.fold);
      if (items < 1) throw InputError("plan: a batch serves at least one item");
      const slots::Cost& cost = costs->cost();
      return program::CandidateCost{cost.seconds, cost.seconds / static_cast<double>(items),
                                    cost.peak_bytes + costs->key_bytes()};
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  const program::SearchResult found =
      program::search_stages({dims, std::countr_zero(static_cast<std::uint64_t>(costs->slots())), {kHoists}},
                             {request.stages, 0, [](const auto&) { return kMostMoves; }}, asked, price);
  Plan plan{{}, found.priced, found.seconds, found.exhaustive};
  for (const program::PricedCandidate& c : found.best) {
    plan.best.push_back(packing(c.candidate));
    plan.best.back().latency = c.cost.latency;
    plan.best.back().amortised = c.cost.amortised;
    plan.best.back().memory = c.cost.memory;
  }
  return plan;
}

}  // namespace tacit::tile
