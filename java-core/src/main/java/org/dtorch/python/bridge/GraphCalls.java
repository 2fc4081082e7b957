package org.dtorch.python.bridge;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.dtorch.api.DTorch;
import org.dtorch.comm.CommunicationRecord;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.random.Generator;
import org.dtorch.runtime.MemoryStats;
import org.dtorch.runtime.Session;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.Value;

/** Graphs: defaults, waiting, memory, communication, random numbers. */
public final class GraphCalls {
    private final Bridge bridge;

    GraphCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    /** The Python object of the default graph. */
    @HostAccess.Export
    public Value defaultGraph() {
        try {
            return bridge.guest().graph(bridge.graph());
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public DTorch open() {
        try {
            return bridge.opened();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Lets a Python object stand for a graph. */
    @HostAccess.Export
    public void adopt(DTorch graph, Value object) {
        bridge.guest().adopt(graph, object);
    }

    @HostAccess.Export
    public int id(DTorch graph) {
        return graph.id();
    }

    @HostAccess.Export
    public Value defaultMesh(DTorch graph) {
        return bridge.guest().mesh(graph.defaultMesh());
    }

    @HostAccess.Export
    public void setDefaultMesh(DTorch graph, DeviceMesh mesh) {
        try {
            graph.setDefaultMesh(mesh);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public Value defaultDtype(DTorch graph) {
        return bridge.guest().dtype(graph.defaultDType());
    }

    @HostAccess.Export
    public void setDefaultDtype(DTorch graph, DType dtype) {
        try {
            graph.setDefaultDType(dtype);
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public void sync(DTorch graph) {
        try {
            graph.sync();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Bytes allocated, reserved and the most of both, for each device of the mesh in turn. */
    @HostAccess.Export
    public long[] memoryStats(DTorch graph, DeviceMesh mesh, boolean resetPeak) {
        try {
            graph.sync();
            Session session = graph.dispatcher().session();
            long[] all = new long[4 * mesh.size()];
            for (int p = 0; p < mesh.size(); p++) {
                var device = session.device(mesh.deviceType(), mesh.id(p));
                MemoryStats stats = session.memoryStats(device);
                all[4 * p] = stats.allocatedBytes();
                all[4 * p + 1] = stats.reservedBytes();
                all[4 * p + 2] = stats.maxAllocatedBytes();
                all[4 * p + 3] = stats.maxReservedBytes();
                if (resetPeak) {
                    session.resetPeak(device);
                }
            }
            return all;
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public void emptyCache(DTorch graph) {
        try {
            graph.sync();
            System.gc();
            graph.dispatcher().session().emptyCache();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    /** Milliseconds that operators have waited for memory to be reclaimed. */
    @HostAccess.Export
    public double reclaimMillis(DTorch graph) {
        return graph.dispatcher().session().reclaimStats().nanos() / 1e6;
    }

    @HostAccess.Export
    public List<CommunicationRecord.Call> communication(DTorch graph) {
        try {
            graph.sync();
            return graph.dispatcher().session().communicationRecord().calls();
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }

    @HostAccess.Export
    public String collective(CommunicationRecord.Call call) {
        return call.collective().toString();
    }

    @HostAccess.Export
    public String meshDim(CommunicationRecord.Call call) {
        return call.group().name();
    }

    @HostAccess.Export
    public long[] members(CommunicationRecord.Call call) {
        return java.util.Arrays.stream(call.group().deviceIds()).asLongStream().toArray();
    }

    @HostAccess.Export
    public long[] bytes(CommunicationRecord.Call call) {
        return call.bytes();
    }

    @HostAccess.Export
    public void clearCommunication(DTorch graph) {
        graph.dispatcher().session().communicationRecord().reset();
    }

    /** Whether all devices of the mesh exist. */
    @HostAccess.Export
    public boolean satisfies(DTorch graph, DeviceMesh mesh) {
        try {
            for (int p = 0; p < mesh.size(); p++) {
                graph.dispatcher().session().device(mesh.deviceType(), mesh.id(p));
            }
            return true;
        } catch (DTorchError e) {
            return false;
        }
    }

    /** A sync that goes on in the background. */
    @HostAccess.Export
    public CompletableFuture<Void> syncLater(DTorch graph) {
        return CompletableFuture.runAsync(graph::sync);
    }

    @HostAccess.Export
    public boolean isDone(CompletableFuture<Void> future) {
        return future.isDone();
    }

    @HostAccess.Export
    public void join(CompletableFuture<Void> future) {
        try {
            future.join();
        } catch (CompletionException e) {
            throw bridge.failure(e.getCause());
        }
    }

    @HostAccess.Export
    public boolean isStrict(DTorch graph) {
        return graph.dispatcher().isStrict();
    }

    @HostAccess.Export
    public void setStrict(DTorch graph, boolean strict) {
        graph.dispatcher().setStrict(strict);
    }

    /** The generator of the graph. */
    @HostAccess.Export
    public Generator generator(DTorch graph) {
        return graph.generator();
    }

    @HostAccess.Export
    public Generator newGenerator() {
        return new Generator();
    }

    @HostAccess.Export
    public void seed(Generator generator, long seed) {
        synchronized (generator) {
            generator.manualSeed(seed);
        }
    }

    @HostAccess.Export
    public long initialSeed(Generator generator) {
        return generator.initialSeed();
    }

    @HostAccess.Export
    public byte[] state(Generator generator) {
        synchronized (generator) {
            return generator.state();
        }
    }

    @HostAccess.Export
    public void setState(Generator generator, byte[] state) {
        try {
            synchronized (generator) {
                generator.setState(state);
            }
        } catch (Throwable e) {
            throw bridge.failure(e);
        }
    }
}
