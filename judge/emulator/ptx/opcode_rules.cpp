#include "judge/emulator/ptx/opcode_rules.h"

#include <algorithm>
#include <array>

namespace judge::emulator::ptx {
namespace {

// Sorted by opcode. An opcode that is not here has no rule: whether it is implemented is for lowering to say.
constexpr std::array operand_rules = std::to_array<OperandRule>({
    {"abs", "Dt"},       {"activemask", "d"}, {"add", "Dtt"},     {"addc", "Dtt"},  {"and", "Dtt"},
    {"atom", "xax?xx"},  {"bfe", "Dtrr"},     {"bfi", "Dttrr"},   {"bfind", "dt"},  {"bmsk", "Dtr"},
    {"bra", "x"},        {"brev", "Dt"},      {"brkpt", ""},      {"brx", "rx"},    {"clz", "dt"},
    {"cnot", "Dt"},      {"copysign", "Dtt"}, {"cos", "Dt"},      {"cvta", "Dt"},   {"div", "Dtt"},
    {"dp2a", "drrr"},    {"dp4a", "drrr"},    {"ex2", "Dt"},      {"exit", ""},     {"fma", "Dttt"},
    {"fns", "drrr"},     {"isspacep", "Px"},  {"ld", "xa?x"},     {"ldu", "xa"},    {"lg2", "Dt"},
    {"lop3", "xtttx?p"}, {"mad", "Wttw"},     {"mad24", "Dttt"},  {"madc", "Wttw"}, {"match", "xtr"},
    {"max", "Dtt?t"},    {"min", "Dtt?t"},    {"mul", "Wtt"},     {"mul24", "Dtt"}, {"nanosleep", "r"},
    {"neg", "Dt"},       {"not", "Dt"},       {"or", "Dtt"},      {"popc", "dt"},   {"prefetch", "a?x"},
    {"prmt", "dttr"},    {"rcp", "Dt"},       {"red", "ax?x"},    {"redux", "Dtr"}, {"rem", "Dtt"},
    {"ret", ""},         {"rsqrt", "Dt"},     {"sad", "Dttt"},    {"selp", "Dttp"}, {"set", "Ftt?p"},
    {"setp", "Ptt?p"},   {"shf", "dttr"},     {"shfl", "xtrr?r"}, {"shl", "Dtr"},   {"shr", "Dtr"},
    {"sin", "Dt"},       {"slct", "Ffft"},    {"sqrt", "Dt"},     {"st", "ax?x"},   {"sub", "Dtt"},
    {"subc", "Dtt"},     {"szext", "Dtr"},    {"tanh", "Dt"},     {"testp", "Pt"},  {"trap", ""},
    {"vote", "xp?r"},    {"xor", "Dtt"},
});
static_assert(std::is_sorted(operand_rules.begin(), operand_rules.end(),
                             [](const OperandRule& a, const OperandRule& b) { return a.opcode < b.opcode; }));

constexpr std::array features = std::to_array<FeatureRule>({
    {"cp", "async", 80, 70, false},       {"cp", "bulk", 90, 80, false},          {"mbarrier", "", 80, 70, false},
    {"redux", "", 80, 70, false},         {"createpolicy", "", 80, 74, false},    {"discard", "", 80, 74, false},
    {"applypriority", "", 80, 74, false}, {"", "L2::cache_hint", 80, 74, false},  {"ldmatrix", "", 75, 65, false},
    {"stmatrix", "", 90, 78, false},      {"movmatrix", "", 75, 78, false},       {"mma", "tf32", 80, 70, false},
    {"mma", "bf16", 80, 70, false},       {"mma", "f64", 80, 70, false},          {"mma", "m16n8k16", 80, 70, false},
    {"mma", "e4m3", 89, 84, false},       {"mma", "e5m2", 89, 84, false},         {"tanh", "", 75, 70, false},
    {"min", "f16", 80, 70, false},        {"min", "f16x2", 80, 70, false},        {"max", "f16", 80, 70, false},
    {"max", "f16x2", 80, 70, false},      {"fma", "relu", 80, 70, false},         {"fma", "bf16", 80, 70, false},
    {"fma", "bf16x2", 80, 70, false},     {"add", "bf16", 90, 78, false},         {"add", "bf16x2", 90, 78, false},
    {"sub", "bf16", 90, 78, false},       {"sub", "bf16x2", 90, 78, false},       {"mul", "bf16", 90, 78, false},
    {"mul", "bf16x2", 90, 78, false},     {"barrier", "cluster", 90, 78, false},  {"mapa", "", 90, 78, false},
    {"getctarank", "", 90, 78, false},    {"griddepcontrol", "", 90, 78, false},  {"elect", "", 90, 80, false},
    {"multimem", "", 90, 81, false},      {"", "shared::cluster", 90, 78, false}, {"wgmma", "", 90, 80, true},
    {"atom", "b128", 90, 83, false},      {"atom", "bf16", 90, 78, false},        {"atom", "bf16x2", 90, 78, false},
    {"red", "bf16", 90, 78, false},       {"red", "bf16x2", 90, 78, false},       {"atom", "v2", 90, 81, false},
    {"atom", "v4", 90, 81, false},        {"atom", "v8", 90, 81, false},          {"red", "v2", 90, 81, false},
    {"red", "v4", 90, 81, false},         {"red", "v8", 90, 81, false},           {"ld", "v8", 100, 88, false},
    {"st", "v8", 100, 88, false},         {"setmaxnreg", "", 90, 80, true},       {"tcgen05", "", 100, 86, false},
});

}  // namespace

const OperandRule* operand_rule(std::string_view opcode) {
  const auto rule = std::lower_bound(operand_rules.begin(), operand_rules.end(), opcode,
                                     [](const OperandRule& a, std::string_view b) { return a.opcode < b; });
  return rule != operand_rules.end() && rule->opcode == opcode ? &*rule : nullptr;
}

std::span<const FeatureRule> feature_rules() {
  return features;
}

}  // namespace judge::emulator::ptx
