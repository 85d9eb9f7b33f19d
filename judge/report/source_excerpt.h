#pragma once
// A line of the student's own file with a mark below it.

#include <optional>
#include <string_view>

#include "judge/judge.h"
#include "judge/report/page.h"

namespace judge::report {

// The text of the location's line when it is in the submission; nullopt for a header or a line that is not there.
std::optional<std::string_view> source_line(const Report& report, const emulator::SourceLocation& where);

// "conv1d.cu:31", then the line and a caret below its column. Nothing when the location is not known.
void write_source_line(Page& page, int indent, const Report& report, const emulator::SourceLocation& where);

}  // namespace judge::report
