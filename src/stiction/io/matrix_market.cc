#include "stiction/io/matrix_market.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace stiction {
namespace {

// Dense problems beyond this size do not fit in memory; a header that claims more is a mistake rather than a problem.
constexpr long largest_size = 40000;

// A text file read line by line, splitting at white space, with the place for errors.
class LineReader {
 public:
  explicit LineReader(const std::filesystem::path& file) : file_(file.string()), stream_(file) {}

  bool is_open() const { return stream_.is_open(); }

  // The next line's words; comment lines (%) and empty ones are skipped unless `raw`. False at the end of the file.
  bool next(std::vector<std::string_view>& words, bool raw = false) {
    while (std::getline(stream_, line_)) {
      ++line_number_;
      split(words);
      if (raw || (!words.empty() && words.front().front() != '%')) return true;
    }
    ++line_number_;
    return false;
  }

  Error error(std::string what, std::string remedy, std::string_view name = {}) const {
    return {.what = std::move(what),
            .remedy = std::move(remedy),
            .name = std::string(name),
            .file = file_,
            .line = line_number_};
  }

 private:
  void split(std::vector<std::string_view>& words) const {
    words.clear();
    const std::string_view text = line_;
    size_t begin = 0;
    while ((begin = text.find_first_not_of(" \t\r", begin)) != std::string_view::npos) {
      const size_t end = std::min(text.find_first_of(" \t\r", begin), text.size());
      words.push_back(text.substr(begin, end - begin));
      begin = end;
    }
  }

  std::string file_;
  std::ifstream stream_;
  std::string line_;
  int line_number_ = 0;
};

template <class T>
std::optional<T> parse(std::string_view word) {
  T value = {};
  if (!word.empty() && word.front() == '+') word.remove_prefix(1);
  const auto [end, code] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (code != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

// What the first line of the file promises.
struct Banner {
  bool coordinate = false;
  bool pattern = false;
  double mirror = 0;  // factor of the transposed entry: 0 general, 1 symmetric, -1 skew-symmetric
};

std::string lower(std::string_view word) {
  std::string text(word);
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Result<Banner> read_banner(LineReader& reader) {
  std::vector<std::string_view> words;
  const std::string remedy = "The first line must read '%%MatrixMarket matrix coordinate real general' or similar.";
  if (!reader.next(words, true)) return failure(reader.error("the file is empty", remedy));
  if (words.size() != 5 || lower(words[0]) != "%%matrixmarket" || lower(words[1]) != "matrix") {
    return failure(reader.error("this is not a Matrix Market file", remedy));
  }
  Banner banner;
  const std::string format = lower(words[2]);
  const std::string field = lower(words[3]);
  const std::string symmetry = lower(words[4]);
  banner.coordinate = format == "coordinate";
  banner.pattern = field == "pattern";
  banner.mirror = symmetry == "symmetric" ? 1 : symmetry == "skew-symmetric" ? -1 : 0;
  if (!banner.coordinate && format != "array") return failure(reader.error("unknown format", remedy, words[2]));
  if (field != "real" && field != "integer" && field != "double" && !(banner.pattern && banner.coordinate)) {
    return failure(reader.error("only real and integer matrices can be read", "Write the matrix as 'real'.", words[3]));
  }
  if (banner.mirror == 0 && symmetry != "general") {
    return failure(reader.error("unknown symmetry", "Write the matrix as 'general'.", words[4]));
  }
  return banner;
}

struct Size {
  long rows = 0;
  long columns = 0;
  long entries = 0;  // lines that follow
};

Result<Size> read_size(LineReader& reader, const Banner& banner) {
  std::vector<std::string_view> words;
  const std::string remedy = banner.coordinate
                                 ? "The first line after the comments must hold rows, columns and entries."
                                 : "The first line after the comments must hold rows and columns.";
  if (!reader.next(words)) return failure(reader.error("the file ends before the size of the matrix", remedy));
  if (words.size() != (banner.coordinate ? 3u : 2u)) return failure(reader.error("this is not a size line", remedy));
  long numbers[3] = {0, 0, 0};
  for (size_t i = 0; i < words.size(); ++i) {
    const auto number = parse<long>(words[i]);
    if (!number || *number < 0) return failure(reader.error("this is not a size", remedy, words[i]));
    numbers[i] = *number;
  }
  Size size = {numbers[0], numbers[1], numbers[2]};
  if (size.rows > largest_size || size.columns > largest_size) {
    return failure(reader.error(fmt::format("the matrix has {} x {} entries", size.rows, size.columns),
                                fmt::format("Dense problems may have up to {} rows.", largest_size)));
  }
  if (banner.mirror != 0 && size.rows != size.columns) {
    return failure(reader.error("a symmetric matrix must be square", "Write the matrix as 'general'."));
  }
  if (!banner.coordinate) {
    size.entries = banner.mirror == 0  ? size.rows * size.columns
                   : banner.mirror > 0 ? size.rows * (size.rows + 1) / 2
                                       : size.rows * (size.rows - 1) / 2;
  }
  return size;
}

// Walks down the columns of an array file, below the diagonal only where the other half is implied.
struct ArrayPlace {
  long row = 0;
  long column = 0;

  static long first_row(const Banner& banner, long column) {
    return banner.mirror == 0 ? 0 : banner.mirror > 0 ? column : column + 1;
  }

  void advance(const Banner& banner, const Size& size) {
    if (++row < size.rows) return;
    row = first_row(banner, ++column);
  }
};

Result<double> read_value(const LineReader& reader, std::string_view word) {
  const auto value = parse<double>(word);
  if (!value) return failure(reader.error("this is not a number", "Write a plain decimal number.", word));
  if (!std::isfinite(*value)) return failure(reader.error("the value is not finite", "Give a finite number.", word));
  return *value;
}

Result<MatrixX> read_entries(LineReader& reader, const Banner& banner, const Size& size) {
  MatrixX matrix = MatrixX::Zero(size.rows, size.columns);
  std::vector<std::string_view> words;
  ArrayPlace place = {ArrayPlace::first_row(banner, 0), 0};
  const size_t word_count = banner.coordinate ? (banner.pattern ? 2 : 3) : 1;
  for (long entry = 0; entry < size.entries; ++entry) {
    if (!reader.next(words)) {
      return failure(reader.error(fmt::format("the file ends after {} of {} entries", entry, size.entries),
                                  "Add the missing entries or correct the size line."));
    }
    if (words.size() != word_count) {
      return failure(reader.error(fmt::format("expected {} numbers, got {}", word_count, words.size()),
                                  banner.coordinate ? "Write row, column and value." : "Write one value per line."));
    }
    if (banner.coordinate) {
      const auto row = parse<long>(words[0]);
      const auto column = parse<long>(words[1]);
      const bool inside = row && column && *row >= 1 && *row <= size.rows && *column >= 1 && *column <= size.columns;
      if (!inside) {
        return failure(
            reader.error("the entry lies outside the matrix",
                         fmt::format("Rows run from 1 to {}, columns from 1 to {}.", size.rows, size.columns),
                         fmt::format("{} {}", words[0], words[1])));
      }
      place = {*row - 1, *column - 1};
    }
    const auto value = banner.pattern ? Result<double>(1.0) : read_value(reader, words.back());
    if (!value) return failure(value.error());
    matrix(place.row, place.column) += *value;
    if (banner.mirror != 0 && place.row != place.column) matrix(place.column, place.row) += banner.mirror * *value;
    if (!banner.coordinate) place.advance(banner, size);
  }
  if (reader.next(words)) {
    return failure(reader.error(fmt::format("there is more than the {} entries announced", size.entries),
                                "Remove the surplus or correct the size line."));
  }
  return matrix;
}

// The vector in folder/name, which must have `rows` values.
Result<VectorX> read_vector(const std::filesystem::path& file, Eigen::Index rows) {
  const auto matrix = read_matrix_market(file);
  if (!matrix) return failure(matrix.error());
  if (matrix->cols() != 1 || matrix->rows() != rows) {
    return failure(
        {.what = fmt::format("the vector is {} x {} but M has {} rows", matrix->rows(), matrix->cols(), rows),
         .remedy = fmt::format("Give a {} x 1 array.", rows),
         .name = {},
         .file = file.string()});
  }
  return VectorX(matrix->col(0));
}

}  // namespace

Result<MatrixX> read_matrix_market(const std::filesystem::path& file) {
  LineReader reader(file);
  if (!reader.is_open() || std::filesystem::is_directory(file)) {
    return failure({.what = "the file cannot be opened",
                    .remedy = "Check the path; a problem folder holds M.mtx and q.mtx (and is_comp.mtx if mixed).",
                    .name = {},
                    .file = file.string()});
  }
  const auto banner = read_banner(reader);
  if (!banner) return failure(banner.error());
  const auto size = read_size(reader, *banner);
  if (!size) return failure(size.error());
  return read_entries(reader, *banner, *size);
}

Result<Lcp> read_lcp(const std::filesystem::path& folder) {
  auto M = read_matrix_market(folder / "M.mtx");
  if (!M) return failure(M.error());
  if (M->rows() != M->cols()) {
    return failure({.what = fmt::format("M is {} x {}", M->rows(), M->cols()),
                    .remedy = "The matrix of a complementarity problem must be square.",
                    .name = {},
                    .file = (folder / "M.mtx").string()});
  }
  auto q = read_vector(folder / "q.mtx", M->rows());
  if (!q) return failure(q.error());
  return Lcp{std::move(*M), std::move(*q)};
}

Result<MixedLcp> read_mixed_lcp(const std::filesystem::path& folder) {
  auto lcp = read_lcp(folder);
  if (!lcp) return failure(lcp.error());
  const auto flags = read_vector(folder / "is_comp.mtx", lcp->q.size());
  if (!flags) return failure(flags.error());
  MixedLcp problem = {std::move(lcp->M), std::move(lcp->q), {}};
  for (Eigen::Index i = 0; i < flags->size(); ++i) {
    const double flag = (*flags)[i];
    if (flag != 0 && flag != 1) {
      return failure({.what = fmt::format("row {} has the flag {}", i + 1, flag),
                      .remedy = "Flags are 0 (equation) or 1 (complementarity).",
                      .name = {},
                      .file = (folder / "is_comp.mtx").string()});
    }
    problem.is_complementarity.push_back(flag == 1);
  }
  return problem;
}

}  // namespace stiction
