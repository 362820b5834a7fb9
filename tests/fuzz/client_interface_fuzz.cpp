#include "mutate_bytes.h"
#include "program/client_interface.h"
#include "target.h"

namespace tacit::fuzz {

using layout::Layout;

std::string_view target_name() { return "client_interface"; }

std::vector<Bytes> seeds() {
  const Layout ten = Layout::row_major({1, 10}, 32), maps = Layout::multiplexed({1, 5, 2, 2}, 4, 4, 2, 32);
  const program::ClientInterface interface {
    {{"x", ten, 7, 0x1p40, -1, 1}, {"maps", maps, 3, 0x1p30, 0, 0, std::vector<double>(20, 0.5)}}, {
      {"y", ten, 0, 1, -10, 10, 0, 0x1p40}, { "scores", ten, 1, 4, 0, 0, 1, 0x1p39, 1e-6 }
    }
  };
  const Layout five = Layout::row_major({5, 10}, 32);
  const program::ClientInterface batch{{{"x", five, 7, 0x1p40, -1, 1}}, {{"y", five, 0, 1, -10, 10, 0, 0x1p40}}, 5};
  program::ClientInterface thin = interface;
  thin.inputs[0].layout = Layout::parse("[1,10] across() within(d0:2/1 d1:16/1) junk()");
  thin.inputs[0].log_gap = 1;
  return {program::to_bytes(thin), program::to_bytes(interface), program::to_bytes(batch),
          program::to_bytes(program::ClientInterface{})};
}

Bytes mutate(const Bytes& from, const Bytes& other, Random& random) { return mutate_bytes(from, other, random); }

/// An interface has one form, and tensors of its shapes have its units.
void check(std::span<const std::uint8_t> bytes) {
  const program::ClientInterface interface = program::client_interface_from_bytes(bytes);
  const Bytes again = program::to_bytes(interface);
  require(program::to_bytes(program::client_interface_from_bytes(again)) == again,
          "an interface reads as it was written");
  for (const program::ClientInput& input : interface.inputs) {
    require(layout::element_count(input.layout.shape()) % interface.batch == 0, "samples have as many elements each");
    require(input.units.empty() ||
                static_cast<layout::Index>(input.units.size()) == layout::element_count(input.layout.shape()),
            "every element has a unit");
    for (const layout::Position& at : input.layout.positions())
      require(at.slot < input.layout.slots() >> input.log_gap, "every element is in the first copy");
  }
}

}  // namespace tacit::fuzz
