import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Source;

/** What the start-up cache learns from: a context as the launcher makes it, imports of common modules, some hot code. */
public final class Train {
    private static final String WORK =
            """
            import sys, os, math, json, re, time, collections, functools, itertools, contextlib, dataclasses, enum
            import types, typing, inspect, abc, copy, io, argparse, random, traceback, warnings, weakref, string, struct
            import importlib.util, pathlib, operator, threading, logging, hashlib, tempfile, textwrap, runpy

            @dataclasses.dataclass
            class Point:
                x: int
                y: float = 1.5

            class Base:
                def __init__(self, **kw):
                    self.__dict__.update(kw)
                def __call__(self, *args, **kw):
                    return self.forward(*args, **kw)
                def __getattr__(self, name):
                    raise AttributeError(name)

            class Child(Base):
                def forward(self, a, *, b=2):
                    return f"{a:>8.3f}|{b!r}"

            def fib(n):
                return n if n < 2 else fib(n - 1) + fib(n - 2)

            def main():
                fib(20)
                for i in range(300):
                    Child(k=i)(1.0, b=[i])
                    json.loads(json.dumps({"a": [1, 2.5, None, True], "b": {"c": str(i)}}))
                    re.match(r"(\\w+)-(\\d+)", "abc-%d" % i)
                    sorted(range(50), key=lambda v: -v)
                    try:
                        Child().missing
                    except AttributeError as e:
                        str(e)
                source = "def f(a, b=1, *c, **d):\\n    with open(a) as g:\\n        return [x for x in g if x]\\n" * 50
                compile(source, "generated.py", "exec")
                parser = argparse.ArgumentParser()
                parser.add_argument("--mesh", default="")
                parser.parse_args(["--mesh", "tp=2"])
                print("trained", Point(1))

            main()
            """;

    private Train() {}

    public static void main(String[] arguments) {
        try (Engine engine = Engine.newBuilder("python")
                        .option("engine.WarnInterpreterOnly", "false")
                        .build();
                Context context = Context.newBuilder("python")
                        .engine(engine)
                        .allowExperimentalOptions(true)
                        .allowAllAccess(true)
                        .allowHostAccess(HostAccess.EXPLICIT)
                        .arguments("python", new String[] {"train.py"})
                        .option("python.InstallSignalHandlers", "true")
                        .option("python.AlwaysRunExcepthook", "true")
                        .build()) {
            context.eval(Source.newBuilder("python", WORK, "train.py").buildLiteral());
            System.out.println(engine.getImplementationName());
        }
    }
}
