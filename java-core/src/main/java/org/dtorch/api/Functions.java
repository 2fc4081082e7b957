package org.dtorch.api;
import org.dtorch.op.*;
abstract class Functions { protected abstract CreationOptions defaults(); public abstract Tensor[] call(Op op, Object... args); }
