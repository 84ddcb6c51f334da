#include "stiction/io/vertices_file.h"

#include <charconv>
#include <cmath>
#include <filesystem>
#include <sstream>

#include "stiction/io/text_file.h"

namespace stiction {

namespace {

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream stream(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

bool parse_number(const std::string& word, double& value) {
  const char* first = word.data() + (word.starts_with('+') ? 1 : 0);
  const char* last = word.data() + word.size();
  const auto [end, code] = std::from_chars(first, last, value);
  return code == std::errc() && end == last && std::isfinite(value);
}

bool parse_point(const std::vector<std::string>& words, size_t first, Vector3& point) {
  for (size_t i = 0; i < 3; ++i) {
    if (!parse_number(words[first + i], point[static_cast<Eigen::Index>(i)])) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<Vector3>> read_vertices(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return failure(text.error());
  const bool obj = std::filesystem::path(path).extension() == ".obj";
  const size_t first = obj ? 1 : 0;
  std::vector<Vector3> points;
  std::istringstream stream(*text);
  int number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    const std::vector<std::string> words = split_words(line);
    if (words.empty() || (obj && words[0] != "v")) continue;
    // OBJ allows a weight (and colours) after the point.
    const bool complete = obj ? words.size() >= 4 : words.size() == 3;
    if (!complete || !parse_point(words, first, points.emplace_back())) {
      const std::string remedy =
          obj ? "Write 'v x y z' with finite numbers." : "Write three finite numbers, x y z, on each line.";
      return failure({"not a point", remedy, line.substr(0, 60), path, number, 1});
    }
  }
  return points;
}

}  // namespace stiction
