#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "papers/paper.h"

namespace stiction::cli {

namespace {

using papers::Finding;

nlohmann::ordered_json to_json(const Finding& finding) {
  nlohmann::ordered_json json = {{"paper", finding.paper}, {"example", finding.example}, {"quantity", finding.quantity},
                                 {"unit", finding.unit},   {"value", finding.value},     {"published", nullptr},
                                 {"ok", finding.ok},       {"note", finding.note}};
  if (const double* number = std::get_if<double>(&finding.published)) json["published"] = *number;
  if (const std::string* text = std::get_if<std::string>(&finding.published)) json["published"] = *text;
  return json;
}

std::string published_text(const Finding& finding) {
  if (const double* number = std::get_if<double>(&finding.published)) return fmt::format("{:.10g}", *number);
  if (const std::string* text = std::get_if<std::string>(&finding.published)) return *text;
  return "";
}

void print_finding(const Finding& finding) {
  const char* verdict = finding.ok ? "ok" : finding.papers_own_fault ? "paper" : "MISSED";
  const std::string_view unit = finding.unit == "1" ? std::string_view() : finding.unit;
  const std::string published = published_text(finding);
  print("{:<7} {:<54} {:>16.10g} {:<6}{}\n", verdict, finding.quantity, finding.value, unit,
        published.empty() ? "" : "  published: " + published);
  if (!finding.note.empty()) print("        {}\n", finding.note);
}

// "all", "trinkle2003" or "trinkle2003/sphere".
bool selected(const papers::Example& example, const std::string& target) {
  return target == "all" || target == example.paper || target == fmt::format("{}/{}", example.paper, example.name);
}

Error unknown_target(const std::string& target) {
  std::vector<std::string> names = {"all"};
  for (const papers::Example& example : papers::examples()) {
    const bool known = std::find(names.begin(), names.end(), example.paper) != names.end();
    if (!known) names.emplace_back(example.paper);
    names.push_back(fmt::format("{}/{}", example.paper, example.name));
  }
  const std::string near = closest_name(target, names);
  return {.what = "unknown paper or example",
          .remedy = near.empty() ? fmt::format("Known are: {}.", fmt::join(names, ", "))
                                 : fmt::format("Did you mean '{}'?", near),
          .name = target,
          .file = "command line"};
}

}  // namespace

int command_reproduce(const ReproduceArguments& arguments) {
  const auto examples = papers::examples();
  if (std::none_of(examples.begin(), examples.end(), [&](const auto& e) { return selected(e, arguments.target); })) {
    return report(unknown_target(arguments.target));
  }
  bool missed = false;
  for (const papers::Example& example : examples) {
    if (!selected(example, arguments.target)) continue;
    papers::Context context;
    context.out = std::filesystem::path(arguments.out) / std::string(example.paper);
    std::error_code made;
    std::filesystem::create_directories(context.out, made);
    if (made) {
      return report({.what = "cannot make the output folder: " + made.message(),
                     .remedy = "Give --out a folder that can be written.",
                     .name = context.out.string(),
                     .file = "command line"});
    }
    const bool text = !arguments.json && !arguments.quiet;
    if (text) print("\n== {}/{}: {}\n", example.paper, example.name, example.sentence);
    context.report = [&](const Finding& finding) {
      missed |= !finding.ok && !finding.papers_own_fault;
      if (arguments.json) print("{}\n", to_json(finding).dump());
      if (text) print_finding(finding);
    };
    context.print_table = [&](std::string_view table) {
      if (text) print("{}", table);
    };
    if (auto done = example.run(context); !done) return report(done.error());
    if (text) print("plots and data in {}\n", context.out.string());
  }
  return missed ? exit_missed : exit_done;
}

}  // namespace stiction::cli
