#pragma once
// A case's inputs -> the arguments of the entry, in its parameter order.

#include <map>
#include <string>
#include <vector>

#include "judge/catalogue/catalogue.h"
#include "judge/check/check.h"
#include "judge/session/session.h"

namespace judge {

using Buffers = std::map<std::string, check::Buffer>;

// The arguments point into `inputs`, which must outlive them. Throws std::runtime_error when an input is missing.
std::vector<session::Argument> entry_arguments(const catalogue::Exercise& exercise, const catalogue::Names& names,
                                               const Buffers& inputs);

// Elements of every buffer of the case together: how large it is.
std::uint64_t total_elements(const catalogue::Exercise& exercise, const catalogue::Names& names);

}  // namespace judge
