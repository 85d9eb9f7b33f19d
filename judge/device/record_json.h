#pragma once
// A CaseRecord as JSON text and back: how the device process hands its evidence to the judge.
// Counters that are zero and lists that are empty are left out. Bytes that are not UTF-8 (device printf) are replaced.

#include <string>
#include <string_view>

#include "judge/device/record.h"

namespace judge::device {

std::string to_json(const CaseRecord& record);
CaseRecord record_from_json(std::string_view text);  // throws std::runtime_error naming the field

}  // namespace judge::device
