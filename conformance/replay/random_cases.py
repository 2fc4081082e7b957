"""Random cases as data, and how to run one: a seed and a list of calls that follow each other on one stream.

    {"seed": 0, "calls": [["rand", [5], "float32"], ["randn", [16], "float64"]]}

PyTorch's stream depends on sizes (normal values come in blocks from 16 elements on) and on leftovers of earlier calls,
hence the sizes around 16 and the sequences. Pure Python, shared by recorder and replay.
"""

# How many leading and trailing values a golden keeps.
ENDS = 4
SIZES = (
    [],
    [1],
    [2],
    [5],
    [15],
    [16],
    [17],
    [31],
    [32],
    [33],
    [3, 7],
    [4, 8],
    [0],
    [2, 0],
    [640],
    [1000],
    [37, 53],
    [100000],
)
REAL = ("float32", "float64", "float16", "bfloat16")
INTEGER = ("int64", "int32", "int16", "int8", "uint8")


def cases() -> list:
    found = []

    def add(seed, *calls):
        found.append({"seed": seed, "calls": [list(call) for call in calls]})

    for name in ("rand", "randn"):
        for dtype in REAL:
            for size in SIZES:
                add(0, (name, size, dtype))
        for seed in (1, 42, 123456789, 2**32 + 5, 2**63 - 1, -1):
            add(seed, (name, [20], "float32"), (name, [20], "float64"))
        for dtype in REAL:
            add(7, (name, [5], dtype), (name, [5], dtype), (name, [16], dtype), (name, [3], dtype))
    for dtype in ("int64", "int32", "int16", "int8", "uint8", "float32", "bool"):
        high = 2 if dtype == "bool" else 100
        for size in ([], [1], [16], [17], [1000], [0]):
            add(0, ("randint", 0, high, size, dtype))
        if dtype not in ("uint8", "bool"):
            add(3, ("randint", -50, 50, [20], dtype))
    for low, high in [(0, 1), (0, 2**31), (0, 2**32), (-(2**33), 2**33), (0, 2**40), (-(2**63), 2**63 - 1)]:
        add(1, ("randint", low, high, [18], "int64"))
    for n in (0, 1, 2, 5, 16, 100, 1000, 30000):
        add(0, ("randperm", n))
    add(5, ("randperm", 10), ("randperm", 10), ("rand", [3], "float32"))
    for dtype in REAL:
        for size in ([5], [16], [40], [1000]):
            add(2, ("normal_", size, dtype, 1.5, 0.25))
            add(2, ("uniform_", size, dtype, -2.0, 3.0))
        add(2, ("normal_", [5], dtype, 0.0, 1.0), ("uniform_", [5], dtype, 0.0, 1.0), ("randn", [7], dtype))
        add(2, ("bernoulli_", [20], dtype, 0.3))
    # Mixed sequences: odd counts leave a second normal value behind, which the next call takes or must not take.
    add(11, ("randn", [1], "float32"), ("randn", [1], "float32"), ("rand", [1], "float32"), ("randn", [1], "float32"))
    add(11, ("randn", [3], "float64"), ("rand", [2], "float64"), ("randn", [3], "float64"), ("randn", [16], "float64"))
    add(
        11,
        ("randn", [3], "float32"),
        ("randn", [3], "float64"),
        ("randint", 0, 9, [4], "int64"),
        ("randn", [2], "float32"),
    )
    add(
        11, ("randn", [17], "float32"), ("randn", [1], "float32"), ("randn", [15], "float32"), ("rand", [16], "float32")
    )
    add(11, ("rand", [623], "float32"), ("rand", [5], "float32"), ("randn", [1000], "float32"), ("randperm", 7))
    add(11, ("randn", [5], "float32"), ("manual_seed", 11), ("randn", [5], "float32"))
    for name, args in [
        ("uniform_", [-0.5, 0.5]),
        ("normal_", [0.0, 0.02]),
        ("trunc_normal_", []),
        ("trunc_normal_", [0.0, 0.02, -0.04, 0.04]),
        ("xavier_uniform_", []),
        ("xavier_normal_", [2.0]),
        ("kaiming_uniform_", []),
        ("kaiming_uniform_", [2.23606797749979]),
        ("kaiming_normal_", []),
        ("constant_", [0.3]),
        ("ones_", []),
        ("zeros_", []),
        ("eye_", []),
    ]:
        for size in ([3, 4], [8, 16], [2, 3, 4]):
            if name == "eye_" and len(size) != 2:
                continue
            add(4, ("init", name, size, "float32", args))
        add(4, ("init", name, [5, 7], "float64", args))
    for size in ([4, 3], [16, 16], [100, 33]):
        add(0, ("layer", "Linear", size, {}))
        add(0, ("layer", "Linear", size, {"bias": False}))
        add(0, ("layer", "Embedding", size, {}))
    add(0, ("layer", "LayerNorm", [6], {}), ("layer", "RMSNorm", [6], {}), ("layer", "GroupNorm", [2, 6], {}))
    add(0, ("layer", "Conv2d", [3, 4, 3], {}))
    add(
        9,
        ("layer", "Embedding", [11, 6], {}),
        ("layer", "Linear", [6, 8], {}),
        ("layer", "Linear", [8, 6], {}),
        ("rand", [3], "float32"),
    )
    return found


def run(library, case: dict) -> list:
    """The tensors of all calls, in order."""
    library.manual_seed(case["seed"])
    results = []
    for name, *args in case["calls"]:
        if name in ("rand", "randn"):
            size, dtype = args
            results.append(getattr(library, name)(size, dtype=getattr(library, dtype)))
        elif name == "randint":
            low, high, size, dtype = args
            results.append(library.randint(low, high, size, dtype=getattr(library, dtype)))
        elif name == "randperm":
            results.append(library.randperm(args[0]))
        elif name in ("normal_", "uniform_", "bernoulli_"):
            size, dtype, *values = args
            tensor = library.zeros(size, dtype=getattr(library, dtype))
            results.append(getattr(tensor, name)(*values))
        elif name == "manual_seed":
            library.manual_seed(args[0])
        elif name == "init":
            init, size, dtype, values = args
            tensor = library.zeros(size, dtype=getattr(library, dtype))
            getattr(library.nn.init, init)(tensor, *values)
            results.append(tensor)
        elif name == "layer":
            layer, size, options = args
            results.extend(getattr(library.nn, layer)(*size, **options).parameters())
        else:
            raise ValueError(f"unknown call {name!r}")
    return results
