#include "stiction/io/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include <fmt/format.h>

namespace stiction {

namespace fs = std::filesystem;

Result<OutputFile> OutputFile::create(const std::string& path) {
  std::error_code ignored;
  if (path.empty()) return failure({.what = "no file name to write to", .remedy = "Give the name of a file."});
  if (fs::is_directory(path, ignored)) {
    return failure(
        {.what = "cannot write: this is a folder", .remedy = "Give the name of a file in it.", .file = path});
  }
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {
    return failure({.what = "cannot write: this is not a regular file and must not be replaced by one",
                    .remedy = "Give the name of a new file.",
                    .file = path});
  }
  const fs::path folder = fs::path(path).parent_path();
  if (!folder.empty() && !fs::is_directory(folder, ignored)) {
    return failure({.what = "cannot write: the folder does not exist",
                    .remedy = fmt::format("Create it first: mkdir -p '{}'.", folder.string()),
                    .name = folder.string(),
                    .file = path});
  }
  OutputFile file(path);
  errno = 0;
  if (!std::ofstream(file.part_path(), std::ios::binary)) {
    const std::string reason = errno != 0 ? std::strerror(errno) : "not permitted";
    file.pending_ = false;
    return failure({.what = fmt::format("cannot write: {}", reason),
                    .remedy = "Choose a folder that you may write to, or change its permissions.",
                    .name = file.part_path(),
                    .file = path});
  }
  return file;
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)), pending_(std::exchange(other.pending_, false)) {}

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  if (this != &other) {
    discard();
    path_ = std::move(other.path_);
    pending_ = std::exchange(other.pending_, false);
  }
  return *this;
}

OutputFile::~OutputFile() {
  discard();
}

Result<void> OutputFile::commit() {
  std::error_code problem;
  fs::rename(part_path(), path_, problem);
  if (problem) {
    const std::string part = part_path();
    discard();
    return failure({.what = fmt::format("cannot move the finished file to its place: {}", problem.message()),
                    .remedy = "Choose a file name that is not in use.",
                    .name = part,
                    .file = path_});
  }
  pending_ = false;
  return {};
}

void OutputFile::discard() {
  if (!pending_) return;
  std::error_code ignored;
  fs::remove(part_path(), ignored);
  pending_ = false;
}

Result<void> write_text_file(const std::string& path, const std::string& text) {
  auto file = OutputFile::create(path);
  if (!file) return failure(file.error());
  std::ofstream stream(file->part_path(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) {
    return failure({.what = "cannot write the whole file", .remedy = "Free space on the disk.", .file = path});
  }
  return file->commit();
}

}  // namespace stiction
