#include "fuser/ir/clone.h"

#include <algorithm>

#include "fuser/ir/infer.h"

namespace fuser {
namespace {

std::unique_ptr<Fusion> emptyLike(const Fusion& fusion) {
  auto result = std::make_unique<Fusion>(fusion.name());
  result->setConcrete(fusion.isConcrete());
  return result;
}

// Clones values, domains and expressions of one fusion into another.
class Cloner {
 public:
  Cloner(const Fusion& from, Fusion& to, std::unordered_map<const Val*, Val*>& vals)
      : from_(from), to_(to), vals_(vals) {}

  IntExpr operator()(IntExpr expr) {
    if (!expr) return nullptr;
    return to_.ints().import(expr, [&](IntExpr symbol) {
      if (const Val* scalar = from_.scalarOf(symbol)) return to_.scalarSymbol(vals_.at(scalar));
      return to_.extentSymbol(from_.ints().symbolOf(symbol).name);
    });
  }

  IterDomain* operator()(const IterDomain* domain) {
    if (!domain) return nullptr;
    IterDomain*& clone = domains_[domain];
    if (!clone) {
      clone = to_.newIterDomain(domain->type(), (*this)(domain->extent()), (*this)(domain->expandedExtent()));
      clone->parallelize(domain->parallelType());
    }
    return clone;
  }

  std::vector<IterDomain*> operator()(const std::vector<IterDomain*>& domains) {
    std::vector<IterDomain*> clones;
    for (const IterDomain* domain : domains) clones.push_back((*this)(domain));
    return clones;
  }

  TensorDomain wholeDomain(const TensorDomain& domain) {
    TensorDomain clone;
    clone.logical = (*this)(domain.logical);
    clone.allocationOrder = domain.allocationOrder;
    clone.contiguity = domain.contiguity;
    clone.hasFixedLayout = domain.hasFixedLayout;
    clone.view = domain.view;
    clone.inPlace = domain.inPlace;
    clone.mesh = domain.mesh;
    clone.loopRoot = (*this)(domain.loopRoot);
    clone.referencePosition = domain.referencePosition;
    clone.followsReduced = domain.followsReduced;
    clone.extentSet = domain.extentSet;
    for (const LoopTransform& step : domain.transforms) {
      LoopTransform copy;
      if (step.split) {
        copy.split = Split{(*this)(step.split->in), (*this)(step.split->outer), (*this)(step.split->inner),
                           step.split->factor, step.split->whole};
      } else {
        copy.merge = Merge{(*this)(step.merge->outer), (*this)(step.merge->inner), (*this)(step.merge->out)};
      }
      clone.transforms.push_back(copy);
    }
    clone.loop = (*this)(domain.loop);
    return clone;
  }

  // The domain without its schedule. An input loses its reduction axes; a tensor that a kernel computes is not a view.
  TensorDomain logicalDomain(const TensorView* tensor, bool asInput) {
    TensorDomain clone;
    clone.logical = (*this)(asInput ? tensor->axes() : tensor->domain().logical);
    for (IterDomain* axis : clone.logical) axis->parallelize(ParallelType::Serial);
    clone.allocationOrder = tensor->domain().allocationOrder;
    clone.contiguity = tensor->domain().contiguity;
    clone.hasFixedLayout = tensor->domain().hasFixedLayout;
    return clone;
  }

  Val* scalar(const Scalar* scalar) {
    Val* clone = scalar->isConstant() ? to_.newConstant(*scalar->constant()) : to_.newScalar(scalar->dtype());
    return finish(scalar, clone);
  }
  Val* tensor(const TensorView* tensor, TensorDomain domain) {
    TensorView* clone = to_.newTensor(tensor->dtype(), std::move(domain));
    clone->setCpuScalar(tensor->isCpuScalar());
    return finish(tensor, clone);
  }

  void expr(const Expr* expr) {
    Attributes attributes = expr->attributes();
    for (IntExpr& size : attributes.allIntegers()) size = (*this)(size);
    to_.newExpr(expr->op(), mapped(expr->inputs()), mapped(expr->outputs()), std::move(attributes))->spellAs(expr);
  }

  template <class Vals>
  std::vector<Val*> mapped(const Vals& vals) {
    std::vector<Val*> clones;
    for (const Val* val : vals) clones.push_back(vals_.at(val));
    return clones;
  }

 private:
  Val* finish(const Val* val, Val* clone) {
    clone->setName(val->name());
    clone->setOrigin(val->origin());
    vals_[val] = clone;
    return clone;
  }

  const Fusion& from_;
  Fusion& to_;
  std::unordered_map<const Val*, Val*>& vals_;
  std::unordered_map<const IterDomain*, IterDomain*> domains_;
};

// The scalars that extents name, in order of first occurrence.
class ExtentScalars {
 public:
  explicit ExtentScalars(const Fusion& fusion) : fusion_(fusion) {}
  void mention(IntExpr extent) {
    if (!extent) return;
    for (Val* scalar : fusion_.scalarsOf(extent)) {
      if (std::find(found_.begin(), found_.end(), scalar) == found_.end()) found_.push_back(scalar);
    }
  }
  void mentionAll(const Val* val) {
    if (val->isScalar()) return;
    for (const IterDomain* axis : val->as<TensorView>()->domain().logical) {
      mention(axis->extent());
      mention(axis->expandedExtent());
    }
  }
  const std::vector<Val*>& found() const { return found_; }

 private:
  const Fusion& fusion_;
  std::vector<Val*> found_;
};

// The scalars that extents of these expressions' values and attributes name.
std::vector<Val*> extentScalarsOf(const Fusion& fusion, const std::vector<Expr*>& exprs,
                                  const std::vector<Val*>& inputs) {
  ExtentScalars scalars(fusion);
  for (const Val* input : inputs) scalars.mentionAll(input);
  for (const Expr* expr : exprs) {
    for (const Val* output : expr->outputs()) scalars.mentionAll(output);
    for (IntExpr size : expr->attributes().allIntegers()) scalars.mention(size);
  }
  return scalars.found();
}

// A depth-first post-order from the outputs. It is iterative: a deep fusion would overflow the stack.
std::vector<const Expr*> inOrderOfUse(const Fusion& fusion) {
  std::vector<const Expr*> order, stack;
  std::vector<bool> placed(fusion.exprIdCount(), false);
  const auto place = [&](const Expr* root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const Expr* expr = stack.back();
      std::vector<Val*> operands = expr->inputs();
      const std::vector<Val*> scalars = Fusion::extentScalars(expr);
      operands.insert(operands.end(), scalars.begin(), scalars.end());
      const auto isMissing = [&](const Val* val) { return val->definition() && !placed[val->definition()->id()]; };
      const auto next = std::find_if(operands.begin(), operands.end(), isMissing);
      if (next != operands.end()) {
        stack.push_back((*next)->definition());
        continue;
      }
      stack.pop_back();
      if (!placed[expr->id()]) order.push_back(expr);
      placed[expr->id()] = true;
    }
  };
  for (const Val* output : fusion.outputs()) {
    if (output->definition()) place(output->definition());
  }
  for (const Expr* expr : fusion.exprs()) place(expr);
  return order;
}

// Clones the inputs of the part and, after them, the scalars that its extents name. Scalars are cloned first, because
// extents of tensors may name them.
void cloneInputs(Cloner& clone, ClonedPart& part, const std::vector<Val*>& extentScalars) {
  for (Val* scalar : extentScalars) {
    if (std::find(part.inputs.begin(), part.inputs.end(), scalar) == part.inputs.end()) part.inputs.push_back(scalar);
  }
  for (const Val* input : part.inputs) {
    if (input->isScalar()) clone.scalar(input->as<Scalar>());
  }
  for (const Val* input : part.inputs) {
    if (input->isTensor()) clone.tensor(input->as<TensorView>(), clone.logicalDomain(input->as<TensorView>(), true));
  }
  for (const Val* input : part.inputs) part.fusion->addInput(part.vals.at(input));
}

// What the ops read and do not make, without literals, in order of first use.
std::vector<Val*> inputsOf(const Fusion& fusion, const std::vector<OpToClone>& ops) {
  std::vector<const Val*> made;
  std::vector<Val*> inputs;
  for (const OpToClone& op : ops) {
    for (const Val* input : op.inputs) {
      const bool literal = input->isScalar() && input->as<Scalar>()->isConstant();
      if (literal || std::find(made.begin(), made.end(), input) != made.end()) continue;
      // ClonedPart::inputs has non-const values of the original fusion.
      Val* val = fusion.allVals().at(input->id()).get();
      if (std::find(inputs.begin(), inputs.end(), val) == inputs.end()) inputs.push_back(val);
    }
    made.insert(made.end(), op.outputs.begin(), op.outputs.end());
  }
  return inputs;
}

// The axes of an op's result in the layout of `like`, dense without one.
TensorDomain inferredDomain(Fusion& part, const InferredType& type, const TensorView* like) {
  TensorDomain domain;
  for (const AxisType& axis : type.axes) {
    domain.logical.push_back(part.newIterDomain(axis.type, axis.extent, axis.expandedExtent));
  }
  if (!like) return domain;
  domain.allocationOrder = like->domain().allocationOrder;
  domain.contiguity = like->domain().contiguity;
  domain.hasFixedLayout = like->domain().hasFixedLayout;
  const std::vector<IterDomain*> axes = domain.noReductions();
  // The operands decide which axes are broadcast axes: one of them may have the constant 1 where the result has not.
  for (size_t place = 0; place < domain.contiguity.size(); ++place) {
    const bool broadcast = axes[static_cast<size_t>(domain.allocationOrder[place])]->isBroadcast();
    if (broadcast != !domain.contiguity[place]) {
      domain.contiguity[place] = broadcast ? std::nullopt : std::optional<bool>(false);
    }
  }
  return domain;
}

}  // namespace

ClonedFusion cloneFusion(const Fusion& fusion) {
  ClonedFusion result{emptyLike(fusion), {}};
  result.fusion->setMesh(fusion.mesh());
  if (fusion.indexType()) result.fusion->setIndexType(*fusion.indexType());
  Cloner clone(fusion, *result.fusion, result.vals);
  for (const std::unique_ptr<Val>& val : fusion.allVals()) {
    if (val->isScalar()) {
      clone.scalar(val->as<Scalar>());
      continue;
    }
    const TensorView* tensor = val->as<TensorView>();
    TensorView* copy = clone.tensor(tensor, {})->as<TensorView>();
    copy->setMemoryType(tensor->memoryType());
    copy->setComputeAtPosition(tensor->computeAtPosition());
    copy->setComputesWith(tensor->computesWith());
    copy->setTurnsAhead(tensor->turnsAhead());
    copy->pad(tensor->padding());
  }
  // A second pass over the tensors: a size may name a scalar with a larger id, since a pass gives equal sizes one name.
  for (const std::unique_ptr<Val>& val : fusion.allVals()) {
    if (val->isTensor()) {
      result.vals.at(val.get())->as<TensorView>()->domain() = clone.wholeDomain(val->as<TensorView>()->domain());
    }
  }
  for (Val* input : fusion.inputs()) result.fusion->addInput(result.vals.at(input));
  for (const Expr* expr : fusion.liveExprs()) clone.expr(expr);
  for (Val* output : fusion.outputs()) result.fusion->addOutput(result.vals.at(output));
  for (const auto& [output, input] : fusion.aliases()) result.fusion->setAlias(output, result.vals.at(input));
  return result;
}

std::unique_ptr<Fusion> cloneInOrderOfUse(const Fusion& fusion) {
  std::unique_ptr<Fusion> result = emptyLike(fusion);
  result->setMesh(fusion.mesh());
  std::unordered_map<const Val*, Val*> vals;
  Cloner clone(fusion, *result, vals);
  const auto copy = [&](const Val* val) {
    Val* newVal = val->isScalar()
                      ? clone.scalar(val->as<Scalar>())
                      : clone.tensor(val->as<TensorView>(), clone.wholeDomain(val->as<TensorView>()->domain()));
    newVal->setOrigin(val->id());
  };
  // Scalars first: extents of tensors may name them.
  for (const bool scalars : {true, false}) {
    for (const Val* input : fusion.inputs()) {
      if (input->isScalar() == scalars) copy(input);
    }
  }
  for (const Val* input : fusion.inputs()) result->addInput(vals.at(input));
  for (const Expr* expr : inOrderOfUse(fusion)) {
    for (const Val* operand : expr->inputs()) {
      if (vals.count(operand) == 0) copy(operand);  // a literal
    }
    for (const Val* output : expr->outputs()) copy(output);
    clone.expr(expr);
  }
  for (const Val* output : fusion.outputs()) {
    if (vals.count(output) == 0) copy(output);  // a literal
    result->addOutput(vals.at(output));
  }
  for (const auto& [output, input] : fusion.aliases()) result->setAlias(output, vals.at(input));
  return result;
}

IntExpr cloneExtent(const Fusion& fusion, ClonedFusion& clone, IntExpr extent) {
  return Cloner(fusion, *clone.fusion, clone.vals)(extent);
}

ClonedPart clonePart(const Fusion& fusion, const std::vector<Expr*>& exprs, const std::vector<Val*>& inputs,
                     const std::vector<Val*>& outputs) {
  ClonedPart part{emptyLike(fusion), {}, inputs};
  Cloner clone(fusion, *part.fusion, part.vals);
  cloneInputs(clone, part, extentScalarsOf(fusion, exprs, inputs));
  for (const Expr* expr : exprs) {
    for (const Val* operand : expr->inputs()) {
      if (part.vals.count(operand)) continue;
      FUSER_CHECK(operand->isScalar() && operand->as<Scalar>()->isConstant(), "%", operand->name(),
                  " is neither an input of the part nor made in it");
      clone.scalar(operand->as<Scalar>());
    }
    for (const Val* output : expr->outputs()) {
      FUSER_CHECK(!part.vals.count(output), "%", output->name(), " is an input of the part and made in it");
      if (output->isScalar()) {
        clone.scalar(output->as<Scalar>());
      } else {
        clone.tensor(output->as<TensorView>(), clone.logicalDomain(output->as<TensorView>(), false));
      }
    }
    clone.expr(expr);
  }
  for (const Val* output : outputs) part.fusion->addOutput(part.vals.at(output));
  return part;
}

ClonedPart cloneOps(const Fusion& fusion, std::vector<OpToClone> ops, const std::vector<const TensorView*>& outputs) {
  ClonedPart part{emptyLike(fusion), {}, {}};
  Cloner clone(fusion, *part.fusion, part.vals);
  part.inputs = inputsOf(fusion, ops);
  ExtentScalars scalars(fusion);
  for (const OpToClone& op : ops) {
    for (IntExpr size : op.attributes.allIntegers()) scalars.mention(size);
  }
  for (const Val* input : part.inputs) scalars.mentionAll(input);
  cloneInputs(clone, part, scalars.found());
  for (OpToClone& op : ops) {
    for (const Val* input : op.inputs) {
      if (!part.vals.count(input)) clone.scalar(input->as<Scalar>());
    }
    for (IntExpr& size : op.attributes.allIntegers()) size = clone(size);
    const std::vector<Val*> operands = clone.mapped(op.inputs);
    const InferredType type = infer(*part.fusion, op.op, operands, op.attributes);
    for (const TensorView* output : op.outputs) {
      const bool keepsLayout = std::find(outputs.begin(), outputs.end(), output) != outputs.end();
      clone.tensor(output, inferredDomain(*part.fusion, type, keepsLayout ? output : nullptr));
    }
    Expr* made = part.fusion->newExpr(op.op, operands, clone.mapped(op.outputs), std::move(op.attributes));
    const Expr* like = op.outputs[0]->definition();
    if (like && like->op() == op.op) made->spellAs(like);
  }
  for (const TensorView* output : outputs) part.fusion->addOutput(part.vals.at(output));
  return part;
}

}  // namespace fuser
