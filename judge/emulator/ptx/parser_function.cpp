#include "judge/emulator/ptx/parser.h"

namespace judge::emulator::ptx {
namespace {

constexpr std::size_t most_parameters = 4096;
constexpr std::uint64_t largest_dimension = 0x7fffffff;
constexpr std::uint64_t largest_file_number = 0x7fffffff;

}  // namespace

// .entry name (parameters) directives { body }
// .func (results) name (parameters) directives { body } or ;
void Parser::parse_function(const Variable& linkage, bool is_entry) {
  function_ = Function{};
  local_index_.clear();
  function_.is_entry = is_entry;
  function_.is_visible = linkage.is_visible;
  function_.is_weak = linkage.is_weak;
  names_.emplace(function_, storage_);
  location_ = -1;
  latest_at_.clear();
  bool unused = false;
  while (accept_dotted(".attribute")) parse_attributes(unused);
  if (!is_entry && peek().is('(')) parse_parameters(function_.results, true);
  const Token name = expect_word("the name of this function");
  function_.name = name.text;
  function_.at = name.at;
  if (peek().is('(')) parse_parameters(function_.parameters, true);
  parse_function_directives(function_);
  if (accept(';')) {
    function_.is_extern = true;
  } else {
    expect('{', "';' or '{' and the body of this function");
    parse_body();
  }
  names_.reset();
  add_function(std::move(function_));
}

void Parser::parse_parameters(std::vector<Variable>& list, bool declare) {
  expect('(', "'('");
  if (accept(')')) return;
  do {
    list.push_back(parse_parameter(declare));
    if (list.size() > most_parameters) expected("at most 4096 parameters");
  } while (accept(','));
  expect(')', "',' or ')' after a parameter");
}

Variable Parser::parse_parameter(bool declare) {
  const bool is_register = peek().is_dotted(".reg");
  if (!is_register && !peek().is_dotted(".param")) expected("a parameter: .param or .reg");
  take();
  const Specifiers specifiers = parse_specifiers(true);
  const Token name = expect_word("the name of this parameter");
  if (declare && name.text != "_") {
    if (is_register) {
      add_registers(name.text, std::nullopt, specifiers, name.at);
    } else {
      count(names_count_, limits_.names, "names", name.at);
      names_->declare_variable(name.text, name.at);
    }
  }
  return parse_declarator(is_register ? Space::reg : Space::param, specifiers, name);
}

void Parser::parse_dimensions(std::uint32_t (&dimensions)[3]) {
  for (auto& d : dimensions) d = 1;
  for (int i = 0; i < 3; ++i) {
    dimensions[i] = static_cast<std::uint32_t>(expect_integer("a number of threads or blocks", largest_dimension));
    if (i == 2 || !accept(',')) return;
  }
}

// PTX ISA, "Performance-Tuning Directives", "Cluster Dimension Directives".
void Parser::parse_function_directives(Function& function) {
  while (peek().kind == Token::Kind::dotted) {
    const Token directive = take();
    const std::string_view name = directive.text.substr(1);
    if (name == "maxntid") {
      parse_dimensions(function.max_threads);
    } else if (name == "reqntid") {
      parse_dimensions(function.required_threads);
    } else if (name == "reqnctapercluster") {
      parse_dimensions(function.cluster);
    } else if (name == "minnctapersm") {
      function.min_blocks = static_cast<std::uint32_t>(expect_integer("a number of blocks", largest_dimension));
    } else if (name == "maxnreg" || name == "maxnctapersm" || name == "maxclusterrank" || name == "abi_preserve" ||
               name == "abi_preserve_control") {
      expect_integer("a number", largest_dimension);
    } else if (name == "noreturn") {
      function.no_return = true;
    } else if (name == "pragma") {
      do {
        if (take().kind != Token::Kind::string) throw ParseError(directive.at, "expected a string after .pragma");
      } while (accept(','));
      expect(';', "';' after .pragma");
    } else if (name != "explicitcluster" && name != "blocksareclusters") {
      throw ParseError(directive.at, "expected a directive of a function, found " + describe(directive));
    }
  }
}

void Parser::parse_body() {
  for (;;) {
    const Token& next = peek();
    if (next.is('{')) {
      if (names_->depth() >= limits_.nesting) {
        expected("at most " + std::to_string(limits_.nesting) + " scopes inside each other (limit: nesting)");
      }
      names_->open();
      take();
    } else if (next.is('}')) {
      const bool outermost = names_->depth() == 1;
      names_->close();
      take();
      if (outermost) return;
    } else if (next.is(';')) {
      take();
    } else if (next.kind == Token::Kind::dotted) {
      parse_body_directive();
    } else if (next.is('@')) {
      parse_instruction();
    } else if (next.is_word()) {
      parse_statement();
    } else {
      expected("an instruction, a declaration or '}'");
    }
  }
}

void Parser::parse_body_directive() {
  const Token directive = take();
  const std::string_view name = directive.text.substr(1);
  if (name == "loc") return parse_location();
  if (name == "reg") return parse_registers();
  if (name == "param") return parse_local_variables(Space::param);
  if (name == "local") return parse_local_variables(Space::local);
  if (name == "shared" || name == "shared::cta") return parse_local_variables(Space::shared);
  if (name == "global") return parse_local_variables(Space::global);
  if (name == "const") return parse_local_variables(Space::constant);
  if (name == "file") return parse_file();
  if (name == "section") return parse_section();
  if (name == "pragma") {
    do {
      if (peek().kind != Token::Kind::string) expected("a string after .pragma");
      take();
    } while (accept(','));
    expect(';', "';' after .pragma");
    return;
  }
  throw ParseError(directive.at,
                   "expected a declaration or directive of a function body, found " + describe(directive));
}

// `name:` with what may follow it.
void Parser::parse_label(const Token& name) {
  count(names_count_, limits_.names, "names", name.at);
  const std::string_view unique_name = names_->declare_label(name.text, name.at);
  Token label = name;
  label.text = unique_name;
  if (accept_dotted(".callprototype")) return parse_prototype(label);
  if (accept_dotted(".branchtargets")) return parse_table(label, ".branchtargets");
  if (accept_dotted(".calltargets")) return parse_table(label, ".calltargets");
  function_.labels.emplace(unique_name, static_cast<std::uint32_t>(function_.body.size()));
}

// proto: .callprototype (results) _ (parameters) directives;
void Parser::parse_prototype(const Token& label) {
  Prototype prototype;
  if (peek().is('(')) parse_parameters(prototype.results, false);
  expect_word("'_' in the place of the function's name");
  if (peek().is('(')) parse_parameters(prototype.parameters, false);
  Function directives;
  parse_function_directives(directives);
  expect(';', "';' after this prototype");
  function_.prototypes.emplace(label.text, static_cast<std::uint32_t>(module_.prototypes.size()));
  module_.prototypes.push_back(std::move(prototype));
}

void Parser::parse_table(const Token& label, std::string_view directive) {
  UnresolvedTable table;
  table.table = label.text;
  do {
    const Token target = expect_word("a name after " + std::string(directive));
    count(operands_, limits_.operands, "operands", target.at);
    if (accept('<')) {  // L<3> stands for L0, L1, L2
      const std::uint64_t n = expect_integer("how many labels", limits_.operands);
      expect('>', "'>' after the number of labels");
      for (std::uint64_t k = 0; k < n; ++k) {
        count(operands_, limits_.operands, "operands", target.at);
        table.targets.push_back(storage_.emplace_back(std::string(target.text) + std::to_string(k)));
      }
    } else {
      table.targets.push_back(target.text);
    }
  } while (accept(','));
  expect(';', "',' or ';' after a target");
  table.resolved.assign(table.targets.size(), false);
  names_->remember_table(std::move(table));
}

// .loc file line column {, function_name label {+ n}, inlined_at file line column}
void Parser::parse_location() {
  const Token first = peek();
  Location location;
  location.file = static_cast<int>(expect_integer("the file number of .loc", largest_file_number));
  location.line = static_cast<int>(expect_integer("the line of .loc", largest_file_number));
  location.column = static_cast<int>(expect_integer("the column of .loc", largest_file_number));
  std::uint64_t offset = 0;
  while (accept(',')) {
    const Token key = expect_word("function_name or inlined_at");
    if (key.text == "function_name") {
      location.inlined_function = expect_word("a label after function_name").text;
      if (accept('+')) offset = expect_integer("an offset", limits_.text_bytes);
    } else if (key.text == "inlined_at") {
      const auto file = static_cast<int>(expect_integer("a file number", largest_file_number));
      const auto line = static_cast<int>(expect_integer("a line", largest_file_number));
      const auto column = static_cast<int>(expect_integer("a column", largest_file_number));
      location.inlined_at = call_site(file, line, column);
    } else {
      throw ParseError(key.at, "expected function_name or inlined_at, found " + describe(key));
    }
  }
  location_ = intern(location, offset, first.at);
  latest_at_[{location.file, location.line, location.column}] = location_;
}

// The .loc of the call site stands before the one that names it, with its own call site: the chain ends in the kernel.
int Parser::call_site(int file, int line, int column) {
  const auto known = latest_at_.find({file, line, column});
  if (known != latest_at_.end()) return known->second;
  Location location;
  location.file = file;
  location.line = line;
  location.column = column;
  return intern(location, 0, peek().at);
}

int Parser::intern(const Location& location, std::uint64_t name_offset, Position at) {
  const LocationKey key{location.file, location.line, location.column, location.inlined_at, location.inlined_function,
                        name_offset};
  const auto [entry, is_new] = interned_.emplace(key, static_cast<int>(module_.locations.size()));
  if (is_new) {
    count(names_count_, limits_.names, "names", at);
    if (!location.inlined_function.empty()) {
      pending_names_.push_back({module_.locations.size(), location.inlined_function, name_offset});
    }
    module_.locations.push_back(location);
  }
  return entry->second;
}

}  // namespace judge::emulator::ptx
