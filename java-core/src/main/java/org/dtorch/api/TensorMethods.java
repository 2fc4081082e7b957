package org.dtorch.api;
import org.dtorch.op.Op;
abstract class TensorMethods { protected abstract Tensor[] calls(Op op, Object... args); }
