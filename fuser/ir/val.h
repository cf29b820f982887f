#pragma once
// Val: a value of a Fusion: a host scalar (Scalar) or a tensor (TensorView). The Fusion owns it. Ids are dense, so that
// side tables are vectors indexed by id and no order depends on an address.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "fuser/types/dtype.h"
#include "fuser/types/scalar_value.h"

namespace fuser {

class Expr;
class Fusion;

class Val {
 public:
  virtual ~Val() = default;
  Val(const Val&) = delete;
  Val& operator=(const Val&) = delete;

  uint32_t id() const { return id_; }
  DataType dtype() const { return dtype_; }
  Fusion& fusion() const { return *fusion_; }

  // The name without '%'; may be empty. Printing makes names unique (fuser/text/value_names.h); equality ignores them.
  const std::string& name() const { return name_; }
  void setName(std::string name) { name_ = std::move(name); }

  // Null for inputs and literals.
  Expr* definition() const { return definition_; }
  // The expressions that read the value, by id, without repeats.
  const std::vector<Expr*>& uses() const { return uses_; }

  bool isTensor() const { return tensor_; }
  bool isScalar() const { return !tensor_; }
  bool isFusionInput() const { return fusionInput_; }
  bool isFusionOutput() const { return fusionOutput_; }

  // A checked downcast to Scalar or TensorView: a CheckError for the other kind, never null.
  template <class T>
  T* as() {
    FUSER_CHECK(T::kIsTensor == tensor_, "value %", name_, " is of another kind");
    return static_cast<T*>(this);
  }
  template <class T>
  const T* as() const {
    return const_cast<Val*>(this)->as<T>();
  }

  // The id of the value of the original fusion to which this one is bit-identical. nullopt when there is none, or when
  // a rewrite may round differently. Set by cloneInOrderOfUse and markOrigins; clones and exact rewrites copy it.
  std::optional<uint32_t> origin() const { return origin_; }
  void setOrigin(std::optional<uint32_t> origin) { origin_ = origin; }

  // The links that Fusion maintains; for use by Fusion only.
  struct Links {
    Expr*& definition;
    std::vector<Expr*>& uses;
    bool& fusionInput;
    bool& fusionOutput;
  };
  Links links() { return {definition_, uses_, fusionInput_, fusionOutput_}; }

 protected:
  Val(Fusion* fusion, uint32_t id, DataType dtype, bool tensor)
      : fusion_(fusion), id_(id), dtype_(dtype), tensor_(tensor) {}

 private:
  Fusion* fusion_;
  uint32_t id_;
  DataType dtype_;
  bool tensor_;
  bool fusionInput_ = false;
  bool fusionOutput_ = false;
  std::string name_;
  std::optional<uint32_t> origin_;
  Expr* definition_ = nullptr;
  std::vector<Expr*> uses_;
};

// A host scalar: f64, i64 or bool. It is a literal when constant() is set.
class Scalar : public Val {
 public:
  static constexpr bool kIsTensor = false;
  Scalar(Fusion* fusion, uint32_t id, DataType dtype, std::optional<ScalarValue> constant)
      : Val(fusion, id, dtype, false), constant_(std::move(constant)) {}
  const std::optional<ScalarValue>& constant() const { return constant_; }
  bool isConstant() const { return constant_.has_value(); }

 private:
  std::optional<ScalarValue> constant_;
};

}  // namespace fuser
