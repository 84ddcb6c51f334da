// Mistakes in the command line itself: unknown commands and options, values that are missing or not numbers.
#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "cli.h"

namespace stiction::cli {

/// The error when `word`, the first argument, should be a command and is not.
std::optional<Error> unknown_command(const CLI::App& app, const std::string& word);

/// Prints the help or version that was asked for, or the mistake with its remedy on stderr; returns the exit status.
int report_usage(const CLI::App& app, const CLI::ParseError& error);

}  // namespace stiction::cli
