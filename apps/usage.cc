// What a user got wrong on the command line itself, in the words of every other error: what, which name, what to do.
#include "usage.h"

#include <algorithm>

#include <fmt/format.h>

namespace stiction::cli {

namespace {

std::string command_path(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + chosen.front()->get_name();
}

const CLI::App& chosen_app(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : *chosen.front();
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string see_help(const CLI::App& app) {
  return fmt::format("'{} --help' lists the options.", command_path(app));
}

// An argument that no option took: an option with a typo, or one word too many.
Error unexpected_argument(const CLI::App& app) {
  const std::vector<std::string> left = app.remaining(true);
  const auto option = std::find_if(left.begin(), left.end(), [](const std::string& s) { return s.starts_with('-'); });
  if (option == left.end()) {
    return {.what = "one argument too many", .remedy = see_help(app), .name = left.empty() ? "" : left.front()};
  }
  const std::string name = option->substr(0, option->find('='));
  const std::string near = closest_name(name, option_names(chosen_app(app)));
  return {.what = "unknown option",
          .remedy = near.empty() ? see_help(app) : fmt::format("Did you mean '{}'? {}", near, see_help(app)),
          .name = name};
}

// CLI11 writes "Could not convert: --step = abc".
Error not_convertible(const CLI::App& app, const std::string& text) {
  const size_t colon = text.find(": ");
  return {.what = "the value is not a number of the kind this option takes",
          .remedy = see_help(app),
          .name = colon == std::string::npos ? text : text.substr(colon + 2)};
}

// CLI11 writes "--step: 1 required FLOAT missing" and "SCENE is required".
Error missing_value(const CLI::App& app, const std::string& text) {
  const std::string name = text.substr(0, text.find_first_of(": "));
  const bool option = name.starts_with('-');
  return {
      .what = option ? "the option needs a value" : "an argument is missing", .remedy = see_help(app), .name = name};
}

Error usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const std::string text = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unexpected_argument(app);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) return not_convertible(app, text);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) return missing_value(app, text);
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr && app.get_subcommands().empty()) {
    const std::vector<std::string> left = app.remaining();
    if (!left.empty()) return unexpected_argument(app);
    return {.what = "no command given", .remedy = "'stiction --help' lists the commands."};
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) return missing_value(app, text);
  return {.what = text, .remedy = see_help(app)};
}

}  // namespace

std::optional<Error> unknown_command(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return std::nullopt;
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return std::nullopt;
  const std::string near = word.ends_with(".toml") ? "run " + word : closest_name(word, names);
  return Error{.what = "unknown command",
               .remedy = fmt::format("{}'stiction --help' lists the commands.",
                                     near.empty() ? "" : fmt::format("Did you mean 'stiction {}'? ", near)),
               .name = word,
               .file = "command line"};
}

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) {  // --help, --version
    app.exit(error);
    return exit_done;
  }
  Error told = usage_error(app, error);
  told.file = "command line";
  return report(told);
}

}  // namespace stiction::cli
