package org.dtorch.comm;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Operand;
import org.dtorch.placement.ReduceOp;
import org.dtorch.values.DTorchError;

/** Collectives between devices whose memory is host memory of this process; every call has all members' operands. */
public final class InMemoryCommunicator implements Communicator {
    private final HostMath math;

    /**
     * @param host computes on host memory
     */
    public InMemoryCommunicator(Backend host) {
        this.math = new HostMath(host);
    }

    @Override
    public void allGather(Group group, int dim, Operand[] in, Operand[] out) {
        new Check(Collective.ALL_GATHER, group, in, out).gathers(dim);
        for (Operand target : different(out)) {
            long start = 0;
            for (Operand piece : in) {
                long size = piece.sizes()[dim];
                math.copy(piece, HostMath.slice(target, dim, start, size));
                start += size;
            }
        }
    }

    @Override
    public void reduceScatter(Group group, int dim, ReduceOp op, Operand[] in, Operand[] out) {
        Check check = new Check(Collective.REDUCE_SCATTER, group, in, out);
        check.scatters(dim);
        check.reduces(op);
        long start = 0;
        for (int r = 0; r < out.length; r++) {
            long from = start;
            long size = out[r].sizes()[dim];
            Operand[] parts = Arrays.stream(in)
                    .map(whole -> HostMath.slice(whole, dim, from, size))
                    .toArray(Operand[]::new);
            math.reduce(op, parts, List.of(out[r]));
            start += size;
        }
    }

    @Override
    public void allReduce(Group group, ReduceOp op, Operand[] in, Operand[] out) {
        Check check = new Check(Collective.ALL_REDUCE, group, in, out);
        check.allAlike();
        check.reduces(op);
        math.reduce(op, in, different(out));
    }

    @Override
    public void allToAll(Group group, int fromDim, int toDim, Operand[] in, Operand[] out) {
        new Check(Collective.ALL_TO_ALL, group, in, out).exchanges(fromDim, toDim);
        long toStart = 0;
        for (int r = 0; r < out.length; r++) {
            long toSize = out[r].sizes()[toDim];
            long fromStart = 0;
            for (int s = 0; s < in.length; s++) {
                long fromSize = in[s].sizes()[fromDim];
                Operand part = HostMath.slice(in[s], toDim, toStart, toSize);
                math.copy(part, HostMath.slice(out[r], fromDim, fromStart, fromSize));
                fromStart += fromSize;
            }
            toStart += toSize;
        }
    }

    @Override
    public void broadcast(Group group, int root, Operand[] in, Operand[] out) {
        Check check = new Check(Collective.BROADCAST, group, in, out);
        check.spreads(root);
        for (Operand target : different(out)) {
            math.copy(in[root], target);
        }
    }

    @Override
    public void move(Group group, Move[] moves) {
        for (Move move : moves) {
            Check.move(group, move);
        }
        for (Move move : moves) {
            math.copy(move.from(), move.to());
        }
    }

    /** The outputs that are there, each place in memory once. */
    private static List<Operand> different(Operand[] out) {
        List<Operand> result = new ArrayList<>(out.length);
        Set<Long> seen = new HashSet<>();
        Operand last = null;
        for (Operand operand : out) {
            if (operand != null && operand != last && (operand.numel() == 0 || seen.add(HostMath.address(operand)))) {
                result.add(operand);
            }
            last = operand;
        }
        return result;
    }

    /** Refuses operands that do not fit together, before anything is written. */
    private record Check(Collective collective, Group group, Operand[] in, Operand[] out) {
        Check {
            if (in.length != group.size() || out.length != group.size()) {
                throw DTorchError.layout(
                        "%s on %s of %d members was given %d inputs and %d outputs",
                        collective, group, group.size(), in.length, out.length);
            }
        }

        void gathers(int dim) {
            allPresent(in, "input");
            long total = 0;
            for (int r = 0; r < in.length; r++) {
                same("input", r, in[r], dim, -1);
                total += in[r].sizes()[dim];
            }
            for (int r = 0; r < out.length; r++) {
                if (out[r] != null) {
                    same("output", r, out[r], dim, total);
                }
            }
        }

        void scatters(int dim) {
            allPresent(in, "input");
            allPresent(out, "output");
            long total = 0;
            for (int r = 0; r < in.length; r++) {
                same("input", r, in[r], -1, 0);
                same("output", r, out[r], dim, -1);
                total += out[r].sizes()[dim];
            }
            if (total != in[0].sizes()[dim]) {
                throw mismatch("the outputs' sizes along dim " + dim + " add up to " + total, 0, text(in[0]));
            }
        }

        void allAlike() {
            allPresent(in, "input");
            for (int r = 0; r < in.length; r++) {
                same("input", r, in[r], -1, 0);
                if (out[r] != null) {
                    same("output", r, out[r], -1, 0);
                }
            }
        }

        void exchanges(int fromDim, int toDim) {
            allPresent(in, "input");
            allPresent(out, "output");
            long from = 0;
            long to = 0;
            for (int r = 0; r < in.length; r++) {
                same("input", r, in[r], fromDim, -1);
                from += in[r].sizes()[fromDim];
                to += out[r].sizes()[toDim];
            }
            if (to != in[0].sizes()[toDim]) {
                throw mismatch("the outputs' sizes along dim " + toDim + " add up to " + to, 0, text(in[0]));
            }
            for (int r = 0; r < out.length; r++) {
                long[] sizes = in[0].sizes().clone();
                sizes[fromDim] = from;
                sizes[toDim] = out[r].sizes()[toDim];
                if (out[r].dtype() != in[0].dtype() || !Arrays.equals(out[r].sizes(), sizes)) {
                    throw mismatch(
                            "output of member " + r + " is " + text(out[r]),
                            r,
                            in[0].dtype().torchName() + Arrays.toString(sizes) + " is needed; its input is "
                                    + text(in[r]));
                }
            }
        }

        void spreads(int root) {
            if (root < 0 || root >= group.size() || in[root] == null) {
                throw DTorchError.layout("%s on %s: root %d has no input", collective, group, root);
            }
            for (int r = 0; r < out.length; r++) {
                Operand target = out[r];
                if (target != null
                        && (target.dtype() != in[root].dtype() || !Arrays.equals(target.sizes(), in[root].sizes()))) {
                    throw mismatch("output of member " + r + " is " + text(target), root, text(in[root]));
                }
            }
        }

        void reduces(ReduceOp op) {
            if (op == ReduceOp.AVG && !in[0].dtype().isFloating()) {
                throw DTorchError.type(
                        "%s on %s: an average needs a floating dtype, got %s", collective, group, in[0].dtype());
            }
        }

        static void move(Group group, Move move) {
            if (move.from() == null || move.to() == null) {
                throw DTorchError.layout(
                        "%s on %s: the block from member %d to %d belongs to another process",
                        Collective.MOVE, group, move.fromMember(), move.toMember());
            }
            if (move.from().dtype() != move.to().dtype()
                    || !Arrays.equals(move.from().sizes(), move.to().sizes())) {
                throw DTorchError.layout(
                        "%s on %s: member %d sends %s, member %d expects %s",
                        Collective.MOVE, group, move.fromMember(), text(move.from()), move.toMember(), text(move.to()));
            }
        }

        private void allPresent(Operand[] operands, String role) {
            for (int r = 0; r < operands.length; r++) {
                if (operands[r] == null) {
                    throw DTorchError.layout(
                            "%s on %s: the %s of member %d belongs to another process", collective, group, role, r);
                }
            }
        }

        /** Dtype and sizes as input 0's, but {@code size} along {@code free}, or anything there if that is -1. */
        private void same(String role, int member, Operand operand, int free, long size) {
            Operand model = in[0];
            boolean fits = operand.dtype() == model.dtype() && operand.rank() == model.rank();
            for (int d = 0; fits && d < model.rank(); d++) {
                long wanted = d != free ? model.sizes()[d] : size;
                fits = wanted == -1 || operand.sizes()[d] == wanted;
            }
            if (!fits) {
                String along = free >= 0 && size >= 0 ? ", and size " + size + " along dim " + free + " is needed" : "";
                throw mismatch(role + " of member " + member + " is " + text(operand), 0, text(model) + along);
            }
        }

        private DTorchError mismatch(String what, int member, String other) {
            return DTorchError.layout(
                    "%s on %s: %s, while input of member %d is %s", collective, group, what, member, other);
        }

        private static String text(Operand operand) {
            return operand.dtype().torchName() + Arrays.toString(operand.sizes());
        }
    }
}
