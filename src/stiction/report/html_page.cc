#include "stiction/report/html_page.h"

#include <fmt/format.h>

#include "stiction/report/markup.h"

namespace stiction::report {

namespace {

constexpr const char* style =
    "body{font:15px/1.5 system-ui,Helvetica,Arial,sans-serif;color:#1c1c1c;background:#fff;max-width:52rem;"
    "margin:2rem auto;padding:0 "
    "1rem}h1{font-size:1.5rem;margin-bottom:.2rem;overflow-wrap:anywhere}h2{font-size:1.15rem;margin-top:2rem}"
    "@media(max-width:40rem){table{display:block;overflow-x:auto}}"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.3rem .7rem;border-bottom:1px solid "
    "#e3e3e3;"
    "vertical-align:top}th{font-weight:600;white-space:nowrap}td.n{text-align:right;white-space:nowrap;"
    "font-variant-numeric:tabular-nums}.good{color:#00694f}.bad{color:#a63c00;font-weight:600}svg{max-width:100%;"
    "height:auto}p.note{color:#555}"
    ".wide{overflow-x:auto}.wide{font-size:.93em}.wide th,.wide td{padding:.3rem "
    ".38rem}td.t{white-space:nowrap}th.n{text-align:right;"
    "vertical-align:bottom}th.t{vertical-align:bottom}";

}  // namespace

std::string html_head(const std::string& name, const std::string& what) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width, initial-scale=1\">\n<title>{0} \u2013 {2}</title>\n<style>{1}</style>\n"
      "</head>\n<body>\n<h1>{0}</h1>\n",
      escape_markup(name), style, escape_markup(what));
}

std::string html_tail() {
  return "</body>\n</html>\n";
}

}  // namespace stiction::report
