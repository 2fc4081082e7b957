package org.dtorch.runtime;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.dtorch.backend.Backend;
import org.dtorch.mesh.DeviceType;

/** One device of a session: an in-order queue of instructions and a memory. From {@link Session#device}. */
public final class Device {
    private static final VarHandle LAST;

    static {
        try {
            LAST = MethodHandles.lookup().findVarHandle(Device.class, "last", Ticket.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Session session;
    private final DeviceType type;
    private final int id;
    private final Backend backend;
    private final boolean simulated;
    private final Allocator allocator;
    private final Device[] alone = {this};

    /** The end of the queue, or null; changed under the session's order lock, cleared by the instruction itself. */
    private volatile Ticket last;

    Device(Session session, DeviceType type, int id, Backend backend, boolean simulated, MemoryBudget budget) {
        this.session = session;
        this.type = type;
        this.id = id;
        this.backend = session.isIsolated() ? new IsolatedBackend(backend, session) : backend;
        this.simulated = simulated;
        this.allocator = new Allocator(this, backend, budget, session.isIsolated());
    }

    public Session session() {
        return session;
    }

    public DeviceType type() {
        return type;
    }

    public int id() {
        return id;
    }

    /** What runs its kernels. */
    public Backend backend() {
        return backend;
    }

    /** Whether host memory and cores stand in for a device that is not there. */
    public boolean isSimulated() {
        return simulated;
    }

    Allocator allocator() {
        return allocator;
    }

    /** An array of this device only; not to be changed. */
    Device[] alone() {
        return alone;
    }

    Ticket last() {
        return last;
    }

    /** {@code ticket} comes last in the queue. Called under the session's order lock. */
    void link(Ticket ticket) {
        ticket.follow(last);
        last = ticket;
    }

    void finished(Ticket ticket) {
        LAST.compareAndSet(this, ticket, null);
    }

    @Override
    public String toString() {
        return type.torchName() + ":" + id;
    }
}
