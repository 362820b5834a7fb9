#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <vector>

#include "program/program.h"

namespace tacit::program {

/// A reading of a program: what each instruction means on the reader's own kind of value (slot vectors, a cost record,
/// ciphertexts). An evaluator needs one overload of `evaluate` per operation:
///   Value evaluate(const Operation-struct&, const Instruction&, std::span<const Value* const> operands)
/// and `Value` must be movable. `Input` gets no operands; `Output` returns what the reader keeps for the client.
template <class E>
concept Evaluator = requires { typename E::Value; };

/// Runs the program in order, frees every value after its last use, and returns the outputs in order of appearance.
/// `observer`, if given, sees every value right after it was made.
template <Evaluator E>
std::vector<typename E::Value> execute(
    const Program& program, E& evaluator,
    const std::function<void(ValueId, const typename E::Value&)>& observer = {});

}  // namespace tacit::program
