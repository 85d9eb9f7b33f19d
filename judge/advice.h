#pragma once
// The one sentence at the end of a report that says what to do now.

#include "judge/judge.h"

namespace judge {

// Looks at the verdict and the evidence of the smallest case that shows it. In English and Chinese.
catalogue::Text next_step(const Report& report);

}  // namespace judge
