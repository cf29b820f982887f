#pragma once
// A fusion whose values may be views of each other's memory, and host programs over it.

#include <gtest/gtest.h>

#include <string>

#include "fuser/host_ir/host_ir_container.h"
#include "fuser/ir/builder.h"

namespace fuser {

// f(%x: f32[i0, i1]) { %t = set(%x); %a, %b, %c = set of the one before; %y = set(%c); return %y }
struct AliasChain : testing::Test {
  AliasChain() {
    x = build::input(fusion, DataType::Float, {fusion.extentSymbol("i0"), fusion.extentSymbol("i1")}, "x");
    t = build::set(fusion, x, "t");
    a = build::set(fusion, t, "a");
    b = build::set(fusion, a, "b");
    c = build::set(fusion, b, "c");
    y = build::set(fusion, c, "y");
    fusion.addOutput(y);
    for (TensorView* view : {a, b, c}) view->domain().view = true;
  }

  HostIrContainer parse(const std::string& body) {
    return parseHostIr(concat("host f(%x: f32[i0, i1]) {\n", body, "  return %y\n}\n"), fusion, {});
  }
  std::string parseError(const std::string& body) {
    try {
      parse(body);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }

  Fusion fusion{"f"};
  TensorView *x, *t, *a, *b, *c, *y;
};

inline constexpr const char* kChain = "  view %a of %t\n  view %b of %a\n  view %c of %b\n";

}  // namespace fuser
