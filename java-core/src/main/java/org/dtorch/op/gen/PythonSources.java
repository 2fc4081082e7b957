package org.dtorch.op.gen;

/** The parts of the generated Python module that are the same for every table. */
final class PythonSources {
    private PythonSources() {}

    static final String HEAD =
            """
            \"""The operators as Python functions and methods; generated from the operator table, do not edit.

            A line of a table is one function: name, operator, parameters, body, and what its arguments must be. It is compiled when
            it is first asked for. Each makes one call into Java, through the entries of _bridge.
            \"""

            from ._bridge import call0, call1, call2, call3, call4, call5, call6, call7, call8
            from ._bridge import create1, create2, create3, create4, op, wrap, wrap_all
            """;

    static final String MACHINERY =
            """
            class _Missing:
                \"""The default of a parameter that may be given under another name.\"""

                def __repr__(self):
                    return "<required>"


            _MISSING = _Missing()
            _TENSOR = ()
            _result_types = {}
            _lines = {}
            _docs = {}


            def _operand(x):
                return x._j if isinstance(x, _TENSOR) else x


            def _raw(x):
                return getattr(x, "_j", x)


            def _raws(placements):
                if placements is None or hasattr(placements, "_j"):
                    return placements if placements is None else [placements._j]
                try:
                    return [_raw(p) for p in placements]
                except TypeError:
                    return [placements]


            def _tensors(tensors):
                if isinstance(tensors, _TENSOR):
                    raise TypeError
                if len(tensors) == 1 and not isinstance(tensors[0], _TENSOR):
                    tensors = tensors[0]
                return [t._j for t in tensors]


            def _sequence(given, named):
                \"""The integers of *size: one by one, as one sequence, or by keyword.\"""
                if named is not None:
                    return named
                return given[0] if len(given) == 1 and not hasattr(given[0], "__index__") else given


            def _returns(name, fields):
                \"""The class of several results, torch.return_types.max and the like.\"""
                found = _result_types.get(name)
                if found is None:
                    from collections import namedtuple

                    class _Results(namedtuple(name, fields)):
                        __slots__ = ()

                        def __repr__(self):
                            inside = ",\\n".join(f"{field}={value!r}" for field, value in zip(self._fields, self))
                            return f"torch.return_types.{name}(\\n{inside})"

                    _Results.__name__ = _Results.__qualname__ = name
                    _Results.__module__ = "torch.return_types"
                    found = _result_types[name] = _Results
                return found


            def _matches(value, kind):
                if value is None:
                    return kind.endswith("?")
                kind = kind.rstrip("?")
                if kind == "any":
                    return True
                if isinstance(value, _TENSOR):
                    return kind in ("Tensor", "Tensor-or-Number")
                if kind in ("Number", "Tensor-or-Number"):
                    return isinstance(value, (int, float)) or hasattr(value, "__float__")
                if kind == "int":
                    return not isinstance(value, bool) and hasattr(value, "__index__")
                if kind == "ints":
                    if isinstance(value, (list, tuple)):
                        return all(hasattr(v, "__index__") for v in value)
                    return not isinstance(value, (bool, str)) and (hasattr(value, "__index__") or hasattr(value, "__iter__"))
                if kind == "bool":
                    return isinstance(value, int)
                if kind == "str":
                    return isinstance(value, str)
                if kind == "Tensors":
                    return not isinstance(value, str) and hasattr(value, "__iter__")
                return False


            def _parameters(types):
                \"""(names, kind, required, keyword only, varargs) of each parameter.\"""
                found = []
                for part in types.split():
                    declared = part.lstrip("*")
                    names, kind = declared.split(":")
                    stars = len(part) - len(declared)
                    found.append((names.split("|"), kind.rstrip("="), not kind.endswith("="), stars == 1, stars == 2))
                return found


            def _complaint(name, types, given):
                \"""What is wrong with the arguments of a call, or None.\"""
                for names, kind, required, _, varargs in _parameters(types):
                    value = given.get(names[0], _MISSING)
                    if value is _MISSING:
                        if required and not varargs:
                            return f"{name}() missing 1 required positional argument: '{names[0]}'"
                    elif not (_matches(value, kind) or (value is None and not required)):
                        if varargs and value is None:
                            continue
                        wanted = kind.rstrip("?").replace("-or-", " or ").replace("Tensors", "list of Tensors")
                        wanted = wanted.replace("ints", "int or sequence of ints")
                        return f"{name}(): argument '{names[0]}' must be {wanted}, not {type(value).__name__}"
                return None


            def _compile(name, operator, parameters, body, types, namespace):
                dotted = f"{namespace}.{name}" if namespace != "dtorch" else name
                indented = "\\n        ".join(body.split("; "))
                # A wrong type shows as a failure on the way into Java; only then are the arguments looked at one by one.
                failed = "return NotImplemented" if name.startswith("__") else "raise TypeError(complaint) from None"
                source = (
                    f"def {name}({parameters}):\\n"
                    f"    try:\\n"
                    f"        {indented}\\n"
                    f"    except (AttributeError, TypeError):\\n"
                    f"        complaint = _complaint(_name, _types, locals())\\n"
                    f"        if complaint is None:\\n"
                    f"            raise\\n"
                    f"        {failed}\\n"
                )
                scope = dict(globals())
                scope.update(_op=op(operator), _name=name, _types=types)
                if "_op_inplace" in body:
                    scope["_op_inplace"] = op(operator + "_")
                exec(compile(source, f"<{dotted}>", "exec"), scope)
                function = scope[name]
                function.__doc__ = _doc(operator)
                function.__module__ = "dtorch" if namespace in ("dtorch", "Tensor") else f"dtorch.{namespace}"
                function.__qualname__ = f"Tensor.{name}" if namespace == "Tensor" else name
                return function


            def _doc(operator):
                if not _docs:
                    _docs.update(line.split("\\t", 1) for line in _DOCS.strip().split("\\n"))
                return _docs[operator]


            def _fits(parameters, args, kwargs):
                taken = set()
                position = 0
                for names, kind, required, keyword_only, varargs in parameters:
                    if varargs:
                        position = len(args)
                        continue
                    if position < len(args) and not keyword_only:
                        if not _matches(args[position], kind):
                            return False
                        position += 1
                        continue
                    key = next((name for name in names if name in kwargs), None)
                    if key is None:
                        if required:
                            return False
                    elif not (_matches(kwargs[key], kind) or (kwargs[key] is None and not required)):
                        return False
                    else:
                        taken.add(key)
                return position == len(args) and len(taken) == len(kwargs)


            def _overloads(name, candidates):
                \"""One function for several rows of one name, told apart by their arguments.\"""
                choices = [(function, _parameters(types)) for function, types in candidates]

                def chosen(*args, **kwargs):
                    for function, parameters in choices:
                        if _fits(parameters, args, kwargs):
                            return function(*args, **kwargs)
                    got = ", ".join([type(a).__name__ for a in args] + [f"{k}={type(v).__name__}" for k, v in kwargs.items()])
                    legal = "\\n".join(f" * ({types})" for _, types in candidates)
                    raise TypeError(
                        f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\\n{legal}"
                    )

                chosen.__name__ = name
                chosen.__qualname__ = candidates[0][0].__qualname__
                chosen.__module__ = candidates[0][0].__module__
                chosen.__doc__ = "\\n".join(function.__doc__ for function, _ in candidates)
                return chosen


            def _table(namespace):
                \"""The lines of a namespace by name; there are several for an overloaded one.\"""
                found = _lines.get(namespace)
                if found is None:
                    found = _lines[namespace] = {}
                    for line in _TABLES[namespace].strip().split("\\n"):
                        name = line[: line.index("\\t")]
                        found.setdefault(name, []).append(line)
                return found


            def names(namespace):
                \"""All names of a namespace: dtorch, nn.functional, linalg or Tensor.\"""
                return list(_table(namespace))


            def function(namespace, name):
                \"""The function of that name, compiled now; None if there is none.\"""
                lines = _table(namespace).get(name)
                if lines is None:
                    return None
                rows = [line.split("\\t") for line in lines]
                made = [(_compile(*row, namespace), row[4]) for row in rows]
                return made[0][0] if len(made) == 1 else _overloads(name, made)


            class _Method:
                \"""Stands in the class for a method until it is first used.\"""

                __slots__ = ("name",)

                def __init__(self, name):
                    self.name = name

                def __get__(self, instance, owner=None):
                    made = function("Tensor", self.name)
                    setattr(_TENSOR, self.name, made)
                    return made if instance is None else made.__get__(instance, owner)


            def install_methods(cls):
                \"""Gives cls, the class of tensors, all methods and operators that it does not define itself.\"""
                global _TENSOR
                _TENSOR = cls
                own = cls.__dict__
                for name in _table("Tensor"):
                    if name not in own:
                        setattr(cls, name, _Method(name))
            """;
}
