#pragma once
// What to do about a requirement that the kernel did not meet.

#include "judge/judge.h"

namespace judge {

// In English and Chinese. Looks at the metric, at which side of its budget was missed, and at what else the figures of
// the report say: the same budget on wavefronts asks for other things when lanes conflict than when they do not.
catalogue::Text requirement_step(const RequirementResult& missed, const Report& report);

}  // namespace judge
