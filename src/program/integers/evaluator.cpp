#include "program/integers/evaluator.h"

#include "program/visit.h"

namespace tacit::integers {
namespace {

class IntegerReading final : public program::ReadingOf<Program, Input, Output> {
 public:
  IntegerReading(const Program& program, Evaluator& evaluator) : ReadingOf(program), evaluator_(evaluator) {}
  /// A tree ensemble is one node, and its bootstraps are nearly all of the time.
  bool ends_stage(ValueId id) const override {
    return ReadingOf::ends_stage(id) || program::holds_any<Lookup, Round>(program_.value(id).operation);
  }
  void carry_out(ValueId id, std::span<const ArrayPtr> operands, std::span<ArrayPtr> values) override {
    std::visit(program::Overloaded{[&](const Input&) { values[id] = evaluator_.input(id, operands.front()); },
                                   [&](const Linear&) { values[id] = evaluator_.add_up(id, operands); },
                                   [&](const Lookup&) {
                                     if (!values[id]) evaluator_.look_up(id, operands.front(), values);
                                   },
                                   [&](const Round&) { values[id] = evaluator_.round_off(id, operands.front()); },
                                   [&](const Output&) { values[id] = evaluator_.output(id, operands.front()); },
                                   [](const program::Validate&) {}},
               program_.value(id).operation);
  }

 private:
  Evaluator& evaluator_;
};

}  // namespace

std::unique_ptr<program::Reading> reading_of(const Program& program, Evaluator& evaluator) {
  return std::make_unique<IntegerReading>(program, evaluator);
}

}  // namespace tacit::integers
