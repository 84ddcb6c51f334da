// Files that appear whole or not at all: written beside their place as PATH.part and moved there when done.
#pragma once

#include <string>

#include "stiction/base/error.h"

namespace stiction {

/// Owns PATH.part until commit() moves it to PATH; removes it when dropped uncommitted. Movable.
class OutputFile {
 public:
  /// Checks that PATH can be written: its folder exists and takes a file, and PATH is not a folder. Creates PATH.part.
  static Result<OutputFile> create(const std::string& path);

  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;
  ~OutputFile();

  /// Where to write.
  std::string part_path() const { return path_ + ".part"; }
  /// Where the file will be.
  const std::string& path() const { return path_; }

  /// Moves the finished file to its place.
  Result<void> commit();
  /// Removes what was written.
  void discard();

 private:
  explicit OutputFile(std::string path) : path_(std::move(path)), pending_(true) {}
  std::string path_;
  bool pending_ = false;
};

/// Writes a whole text file by way of PATH.part.
Result<void> write_text_file(const std::string& path, const std::string& text);

}  // namespace stiction
