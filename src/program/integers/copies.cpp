#include "program/integers/copies.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "program/visit.h"

namespace tacit::integers {
namespace {

using program::Overloaded;

/// 128 bits of what an element is made of: two elements that only happen to agree are not met.
class Recipe {
 public:
  explicit Recipe(std::uint64_t kind) { add(kind); }
  void add(std::uint64_t word) {
    first_ = mixed(first_ ^ word);
    second_ = mixed(second_ + word * 0x9e3779b97f4a7c15u);
  }
  auto operator<=>(const Recipe&) const = default;

 private:
  static std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 30;
    x *= 0xbf58476d1ce4e5b9u;
    x ^= x >> 27;
    x *= 0x94d049bb133111ebu;
    return x ^ (x >> 31);
  }
  std::uint64_t first_ = 1, second_ = 2;
};

constexpr std::uint64_t kSum = 1, kTable = 2, kLookup = 3, kRound = 4;

using Classes = std::vector<std::uint32_t>;

class Finder {
 public:
  explicit Finder(const Program& program) : program_(program), found_(program.instructions.size()) {}

  std::vector<Classes> run() {
    for (ValueId id = 0; id < found_.size(); ++id) {
      const Instruction& made = program_.value(id);
      std::visit(
          Overloaded{[&](const Input&) {
                       found_[id].resize(elements(made));
                       for (std::uint32_t& of : found_[id]) of = next_++;
                     },
                     [&](const Linear& linear) { find_sums(id, linear, made); },
                     [&](const Lookup& lookup) { find_lookups(id, lookup, made); },
                     [&](const Round& round) {
                       for (const std::uint32_t of : found_[round.input]) {
                         Recipe recipe(kRound);
                         recipe.add(of);
                         recipe.add(static_cast<std::uint64_t>(program_.value(round.input).step));
                         recipe.add(static_cast<std::uint64_t>(round.dropped));
                         found_[id].push_back(class_of(recipe));
                       }
                     },
                     [&](const Output& output) { found_[id] = found_[output.input]; }, [](const program::Validate&) {}},
          made.operation);
    }
    return std::move(found_);
  }

 private:
  std::uint32_t class_of(const Recipe& recipe) {
    const auto [found, added] = known_.emplace(recipe, next_);
    if (added) ++next_;
    return found->second;
  }

  void find_sums(ValueId id, const Linear& linear, const Instruction& made) {
    const std::size_t rows = elements(made);
    std::vector<Recipe> recipes(rows, Recipe(kSum));
    std::vector<std::pair<std::uint32_t, bool>> moved(rows);  // a class that the row is an element of, if it is
    base::parallel_for(0, (rows + kRowsOfTask - 1) / kRowsOfTask, [&](std::size_t task) {
      layout::RowEntries entries, of_term;
      for (std::size_t row = task * kRowsOfTask; row < std::min(rows, (task + 1) * kRowsOfTask); ++row) {
        entries.clear();
        for (const LinearTerm& term : linear.terms) {
          of_term.clear();
          term.op->append_row(static_cast<layout::Index>(row), of_term);
          for (std::size_t k = 0; k < of_term.size(); ++k)
            entries.add(found_[term.input][static_cast<std::size_t>(of_term.columns[k])], of_term.weights[k]);
        }
        entries.merge();
        const std::uint64_t constant =
            linear.bias.empty() ? 0 : static_cast<std::uint64_t>(linear.bias[row]) << made.step;
        if (constant == 0 && entries.size() == 1 && entries.weights[0] == 1)
          moved[row] = {static_cast<std::uint32_t>(entries.columns[0]), true};
        recipes[row].add(constant);
        for (std::size_t k = 0; k < entries.size(); ++k) {
          recipes[row].add(static_cast<std::uint64_t>(entries.columns[k]));
          recipes[row].add(static_cast<std::uint64_t>(static_cast<std::int64_t>(entries.weights[k])));
        }
      }
    });
    for (std::size_t row = 0; row < rows; ++row)
      found_[id].push_back(moved[row].second ? moved[row].first : class_of(recipes[row]));
  }

  void find_lookups(ValueId id, const Lookup& lookup, const Instruction& made) {
    std::vector<std::uint32_t> tables;
    for (const std::vector<std::int64_t>& table : lookup.tables) {
      Recipe recipe(kTable);
      for (const std::int64_t entry : table) recipe.add(static_cast<std::uint64_t>(entry) << made.step);
      tables.push_back(class_of(recipe));
    }
    const std::uint64_t first = static_cast<std::uint64_t>(first_centre(program_, lookup))
                                << program_.value(lookup.input).step;
    for (std::size_t e = 0; e < elements(made); ++e) {
      Recipe recipe(kLookup);
      recipe.add(found_[lookup.input][lookup.argument(e)]);
      recipe.add(first);
      recipe.add(tables[lookup.table(e)]);
      found_[id].push_back(class_of(recipe));
    }
  }

  const Program& program_;
  std::vector<Classes> found_;
  std::map<Recipe, std::uint32_t> known_;
  std::uint32_t next_ = 0;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> copies(const Program& program) { return Finder(program).run(); }

}  // namespace tacit::integers
