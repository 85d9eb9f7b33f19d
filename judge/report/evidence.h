#pragma once
// What went wrong in one case, or in the compiler: the part of a report that a student reads first.

#include "judge/judge.h"
#include "judge/report/page.h"
#include "judge/report/phrases.h"

namespace judge::report {

// The case's name in the reader's language.
std::string case_name(const Voice& voice, const CaseReport& one);

// " (n = 10,007)", or nothing when the case has no sizes.
std::string sizes_in_brackets(const catalogue::Names& sizes);

void write_diagnostics(Page& page, const Voice& voice, const Report& report);
void write_faults(Page& page, const Voice& voice, const Report& report, const CaseReport& one);
void write_host_end(Page& page, const Voice& voice, const CaseReport& one);
void write_case(Page& page, const Voice& voice, const Report& report, const CaseReport& one);
// What kernels and host code printed; nothing when they printed nothing.
void write_printed(Page& page, const Voice& voice, const CaseReport& one);

}  // namespace judge::report
