#pragma once

#include <filesystem>
#include <string>

/// Sheets to print: pieces, boards, table markers and calibration boards at exact scale.
namespace overboard::simulator {

struct Paper {
    double width_mm = 210;
    double height_mm = 297;
};

/// "A4", "A3" or "letter". Throws std::invalid_argument on another name.
Paper paper_named(const std::string& name);

/// Writes a PDF. `what` is a game's id, "markers" or "calibration". Every page has a bar of exactly
/// 100 mm to check the printer's scale by. Returns the number of pages. Throws
/// std::invalid_argument when there is nothing of that name, std::runtime_error when the file
/// cannot be written.
int print_pdf(const std::string& what, const std::filesystem::path& file, Paper paper = {});

}  // namespace overboard::simulator
