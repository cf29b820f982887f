#pragma once
// The recursive-descent parser of `fusion … { … }`: names, types and ops. Private to this folder.

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "fuser/ir/fusion.h"
#include "fuser/ir/infer.h"
#include "fuser/support/disjoint_sets.h"
#include "fuser/text/complex_values.h"
#include "fuser/text/copied_views.h"
#include "fuser/text/expansions.h"
#include "fuser/text/give_names.h"
#include "fuser/text/parser.h"
#include "fuser/text/written_calls.h"
#include "fuser/tokens/token_reader.h"

namespace fuser::text {

// Reads a dtype: "bf16".
DataType readDtype(TokenReader& reader);
// Reads a list of integers: "[0, -1]".
std::vector<int64_t> readIntegerList(TokenReader& reader, size_t maxEntries);

// An attribute that an op takes.
struct KeyRule {
  std::string_view key;
  bool needed;
};

// What PyTorch refuses when it runs an op is found while its text is read: `expect rejected` may say so.
template <class F>
auto refusable(F&& build) {
  try {
    return build();
  } catch (const LocatedError& error) {
    throw RefusedProgram(error);
  }
}

class FusionParser {
 public:
  // `rngSeed`: that of random ops that name none. `calls`, if any, gets those of the text.
  explicit FusionParser(TokenReader& reader, uint32_t rngSeed = 0, WrittenCalls* calls = nullptr)
      : reader_(reader), rngSeed_(rngSeed), calls_(calls) {}

  // Reads from `fusion` to the closing brace.
  std::unique_ptr<Fusion> parse();
  // After parse(): each named value of the fusion, and the byte offset in the text of its name, or of the statement
  // that needs it.
  std::vector<std::pair<size_t, std::string>> places() const;

 private:
  struct Layout {
    Token start;
    std::vector<int> order;                      // empty: row-major
    std::vector<std::optional<bool>> contiguity;  // empty: contiguous
    bool onHost = false;                          // device = cpu
    bool view = false;                            // view = true: the result is a view of its operand's memory
    bool inPlace = false;                         // in_place = true: it is in the memory of what it overwrites
    bool isExplicit = false; // the text has an order or contiguity
  };
  struct Type {
    Token start;
    bool tensor = false;
    DataType dtype = DataType::Float;
    std::vector<AxisType> axes;
    std::optional<Layout> layout;
    bool isComplex = false;  // of parts of this dtype
  };
  // The attributes in braces after an op's operands.
  struct OpAttributes {
    std::map<std::string_view, Token> keys;  // the attributes that the text has
    Attributes values;                       // their values, except for the fields below
    std::map<std::string_view, Val*> operands;
    bool keepdim = false;
    bool isSingle = false;  // a list of counts is one number without brackets
    std::string variant;
    std::string word;
  };

  // The side of a branch on which statements stand.
  struct Side {
    Val* condition;
    bool first;
    Val* all = nullptr;  // of one in another one: whether the run takes both
  };

  // What an op has to do with complex values, before its operands are read.
  struct ComplexAhead {
    bool any = false;             // the op is one of complex values
    std::vector<Token> operands;  // the first token of each
    std::string_view dtype;       // that its attributes name
    bool isComplex(const FusionParser& parser, size_t i) const {
      return parser.complexes_.count(operands.at(i).text) != 0 && operands[i].kind == TokenKind::Value;
    }
  };
  // How the parts of complex operands are read: of each operand the part with this number, 1 the imaginary one.
  struct Parts {
    std::vector<size_t> part;
    std::vector<bool> isNumber;  // of each operand: whether a real one has the imaginary part 0
    bool isRaw = false;          // of conjugates the negative of the imaginary part
    bool isImaginary = false;    // the result is the imaginary part: real numbers count 0
  };

  // --- fusion_parser.cpp ---
  void parseStatement(std::string_view expected);
  void parseParameters();
  void collectScalarParameters();
  void parseTensorParameter(const Token& name);
  void checkInputSymbols();
  void parseReturn();
  void define(const Token& name, Val* val);
  size_t& placeOf(const Val* val);
  void checkNew(const Token& name) const;
  Val* lookUp(const Token& name);

  // --- op_parser.cpp ---
  void parseOp();
  std::string readWord();
  std::vector<Val*> readOp(const std::vector<Token>& names, const Token& mnemonic,
                           const std::vector<std::string>& resultNames);
  TensorView* memoryOfView(const Token& mnemonic, TensorView* tensor, NamedAttributes& named);
  void spell(size_t firstExpr, const Token& mnemonic, const std::vector<Token>& names,
             const std::vector<Val*>& operands, bool countsFromEnd);
  void defineResults(const std::vector<Token>& names, const std::vector<Val*>& results);
  void parseUpdate();
  Val* parseOperand();
  IntExpr parseBound();
  IntExpr parseEnd();
  void parseBraces(const Token& mnemonic, const std::vector<KeyRule>& rules, const Expansion* read,
                   const std::function<void(const Token& key)>& parse);
  OpAttributes parseAttributes(const Token& mnemonic, const std::vector<const OpInfo*>& rows);
  NamedAttributes parseNamedAttributes(const Token& mnemonic, const Expansion& expansion);
  GivenAttributes attributesAhead();
  void addSeedAndOffset(const Token& mnemonic, NamedAttributes& values);
  void putOnDevice(std::vector<Val*>& operands, NamedAttributes& named);
  Val* onDevice(TensorView* host);
  void write(TensorView* target, TensorView* source);
  void parseAttribute(const Token& key, const OpInfo& info, OpAttributes& attributes);
  void parseFamilyAttribute(const Token& key, const FamilyAttribute& attribute, OpAttributes& attributes);
  void parseBracedOperand(const Token& key, OpAttributes& attributes);
  void addBracedOperands(const OpInfo& info, const OpAttributes& attributes, std::vector<Val*>& operands);

  // --- written_calls.cpp ---
  std::vector<WrittenCall::Piece> writtenBraces(const Token& start, NamedAttributes& named);
  void noteCall(const std::vector<Token>& names, const Token& mnemonic, const Expansion& expansion,
                const std::vector<Val*>& operands, const std::vector<Val*>& results, const Token& braces,
                NamedAttributes& named, size_t firstExpr);
  void noteOps();

  // --- complex_parser.cpp ---
  ComplexAhead complexAhead(const Token& mnemonic);
  void parseComplexOp(const std::vector<Token>& names, const Token& mnemonic, const ComplexAhead& ahead);
  void parseByParts(const std::vector<Token>& names, const Token& mnemonic, const ComplexAhead& ahead,
                    const NameOfParts& rule);
  void parseBilinear(const std::vector<Token>& names, const Token& mnemonic, const ComplexAhead& ahead);
  void parseComplexFunction(const Token& name, const Token& mnemonic, const ComplexFunction& function);
  void parsePartOf(const Token& name, const Token& mnemonic);
  void parsePartOfReal(const Token& name, const Token& mnemonic, TensorView* tensor);
  void parsePartOfComplex(const Token& name, const Token& mnemonic, const std::string& valueName, ComplexValue& value);
  void parseViewAsReal(const Token& name, const Token& mnemonic, const std::string& valueName, ComplexValue& value);
  TensorView* sameAs(Val* tensor, const Token& name);
  Parts realPartsOf(const ComplexAhead& ahead, const NameOfParts& rule) const;
  bool isOfConjugate(const ComplexAhead& ahead, const Parts& parts) const;
  bool givesRealPart(const Token& mnemonic, const ComplexAhead& ahead) const;
  std::vector<Val*> readParts(const std::vector<Token>& names, const Token& mnemonic, std::string_view ending,
                              Parts parts);
  Val* parsePart(size_t place);
  Val* zeroLike(Val* number);
  DataType readPartDtype();
  Val* partOf(ComplexValue& value, size_t part, bool isRaw, const std::string& name);
  ComplexOperand parseComplexOperand();
  void defineComplex(const Token& name, ComplexValue value);
  void defineTyped(const Token& name, const ComplexValue& value);  // behind it may stand its type
  void definePairs(const std::vector<Token>& names, const Token& mnemonic, const std::vector<Val*>& real,
                   const std::vector<Val*>& imaginary, bool isRaw);
  void defineComplexParameter(const Token& name, TensorView* whole);
  void checkComplexType(const ComplexValue& value, const Type& type);
  TensorView* wholeOf(const std::string& name, ComplexValue& value);
  void failAsPyTorch(const Token& token, const std::string& message) const;
  void checkCopiedMemory(const TensorView* target) const;
  bool parseComplexUpdate(const Token& keyword, const Token& name);

  // --- branch_parser.cpp ---
  void parseBranch(const std::vector<Token>& names);
  std::vector<Val*> parseSide(Side side, const std::vector<Token>& results);
  Val* withOuterSides(const Side& side);
  Val* eitherOf(Val* condition, Val* first, Val* second, const Token& name);
  TensorView* writtenOnSide(TensorView* target, TensorView* source);

  // --- type_parser.cpp ---
  Type parseType();
  AxisType parseAxis();
  Layout parseLayout(const std::vector<AxisType>& axes);
  IntExpr parseDim();
  IntExpr parseSizeEntry();
  void checkResultType(Val* result, const Type& type);
  void applyAxes(TensorView* tensor, const Type& type);
  void recordMeetings(const Expr* expr);
  void unite(IntExpr a, IntExpr b);
  void checkAssumptions();
  void checkViews();

  // A dim expression with an upper bound of its coefficients, so that constant folding cannot overflow.
  struct Term {
    IntExpr expr;
    double bound;
  };
  Term parseSum(size_t depth);
  Term parseProduct(size_t depth);
  Term parseFactor(size_t depth);
  Term parseFunction(const Token& name, size_t depth);
  Term checkBound(const Token& at, Term term) const;
  IntExpr extentNamed(const Token& name);

  TokenReader& reader_;
  std::unique_ptr<Fusion> fusion_;
  NamedVals values_;
  std::map<std::string, size_t, std::less<>> definedAt_;  // name -> offset
  std::vector<size_t> placeOf_;                           // by value: its offset, or npos
  std::vector<std::pair<size_t, std::string>> statements_;  // updates, and their offsets
  std::vector<const Val*> named_;                         // of the parsed fusion
  std::set<std::string, std::less<>> boundSymbols_;
  std::vector<Token> usedSymbols_;  // in dim expressions of inputs; each must be bound when all inputs are read
  bool inParameters_ = false;
  size_t dimTerms_ = 0;
  size_t opCount_ = 0;
  std::vector<Side> sides_;  // from the outermost branch on
  const uint32_t rngSeed_;
  int64_t randomOps_ = 0;  // so far
  WrittenCalls* const calls_;
  std::vector<size_t> callOf_;  // by id of an expression: its call's place in calls_, or npos; those behind have none

  // A written extent that differs from the inferred one. It is valid only if some op makes the two equal (met_).
  struct Assumption {
    Token place;
    IntExpr written;
    IntExpr inferred;
  };
  DisjointSets met_;
  std::vector<Assumption> assumptions_;
  // Results with `view = true` or `in_place = true`, and where their layout begins.
  std::vector<std::pair<Token, const TensorView*>> views_;
  CopiedViews copies_;
  std::map<std::string, ComplexValue, std::less<>> complexes_;                 // by name; no other value has the name
  std::vector<std::pair<const TensorView*, const TensorView*>> copiedMemory_;  // copies, and the memory of each
  const Parts* parts_ = nullptr;                                               // while the parts of an op are read
  std::set<const Val*> namedInAttributes_;  // scalars; for look-ups
  std::map<const Val*, Val*> onDevice_;     // of tensors on the host; for look-ups
};

}  // namespace fuser::text
