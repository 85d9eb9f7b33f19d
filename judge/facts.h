#pragma once
// Evidence -> facts: the one place that says what a fault, a failed call or a dead process counts as.

#include <vector>

#include "judge/judge.h"
#include "judge/verdict/verdict.h"

namespace judge {

verdict::CaseFacts facts_of(const CaseReport& one);

// A runtime call that failed only because a kernel had died before it: CUDA returns the kernel's error from every later
// call ("sticky" errors, CUDA Runtime API, section "Error Handling").
bool is_consequence(const device::ApiError& error, const device::CaseRecord& record);

// The worst fault of a case, as the verdict ranks them; the first of equals. nullptr when there is none.
const device::Fault* worst_fault(const device::CaseRecord& record);

// The first call that failed by itself, launches before others; nullptr when there is none.
const device::ApiError* first_api_error(const device::CaseRecord& record);

// The cases that failed, smallest first.
std::vector<const CaseReport*> failures(const Report& report);

}  // namespace judge
