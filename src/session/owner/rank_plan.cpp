#include "session/owner/rank_plan.h"

#include <fmt/format.h>

#include "base/byte_size.h"

namespace tacit::session {

using Json = nlohmann::ordered_json;

Json rank_plan_json(const program::RankPlan& plan, const params::Interconnect& network) {
  return {{"ranks", plan.ranks},
          {"bits_per_second", network.bits_per_second},
          {"latency_seconds", network.latency_seconds},
          {"seconds", plan.seconds},
          {"waiting_seconds", plan.waiting_seconds},
          {"efficiency", plan.efficiency},
          {"apart_seconds", plan.apart_seconds},
          {"apart_efficiency", plan.apart_efficiency},
          {"exchanges", plan.exchanges},
          {"sent_bytes", plan.sent_bytes},
          {"received_bytes", plan.received_bytes},
          {"rank_bytes", plan.rank_bytes},
          {"bootstrap_rounds", plan.bootstrap_rounds},
          {"widest_round", plan.widest_round}};
}

std::string rank_plans_text(const Json& plans) {
  std::string text;
  const auto line = [&](const char* name, const std::string& value) {
    text += fmt::format("  {:<14}{}\n", name, value);
  };
  for (const Json& plan : plans) {
    const auto number = [&](const char* field) { return plan.at(field).get<double>(); };
    const auto bytes = [&](const char* field) { return base::byte_size_text(number(field)); };
    const double ranks = number("ranks");
    line("ranks", fmt::format("{:.0f}, one run together: {:.3g} s, {:.3g} s of it waiting, efficiency {:.2f}", ranks,
                              number("seconds"), number("waiting_seconds"), number("efficiency")));
    line("", fmt::format("{:.0f} runs, one on each: {:.3g} s, efficiency {:.2f}", ranks, number("apart_seconds"),
                         number("apart_efficiency")));
    line("", fmt::format("traffic of one run {} in {:.0f} exchanges, {} to the rank that gets most; memory of a rank "
                         "{}, keys included",
                         bytes("sent_bytes"), number("exchanges"), bytes("received_bytes"), bytes("rank_bytes")));
  }
  const Json& any = plans.at(0);
  if (any.at("bootstrap_rounds").get<std::int64_t>() > 0)
    line("rounds",
         fmt::format("{} of bootstraps that follow on each other, the widest of {} ciphertexts",
                     any.at("bootstrap_rounds").get<std::int64_t>(), any.at("widest_round").get<std::int64_t>()));
  line("model",
       fmt::format("links of {:.3g} Gb/s each way, {:.3g} us once an exchange; nothing travels while ranks compute; "
                   "the rank with most work decides",
                   any.at("bits_per_second").get<double>() / 1e9, any.at("latency_seconds").get<double>() * 1e6));
  return text;
}

}  // namespace tacit::session
