// parsePtx: the grammar of PTX ISA 9.0, 4.4, as far as NVRTC 13 uses it for kernels.

#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "fuser/ptx/lexer.h"
#include "fuser/ptx/module.h"

namespace fuser::ptx {
namespace {

constexpr int64_t kMostRegisters = 1 << 20;  // of a declaration

// "%r12" -> "%r", 12
bool isNumbered(std::string_view name, std::string_view& prefix, int64_t& number) {
  const size_t digits = name.find_last_not_of("0123456789") + 1;
  prefix = name.substr(0, digits);
  const auto [end, error] = std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return error == std::errc() && end == name.data() + name.size();
}

// The names of registers: those of an inner brace hide the ones outside.
class RegisterNames {
 public:
  explicit RegisterNames(Function& function) : function_(function) { open(); }

  void open() { scopes_.emplace_back(); }
  void close() { scopes_.pop_back(); }
  void add(std::string_view name, int64_t count, Type type) {
    const auto first = static_cast<uint32_t>(function_.registers.size());
    if (count < 0) {
      scopes_.back().single[name] = first;
      function_.registers.push_back({name, -1, type});
      return;
    }
    scopes_.back().families[name] = {first, count};
    for (int64_t i = 0; i < count; ++i) function_.registers.push_back({name, i, type});
  }
  // -1: there is none.
  int64_t find(std::string_view name) const {
    std::string_view prefix;
    int64_t number = 0;
    const bool numbered = isNumbered(name, prefix, number);
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      if (const auto found = scope->single.find(name); found != scope->single.end()) return found->second;
      if (!numbered) continue;
      const auto family = scope->families.find(prefix);
      if (family == scope->families.end() || number >= family->second.count) continue;
      return family->second.first + number;
    }
    return -1;
  }

 private:
  struct FamilyOfNames {
    uint32_t first;
    int64_t count;
  };
  struct Scope {
    std::unordered_map<std::string_view, uint32_t> single;
    std::unordered_map<std::string_view, FamilyOfNames> families;
  };
  Function& function_;
  std::vector<Scope> scopes_;
};

std::optional<Space> spaceOf(std::string_view directive) {
  if (directive == ".param") return Space::Param;
  if (directive == ".global") return Space::Global;
  if (directive == ".shared") return Space::Shared;
  if (directive == ".local") return Space::Local;
  if (directive == ".const") return Space::Const;
  return std::nullopt;
}

class PtxParser {
 public:
  PtxParser(Module& module, const std::string& name) : module_(module), lexer_(*module.text, name) {}

  void parse() {
    while (lexer_.peek().kind != Token::Kind::End) parseTopLevel();
  }

 private:
  void parseTopLevel() {
    const Token at = lexer_.peek();
    const std::string_view directive = lexer_.expectName("a directive");
    if (directive == ".version" || directive == ".address_size" || directive == ".file") return lexer_.skipLine();
    if (directive == ".target") {
      module_.target = lexer_.expectName("a target");
      return lexer_.skipLine();
    }
    if (directive == ".section") {
      lexer_.expectName("a section");
      return lexer_.skipBraces();
    }
    if (directive == ".visible" || directive == ".extern" || directive == ".weak" || directive == ".common") return;
    if (directive == ".entry") return parseFunction(true);
    if (directive == ".func") return parseFunction(false);
    const std::optional<Space> space = spaceOf(directive);
    if (!space) lexer_.fail(at, "directive '", directive, "' is not read");
    module_.variables.push_back(parseVariable(*space));
    lexer_.expect(";");
  }

  // --- variables ---

  // Behind the space: `.align 16 .b8 name[40] = {1, 2}`.
  Variable parseVariable(Space space) {
    Variable variable;
    variable.space = space;
    int64_t alignment = 0;
    std::optional<Type> type;
    while (lexer_.peek().text.starts_with(".")) {
      const Token at = lexer_.next();
      if (at.text == ".align") {
        alignment = lexer_.expectInteger("an alignment");
      } else if (at.text == ".ptr") {
        parsePointer();
      } else {
        type = typeFrom(at.text.substr(1));
        if (!type) lexer_.fail(at, "'", at.text, "' is no type");
      }
    }
    if (!type) lexer_.fail(lexer_.peek(), "a variable without a type");
    variable.type = *type;
    variable.alignment = alignment > 0 ? alignment : bytesOf(*type);
    variable.name = lexer_.expectName("a variable");
    int64_t elements = 1;
    while (lexer_.accept("[")) {
      elements *= lexer_.at("]") ? 0 : lexer_.expectInteger("a size");
      lexer_.expect("]");
    }
    variable.bytes = elements * bytesOf(*type);
    if (lexer_.accept("=")) parseInitial(variable);
    return variable;
  }

  // `.ptr .global .align 16` of a parameter: what it points to.
  void parsePointer() {
    while (lexer_.at(".global") || lexer_.at(".shared") || lexer_.at(".local") || lexer_.at(".const")) lexer_.next();
    if (lexer_.accept(".align")) lexer_.expectInteger("an alignment");
  }

  void parseInitial(Variable& variable) {
    const auto add = [&] {
      const Token at = lexer_.peek();
      const auto bits = at.text.starts_with("0f") || at.text.starts_with("0d")
                            ? floatOf(lexer_.next()).bits
                            : static_cast<uint64_t>(lexer_.expectInteger("a number"));
      for (int byte = 0; byte < bytesOf(variable.type); ++byte)
        variable.initial.push_back(static_cast<uint8_t>(bits >> (8 * byte)));
      if (static_cast<int64_t>(variable.initial.size()) > variable.bytes)
        lexer_.fail(at, variable.name, " has more values than elements");
    };
    if (!lexer_.accept("{")) return add();
    do {
      add();
    } while (lexer_.accept(","));
    lexer_.expect("}");
  }

  // --- functions ---

  void parseFunction(bool isEntry) {
    Function function;
    function.isEntry = isEntry;
    if (!isEntry && lexer_.at("(")) function.results = parseParameters(function);
    const Token name = lexer_.peek();
    function.name = lexer_.expectName("a function");
    if (lexer_.at("(")) function.parameters = parseParameters(function);
    while (lexer_.peek().text.starts_with(".")) parseOfFunction(function);
    if (lexer_.accept(";")) return;  // its body comes later
    if (module_.function(function.name)) lexer_.fail(name, "function '", function.name, "' is there twice");
    Body(*this, function).parse();
    module_.functions.push_back(std::move(function));
  }

  // Among the variables of the function; their number.
  size_t parseParameters(Function& function) {
    size_t count = 0;
    lexer_.expect("(");
    for (; !lexer_.accept(")"); ++count) {
      if (count > 0) lexer_.expect(",");
      lexer_.expect(".param");
      function.variables.push_back(parseVariable(Space::Param));
    }
    return count;
  }

  // Between the parameters and the body.
  void parseOfFunction(Function& function) {
    const Token at = lexer_.next();
    if (at.text == ".noreturn") return;
    if (at.text == ".maxntid" || at.text == ".reqntid") {
      for (size_t i = 0; i < 3 && (i == 0 || lexer_.accept(",")); ++i)
        function.mostThreads[i] = lexer_.expectInteger("a number of threads");
      return;
    }
    if (at.text != ".minnctapersm" && at.text != ".maxnreg") lexer_.fail(at, "'", at.text, "' is not read");
    lexer_.expectInteger("a number");
  }

  Operand floatOf(const Token& token) const {
    Operand operand;
    operand.kind = Operand::Kind::Float;
    operand.type = token.text[1] == 'd' ? Type::F64 : Type::F32;
    const size_t digits = operand.type == Type::F64 ? 16 : 8;
    const bool isRead =
        token.text.size() == 2 + digits && readInteger(concat("0x", token.text.substr(2)), operand.bits);
    if (!isRead) lexer_.fail(token, "'", token.text, "' is no number");
    return operand;
  }

  // The statements of a function.
  class Body {
   public:
    Body(PtxParser& parser, Function& function)
        : parser_(parser), lexer_(parser.lexer_), function_(function), registers_(function) {
      scopes_.emplace_back();
      for (size_t i = 0; i < function.variables.size(); ++i) declare(function.variables[i].name, i);
    }

    void parse() {
      lexer_.expect("{");
      for (int depth = 1; depth > 0;) {
        if (lexer_.accept("{")) {
          ++depth;
          registers_.open();
          scopes_.emplace_back();
        } else if (lexer_.accept("}")) {
          --depth;
          registers_.close();
          scopes_.pop_back();
        } else {
          parseStatement();
        }
      }
      resolveNames();
    }

   private:
    void parseStatement() {
      const Token at = lexer_.peek();
      if (at.kind != Token::Kind::Name && !lexer_.at("@")) lexer_.failExpected("a statement");
      if (at.text.starts_with(".")) return parseDirective();
      if (lexer_.at("@")) return parseInstruction();
      const Token name = lexer_.next();
      if (!lexer_.accept(":")) return parseRest(name, {});
      if (lexer_.accept(".branchtargets")) return parseTargets(name);
      if (!labels_.emplace(name.text, static_cast<uint32_t>(function_.instructions.size())).second)
        lexer_.fail(name, "label '", name.text, "' is there twice");
    }

    // `name: .branchtargets L1, L2;`
    void parseTargets(const Token& name) {
      std::vector<Operand>& targets = targets_[name.text];
      if (!targets.empty()) lexer_.fail(name, "list '", name.text, "' is there twice");
      do {
        Operand& label = targets.emplace_back();
        label.kind = Operand::Kind::Label;
        label.name = lexer_.expectName("a label");
      } while (lexer_.accept(","));
      lexer_.expect(";");
    }

    void parseDirective() {
      const Token at = lexer_.next();
      if (at.text == ".reg") return parseRegisters();
      if (at.text == ".loc") return parseLocation();
      if (at.text == ".pragma") {
        while (!lexer_.accept(";")) lexer_.next();
        return;
      }
      const std::optional<Space> space = spaceOf(at.text);
      if (!space) lexer_.fail(at, "directive '", at.text, "' is not read");
      function_.variables.push_back(parser_.parseVariable(*space));
      declare(function_.variables.back().name, function_.variables.size() - 1);
      lexer_.expect(";");
    }

    void declare(std::string_view name, size_t variable) { scopes_.back()[name] = static_cast<uint32_t>(variable); }

    void parseRegisters() {
      const Token at = lexer_.next();
      const std::optional<Type> type = at.text.starts_with(".") ? typeFrom(at.text.substr(1)) : std::nullopt;
      if (!type) lexer_.fail(at, "'", at.text, "' is no type of registers");
      do {
        const Token name = lexer_.peek();
        lexer_.expectName("a register");
        int64_t count = -1;
        if (lexer_.accept("<")) {
          count = lexer_.expectInteger("a number of registers");
          if (count < 0 || count > kMostRegisters) lexer_.fail(name, count, " registers");
          lexer_.expect(">");
        }
        registers_.add(name.text, count, *type);
      } while (lexer_.accept(","));
      lexer_.expect(";");
    }

    // .loc 1 23 5, function_name …, inlined_at 1 45 3. Inlined code keeps the line of the last .loc that is not
    // inlined: that of the statement in the kernel.
    void parseLocation() {
      const int64_t file = lexer_.expectInteger("a file"), line = lexer_.expectInteger("a line");
      lexer_.expectInteger("a column");
      if (!lexer_.at(",") && file == 1) cudaLine_ = static_cast<uint32_t>(line);
      while (lexer_.accept(",")) {
        const std::string_view word = lexer_.expectName("function_name or inlined_at");
        if (word == "function_name") {
          lexer_.expectName("a name");
          if (lexer_.accept("+")) lexer_.expectInteger("an offset");
        } else {
          for (const char* what : {"a file", "a line", "a column"}) lexer_.expectInteger(what);
        }
      }
    }

    void parseInstruction() {
      lexer_.expect("@");
      Instruction instruction;
      instruction.guardNegated = lexer_.accept("!");
      const Token at = lexer_.peek();
      instruction.guard = registers_.find(lexer_.expectName("a predicate"));
      if (instruction.guard < 0) lexer_.fail(at, "there is no register '", at.text, "'");
      const Token opcode = lexer_.peek();
      lexer_.expectName("an instruction");
      parseRest(opcode, std::move(instruction));
    }

    // Behind the opcode.
    void parseRest(const Token& opcode, Instruction instruction) {
      instruction.opcode = opcode.text;
      instruction.line = lexer_.lineOf(opcode);
      instruction.cudaLine = cudaLine_;
      while (!lexer_.accept(";")) {
        if (!instruction.operands.empty()) lexer_.expect(",");
        instruction.operands.push_back(parseOperand());
      }
      function_.instructions.push_back(std::move(instruction));
    }

    Operand parseOperand() {
      const Token at = lexer_.peek();
      if (lexer_.accept("[")) return parseAddress();
      if (lexer_.accept("{")) return parseParts(Operand::Kind::Vector, "}");
      if (lexer_.accept("(")) return parseParts(Operand::Kind::Arguments, ")");
      if (lexer_.accept("!")) {
        Operand operand = parseOperand();
        if (operand.kind != Operand::Kind::Register) lexer_.fail(at, "'!' is of a predicate");
        operand.isNegated = true;
        return operand;
      }
      if (at.text.starts_with("0f") || at.text.starts_with("0d")) return parser_.floatOf(lexer_.next());
      if (at.kind != Token::Kind::Name) {
        Operand operand;
        operand.kind = Operand::Kind::Integer;
        operand.bits = static_cast<uint64_t>(lexer_.expectInteger("an operand"));
        return operand;
      }
      Operand operand = named(lexer_.next());
      if (!lexer_.accept("|")) return operand;
      Operand pair;
      pair.kind = Operand::Kind::Pair;
      pair.parts.push_back(std::move(operand));
      pair.parts.push_back(named(lexer_.next()));
      return pair;
    }

    // A register, a variable, or a name that is resolved behind the last statement.
    Operand named(const Token& token) {
      Operand operand;
      if (token.text == "_") return operand;
      if (const int64_t found = registers_.find(token.text); found >= 0) {
        operand.kind = Operand::Kind::Register;
        operand.at = static_cast<uint32_t>(found);
        return operand;
      }
      operand.name = token.text;
      operand.kind = token.text.starts_with("%") ? Operand::Kind::Special : Operand::Kind::Label;
      for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        const auto found = scope->find(token.text);
        if (found == scope->end()) continue;
        operand.kind = Operand::Kind::Variable;
        operand.at = found->second;
        return operand;
      }
      const std::vector<Variable>& shared = parser_.module_.variables;
      const auto found =
          std::find_if(shared.begin(), shared.end(), [&](const Variable& each) { return each.name == token.text; });
      if (found == shared.end()) return operand;
      operand.kind = Operand::Kind::Variable;
      operand.isOfModule = true;
      operand.at = static_cast<uint32_t>(found - shared.begin());
      return operand;
    }

    // [%rd1+8], [name], [name+4], [16]
    Operand parseAddress() {
      const Token at = lexer_.peek();
      Operand address;
      if (at.kind == Token::Kind::Name) {
        address = named(lexer_.next());
        const bool isBase = address.kind == Operand::Kind::Register || address.kind == Operand::Kind::Variable;
        if (!isBase) lexer_.fail(at, "there is no '", at.text, "'");
        address.base = address.kind == Operand::Kind::Register ? Operand::Base::Register : Operand::Base::Variable;
      }
      address.kind = Operand::Kind::Address;
      if (!lexer_.at("]")) address.offset = lexer_.expectInteger("an offset");
      lexer_.expect("]");
      return address;
    }

    Operand parseParts(Operand::Kind kind, std::string_view close) {
      Operand whole;
      whole.kind = kind;
      while (!lexer_.accept(close)) {
        if (!whole.parts.empty()) lexer_.expect(",");
        whole.parts.push_back(parseOperand());
      }
      return whole;
    }

    // Labels, lists of them, and functions, whose bodies may come later.
    void resolveNames() {
      for (Instruction& instruction : function_.instructions) {
        for (Operand& operand : instruction.operands) {
          if (operand.kind != Operand::Kind::Label) continue;
          if (const auto targets = targets_.find(operand.name); targets != targets_.end()) {
            operand.kind = Operand::Kind::Vector;
            operand.parts = targets->second;
            for (Operand& label : operand.parts) resolve(label);
          } else if (instruction.opcode.starts_with("call") && !labels_.contains(operand.name)) {
            operand.kind = Operand::Kind::Function;
          } else {
            resolve(operand);
          }
        }
      }
    }

    void resolve(Operand& operand) {
      const auto label = labels_.find(operand.name);
      if (label != labels_.end()) {
        operand.at = label->second;
        return;
      }
      Token at{Token::Kind::Name, operand.name, 0};
      at.offset = static_cast<size_t>(operand.name.data() - parser_.module_.text->data());
      lexer_.fail(at, "there is no '", operand.name, "'");
    }

    PtxParser& parser_;
    PtxLexer& lexer_;
    Function& function_;
    RegisterNames registers_;
    std::vector<std::unordered_map<std::string_view, uint32_t>> scopes_;  // variables of the function, by name
    std::unordered_map<std::string_view, uint32_t> labels_;
    std::unordered_map<std::string_view, std::vector<Operand>> targets_;  // .branchtargets
    uint32_t cudaLine_ = 0;
  };

  Module& module_;
  PtxLexer lexer_;
};

}  // namespace

const Function* Module::function(std::string_view name) const {
  const auto found =
      std::find_if(functions.begin(), functions.end(), [&](const Function& each) { return each.name == name; });
  return found == functions.end() ? nullptr : &*found;
}

Module parsePtx(std::string text, const std::string& name) {
  Module module;
  module.text = std::make_unique<const std::string>(std::move(text));
  PtxParser(module, name).parse();
  return module;
}

}  // namespace fuser::ptx
