// The frame of every report: a page of HTML that needs nothing but itself.
#pragma once

#include <string>

namespace stiction::report {

/// From the doctype to the heading; `name` is the heading, "NAME - WHAT" the title of the window.
std::string html_head(const std::string& name, const std::string& what);

/// What closes the page.
std::string html_tail();

}  // namespace stiction::report
