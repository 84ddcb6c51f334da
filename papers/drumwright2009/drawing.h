// Drawings of a mechanism's shapes as SVG: for figures that show where bodies are.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "papers/drumwright2009/grasp_run.h"

namespace stiction::papers::drumwright2009 {

/// Writes the snapshots side by side, seen from the front, right and above.
Result<void> draw_snapshots(const Model& model, std::span<const Snapshot> snapshots, const std::filesystem::path& path);

}  // namespace stiction::papers::drumwright2009
