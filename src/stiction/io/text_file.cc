#include "stiction/io/text_file.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace stiction {

Result<std::string> read_text_file(const std::string& path) {
  std::error_code code;
  const std::filesystem::file_status status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status))
    return failure({"no such file", "Check the name and the folder.", path, path, 0, 0});
  if (std::filesystem::is_directory(status)) {
    return failure({"is a directory, not a file", "Name a file inside it.", path, path, 0, 0});
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
  if (!stream) return failure({"cannot be read", "Check the file's permissions.", path, path, 0, 0});
  return text;
}

}  // namespace stiction
