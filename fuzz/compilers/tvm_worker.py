"""tvm_worker.py VIEW: runs exported models (fuserfuzz export --to=onnx) on TVM: Relax, compiled by LLVM for this processor.

  fused         its pipeline "zero", which fuses operators into kernels
  unfused       without it: a kernel an operator
  unoptimised   fused, for any x86-64 processor, and LLVM at level 0

A switch is a pass that a compilation can do without, or an operator of ONNX, which then runs in ONNX's interpreter.
"""

import re
import sys

from worker_protocol import COMPILE_ERROR, RUN_ERROR, UNSUPPORTED, error_text
from onnx_models import Failed, operators_of, run_in_parts, serve_models

import numpy as np
import tvm
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx

PASSES = ("FoldConstant", "FuseOps", "FuseTIR", "RewriteDataflowReshape", "StaticPlanBlockMemory", "s_tir.StmtSimplify",
          "tirx.CommonSubexprElim", "tirx.NarrowDataType", "tirx.VectorizeLoop", "s_tir.UnrollLoop")


class Tvm:
    version = f"tvm {tvm.__version__}"

    def __init__(self, view):
        kind = {"kind": "llvm"}
        kind |= {"opt-level": 0} if view == "unoptimised" else {"mcpu": tvm.target.codegen.llvm_get_system_cpu()}
        self.target, self.is_fused = tvm.target.Target(kind), view != "unfused"

    def run(self, model, arrays, off):
        passes, operators = [name for name in off if name in PASSES], [name for name in off if name not in PASSES]
        if not operators:
            return self.run_part(model, arrays, passes)
        return run_in_parts(model, arrays, operators, lambda part, values: self.run_part(part, values, passes))

    def run_part(self, model, arrays, off):
        try:
            # It takes a size of 0 for an unknown one where it is not told.
            module = from_onnx(model, shape_dict={name: list(array.shape) for name, array in arrays.items()})
            with tvm.transform.PassContext(opt_level=3, disabled_pass=off):
                if self.is_fused:
                    module = relax.get_pipeline("zero")(module)
                machine = relax.VirtualMachine(tvm.compile(module, self.target), tvm.cpu())
        except Exception as error:
            raise failure(COMPILE_ERROR, error) from error
        try:
            results = machine["main"](*[tvm.runtime.tensor(np.array(array)) for array in arrays.values()])
            results = [results] if len(model.graph.output) == 1 else results
            return [array_of(result) for result in results]
        except Exception as error:
            raise failure(RUN_ERROR, error) from error

    def switches(self, model):
        return [*PASSES, *operators_of(model)]


def array_of(result):
    if not isinstance(result, tvm.runtime.Tensor):
        raise TypeError(f"an output is a {type(result).__name__} instead of a tensor")
    return result.numpy()


# What TVM says that it does not have.
LACKS = re.compile(r"^OpNotImplemented|not supported|not implemented|[Uu]nsupported|Invalid target dimension|"
                   r"Cannot decide m(?:ax|in)_value for type|cannot handle ShapeExpr inputs")


def failure(kind, error):
    """The first line, and the next one where it introduces that, without places in its sources."""
    first, *others = [line.strip() for line in error_text(error).splitlines() if line.strip()]
    text = f"{first} {others[0]}" if first.endswith(":") and others else first
    return Failed(UNSUPPORTED if LACKS.search(text) else kind, re.sub(r"\S+\.(?:cc|py|h):\d+:?", "", text))


serve_models(Tvm(sys.argv[1]))
