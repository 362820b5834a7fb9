#pragma once

#include <span>
#include <string>
#include <vector>

#include "graph/pass_control.h"

namespace tacit::graph {

namespace passes {
struct Draft;
struct SlotsDraft;
}  // namespace passes
namespace quant {
struct IntegersDraft;
}

/// The instructions of a program, which decide on its scheme.
enum class Target {
  slots,    ///< CKKS
  integers  ///< TFHE
};

/// The forms of a model between its file and its program.
enum class Form {
  file,        ///< an ONNX file
  graph,       ///< ONNX operators
  encrypted,   ///< ONNX operators on encrypted tensors; the client has the others
  recognised,  ///< the same, with every function of one variable as a single node
  network,     ///< affine maps, functions, products and trees
  program,     ///< instructions on ciphertexts, with parameters and a price
  model        ///< the program, its parameters, and all that its client needs
};
/// Returns the name of a form, for people.
std::string to_text(Form form);

/// What `--explain` shows of a pass.
struct Explanation {
  const char* what = nullptr;                                 ///< null: nothing
  std::string (*text)(const passes::Draft& draft) = nullptr;  ///< null: the pass reports while it runs
};

/// The function of a pass for each target. Null: the target has no such pass.
struct PassFunctions {
  void (*on_slots)(passes::SlotsDraft& draft) = nullptr;
  void (*on_integers)(quant::IntegersDraft& draft) = nullptr;
};

/// A row of the compiler: a pass that both targets share, or that one of them has.
struct Pass {
  const char* name;
  Form from, to;
  PassFunctions run;
  const char* what;  ///< its effect
  Explanation shows{};
  /// A later pass, or the command of the product, that needs this pass. Null: the pass may be left out. The program is
  /// then also right, and usually slower or less precise.
  const char* needed_by = nullptr;
  /// The pass that calls this one, once or for everything that it tries. Null: `run_passes` calls it.
  const char* within = nullptr;

  bool is_for(Target target) const {
    return target == Target::slots ? run.on_slots != nullptr : run.on_integers != nullptr;
  }
  bool is_optional() const { return needed_by == nullptr; }
};

/// Returns the passes of both compilers in the order in which they run. A pass within another one follows it.
std::span<const Pass> all_passes();
/// Returns the names of the passes of a target that may be left out.
std::vector<std::string> optional_passes(Target target);
/// Returns the names of the passes of a target that `--explain` can show.
std::vector<std::string> explained_passes(Target target);

/// Throws InputError if a compiler cannot follow a control, and lists the passes that are possible. There are four
/// cases:
/// - A name is of no pass.
/// - Only the other target has the pass.
/// - A later pass needs the pass that is left out.
/// - The pass that is explained has nothing to show.
void check(const PassControl& control, Target target);

/// Returns a control without the names of passes that the target does not have. It then explains no other pass either.
PassControl for_target(PassControl control, Target target);

/// Runs the passes of a target that are not left out, and explains those that are asked for.
void run_passes(passes::SlotsDraft& draft);
void run_passes(quant::IntegersDraft& draft);

}  // namespace tacit::graph
