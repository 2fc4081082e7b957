"""The meshes and placements that every golden case runs over besides one device."""

from recipes import hashed, numel

MESHES = [(2,), (3,), (2, 2)]
# Per mesh, the placements tried: a tensor dim for every mesh dim, or "mixed" for a different draw per tensor.
PLANS = {
    (2,): [(0,), (1,), ("mixed",)],
    (3,): [(0,), ("mixed",)],
    (2, 2): [(0, 1), (0, 0), ("mixed", "mixed")],
}


def placements(library, spec: dict, plan: tuple, seed: int, partial: bool) -> list:
    """The placements of one input under a plan; a tensor without the wanted dim is replicated."""
    rank = len(spec["t"])
    result = []
    for mesh_dim, choice in enumerate(plan):
        if choice == "mixed":
            # Equal shares of Replicate, Partial (where allowed) and every tensor dim.
            draw = hashed(seed, mesh_dim) % (rank + 2)
            may_be_partial = partial and spec["d"] != "bool" and "l" not in spec and numel(spec["t"]) > 0
            if draw == rank:
                result.append(library.Replicate())
            elif draw == rank + 1:
                result.append(library.Partial() if may_be_partial else library.Replicate())
            else:
                result.append(library.Shard(draw))
        elif choice < rank:
            result.append(library.Shard(choice))
        else:
            result.append(library.Replicate())
    return result
