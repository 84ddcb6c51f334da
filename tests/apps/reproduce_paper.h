// What tests of `stiction reproduce PAPER/EXAMPLE` share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "apps/command.h"

namespace stiction::cli {

/// Runs examples of one paper in a folder of the test's own.
class ReproducePaper : public CommandLine {
 protected:
  explicit ReproducePaper(std::string paper) : paper_(std::move(paper)) {}

  /// What an example found: values by quantity, and the quantities that are not ok.
  struct Findings {
    std::map<std::string, double> value;
    std::vector<std::string> not_ok;
  };

  /// An example that ends with status 0: what is not ok there is the paper's own.
  Findings reproduce(const std::string& example) {
    const Outcome outcome = stiction({"reproduce", paper_ + "/" + example, "--out", "results", "--json"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, ::testing::IsEmpty());
    Findings findings;
    for (const nlohmann::json& line : json_lines(outcome.out)) {
      findings.value[line["quantity"]] = line["value"];
      if (!line["ok"].get<bool>()) findings.not_ok.push_back(line["quantity"]);
    }
    return findings;
  }

  /// The figure is there and whole.
  void expect_plot(const std::string& figure) const {
    const std::string svg = read_file(work() / "results" / paper_ / (figure + ".svg"));
    EXPECT_THAT(svg, ::testing::HasSubstr("</svg>")) << figure;
    EXPECT_EQ(svg.find("nan"), std::string::npos) << figure;
  }

 private:
  std::string paper_;
};

}  // namespace stiction::cli
