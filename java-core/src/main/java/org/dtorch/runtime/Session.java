package org.dtorch.runtime;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.dtorch.backend.Backend;
import org.dtorch.backend.Operand;
import org.dtorch.backend.Workers;
import org.dtorch.comm.CommunicationRecord;
import org.dtorch.comm.Communicator;
import org.dtorch.comm.CommunicatorProvider;
import org.dtorch.comm.RecordedCommunicator;
import org.dtorch.mesh.DeviceType;
import org.dtorch.values.DTorchError;

/**
 * The devices, memory and communicator of one script or host application; thread-safe.
 *
 * <p>Instructions are asynchronous: {@link #submit} never throws what the work throws, an await does.
 */
public final class Session implements AutoCloseable {
    /*
     * Order. A queued instruction gets a ticket, linked behind the tickets that its devices and buffers remember; this
     * happens under one lock per session, so that two threads that submit collectives cannot link them crosswise. The
     * ticket runs when its count of unfinished predecessors is zero; nobody ever blocks inside an instruction.
     *
     * Inline. When nothing is queued and the work is small, submit runs it on the caller without ticket or lock. Another
     * thread may then start work on the same device meanwhile; that is harmless, since the two share data only if the user
     * gave both threads the same tensor to write.
     */
    private static final System.Logger LOG = System.getLogger("org.dtorch");
    /** The line is for people, who read it once however many sessions a program opens. */
    private static final Set<DeviceType> TOLD_SIMULATED = ConcurrentHashMap.newKeySet();

    private static final int MOST_PENDING = 4096;
    private static final long FULL_QUEUE_NANOS = 200_000;

    private final Settings settings;
    private final List<Backend> backends;
    private final RecordedCommunicator communicator;
    private final Executor executor;
    private final Reaper reaper = new Reaper("dtorch-reaper");
    private final MemoryBudget budget;
    private final Map<DeviceType, AtomicReferenceArray<Device>> devices = new EnumMap<>(DeviceType.class);
    private final AtomicInteger pending = new AtomicInteger();
    private final ReentrantLock order = new ReentrantLock();
    private final AtomicReference<Failure> unreported = new AtomicReference<>();
    private volatile Origin lastReported;
    private final ThreadLocal<Instruction> running = new ThreadLocal<>();
    private volatile Runnable poll = () -> {};
    private volatile boolean closed;

    Session(Settings settings, List<Backend> backends, Communicator communicator, Executor executor) {
        this.settings = settings;
        this.backends = List.copyOf(backends);
        this.communicator = new RecordedCommunicator(communicator);
        this.executor = executor;
        this.budget = new MemoryBudget(settings.memoryLimitBytes(), this::devices, reaper);
        for (DeviceType type : DeviceType.values()) {
            devices.put(type, new AtomicReferenceArray<>(Settings.MOST_SIMULATED_DEVICES));
        }
    }

    /** A session on the backends and the communicator that {@link ServiceLoader} finds. */
    public static Session open(Settings settings) {
        return open(
                settings,
                ServiceLoader.load(Backend.class).stream()
                        .map(ServiceLoader.Provider::get)
                        .toList());
    }

    /** A session on {@code backends}. */
    public static Session open(Settings settings, List<Backend> backends) {
        return open(settings, backends, CommunicatorProvider.find(settings.communicationTimeout()));
    }

    /** A session on {@code backends} and {@code communicator}. */
    public static Session open(Settings settings, List<Backend> backends, Communicator communicator) {
        return new Session(settings, backends, communicator, Workers.shared()::execute);
    }

    public Settings settings() {
        return settings;
    }

    public Communicator communicator() {
        return communicator;
    }

    /** What the communicator has done. */
    public CommunicationRecord communicationRecord() {
        return communicator.record();
    }

    /** Ties user-visible handles to storages. */
    public Reaper reaper() {
        return reaper;
    }

    /** Whether each device has its own arena, with checks at every kernel ({@code DTORCH_ISOLATE}). */
    public boolean isIsolated() {
        return settings.isolate();
    }

    /** Whether equal values on devices of one memory may be one buffer. */
    public boolean sharesReplicas() {
        return !settings.isolate();
    }

    /**
     * The device {@code type:id}, always the same object; simulated on the CPU backend where the machine has no such device.
     *
     * @throws DTorchError of kind RUNTIME naming the id and how many devices there are
     */
    public Device device(DeviceType type, int id) {
        AtomicReferenceArray<Device> ofType = devices.get(type);
        Device known = id >= 0 && id < ofType.length() ? ofType.get(id) : null;
        return known != null ? known : newDevice(type, id);
    }

    private Device newDevice(DeviceType type, int id) {
        checkOpen();
        Backend real = backend(type);
        boolean simulated = type == DeviceType.CPU || real == null;
        Backend backend = real != null ? real : backend(DeviceType.CPU);
        if (backend == null) {
            throw DTorchError.runtime("no backend for %s and none for cpu on this machine", type);
        }
        int count = simulated ? settings.simulatedDevices() : real.deviceCount();
        if (id < 0 || id >= count) {
            throw DTorchError.runtime(
                    "device %s:%d does not exist: there are %d%s, ids 0 to %d",
                    type,
                    id,
                    count,
                    simulated ? " simulated devices (DTORCH_NUM_GPU_WHEN_ENABLE_DTENSOR_IN_SAME_DEVICE)" : " devices",
                    count - 1);
        }
        if (real == null) {
            tellSimulated(type);
        }
        AtomicReferenceArray<Device> ofType = devices.get(type);
        ofType.compareAndSet(id, null, new Device(this, type, id, backend, simulated, budget));
        return ofType.get(id);
    }

    private Backend backend(DeviceType type) {
        for (Backend backend : backends) {
            if (backend.deviceType() == type && backend.deviceCount() > 0 && backend.isComplete()) {
                return backend;
            }
        }
        return null;
    }

    /** Says once in a process that devices of a kind are simulated, and why. */
    private void tellSimulated(DeviceType type) {
        if (!TOLD_SIMULATED.add(type)) {
            return;
        }
        String why = "no backend for them is on the class path";
        for (Backend backend : backends) {
            if (backend.deviceType() == type) {
                why = backend.deviceCount() == 0
                        ? backend.absence()
                        : "the " + backend.name() + " backend is not complete yet";
            }
        }
        LOG.log(System.Logger.Level.INFO, "{0} devices are simulated on host memory: {1}", type, why);
    }

    /** The devices that were asked for so far. */
    public Collection<Device> devices() {
        List<Device> all = new ArrayList<>();
        for (AtomicReferenceArray<Device> ofType : devices.values()) {
            for (int i = 0; i < ofType.length(); i++) {
                if (ofType.get(i) != null) {
                    all.add(ofType.get(i));
                }
            }
        }
        return all;
    }

    /**
     * Runs {@code instruction} in its order, now if it is small and nothing is in its way, else on a worker. What its work
     * throws is kept for whoever awaits what it writes.
     *
     * @throws DTorchError of kind RUNTIME when the session is closed
     * @throws AwaitInterruptedException when interrupted while the queue is full; the instruction is then not submitted
     */
    public void submit(Instruction instruction) {
        boolean small = instruction.costNanos() <= settings.inlineNanos();
        if (small && pending.get() == 0 && !closed) {
            instruction.retainBuffers();
            instruction.perform(this);
            instruction.releaseBuffers();
            return;
        }
        enqueue(instruction, small);
    }

    private void enqueue(Instruction instruction, boolean small) {
        checkOpen();
        if (pending.get() >= MOST_PENDING && !Workers.onWorker()) {
            awaitRoom();
        }
        instruction.origin().noteScriptLine();
        instruction.retainBuffers();
        Ticket ticket = new Ticket(this, instruction);
        pending.incrementAndGet();
        order.lock();
        try {
            instruction.link(ticket);
        } finally {
            order.unlock();
        }
        if (ticket.arrive()) {
            if (small) {
                ticket.runReady();
            } else {
                executor.execute(ticket);
            }
        }
    }

    private void awaitRoom() {
        while (pending.get() > MOST_PENDING / 2) {
            LockSupport.parkNanos(this, FULL_QUEUE_NANOS);
            whileAwaiting();
        }
    }

    /**
     * Waits until the last submitted writers of {@code shards} have finished; an entry may be null.
     *
     * @throws DTorchError the first failure of them, in the order given
     * @throws AwaitInterruptedException when the thread is interrupted
     */
    public void await(LocalShard... shards) {
        for (LocalShard shard : shards) {
            if (shard != null) {
                shard.buffer().await();
            }
        }
    }

    /** Whether no submitted writer of {@code shards} is unfinished; an entry may be null, a failed writer has finished. */
    public boolean isReady(LocalShard... shards) {
        for (LocalShard shard : shards) {
            if (shard != null && !shard.buffer().isReady()) {
                return false;
            }
        }
        return true;
    }

    /** Completes when the writers of {@code shards} that are submitted by now have finished, with their failure if any. */
    public CompletableFuture<Void> completion(LocalShard... shards) {
        CompletableFuture<Void> future = new CompletableFuture<>();
        submit(new Completion(shards, future));
        return future;
    }

    private static final class Completion extends Instruction {
        private final CompletableFuture<Void> future;

        Completion(LocalShard[] shards, CompletableFuture<Void> future) {
            super(new Device[0], Origin.of("completion"), shards, new LocalShard[0]);
            this.future = future;
        }

        @Override
        protected long costNanos() {
            return 0;
        }

        @Override
        protected void execute() {
            future.complete(null);
        }

        @Override
        void failed(Failure failure) {
            future.completeExceptionally(failure.error());
        }
    }

    /**
     * Waits until everything submitted so far has finished.
     *
     * @throws DTorchError the first failure since the last sync that no await has shown
     * @throws AwaitInterruptedException when the thread is interrupted
     */
    public void sync() {
        sync(devices());
        Failure failure = unreported.getAndSet(null);
        if (failure != null) {
            throw failure.error();
        }
    }

    /** Waits until everything submitted so far on {@code some} devices has finished; failures stay with their buffers. */
    public void sync(Collection<Device> some) {
        for (Device device : some) {
            Ticket last = device.last();
            if (last != null) {
                last.await();
            }
        }
    }

    /** Has {@code action} run by threads that await, at least every 50 ms; what it throws ends the await. */
    public void whileAwaiting(Runnable action) {
        poll = action;
    }

    void whileAwaiting() {
        poll.run();
        if (Thread.currentThread().isInterrupted()) {
            throw new AwaitInterruptedException();
        }
    }

    public MemoryStats memoryStats(Device device) {
        return device.allocator().stats();
    }

    /** Starts the maxima of {@code device} anew from what is in use. */
    public void resetPeak(Device device) {
        device.allocator().resetPeak();
    }

    public ReclaimStats reclaimStats() {
        return budget.stats();
    }

    /** Gives the blocks that no buffer uses back to the backends. */
    public void emptyCache() {
        budget.dropCaches();
    }

    /** Waits for what is queued, releases the storage of every handle and gives all memory back; failures are dropped. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        sync(devices());
        reaper.close();
        for (Device device : devices()) {
            device.allocator().close();
        }
    }

    Executor executor() {
        return executor;
    }

    void finishedOne() {
        pending.decrementAndGet();
    }

    /** Whether instructions are unfinished besides the one that the calling thread may be running. */
    boolean othersRun() {
        return pending.get() > 1;
    }

    void remember(Failure failure) {
        if (failure.origin() != lastReported) {
            unreported.compareAndSet(null, failure);
        }
    }

    /** One call that fails on several devices is shown once. */
    void reported(Failure failure) {
        lastReported = failure.origin();
        Failure kept = unreported.get();
        if (kept != null && kept.origin() == failure.origin()) {
            unreported.compareAndSet(kept, null);
        }
    }

    /** Executes with {@link #checkMayTouch} in force. */
    void executeIsolated(Instruction instruction) throws Exception {
        Instruction outer = running.get();
        running.set(instruction);
        try {
            instruction.execute();
        } finally {
            running.set(outer);
        }
    }

    /** In isolation mode: refuses memory of a device that the running instruction does not occupy. */
    void checkMayTouch(Buffer buffer) {
        Instruction now = running.get();
        if (now == null) {
            return;
        }
        for (Device device : now.devices()) {
            if (device == buffer.device()) {
                return;
            }
        }
        throw foreignMemory(now, buffer.device().toString());
    }

    /** In isolation mode: refuses an operand outside the arenas of the devices that the running instruction occupies. */
    void checkMayTouch(Operand operand) {
        Instruction now = running.get();
        if (now == null) {
            return;
        }
        for (Device device : now.devices()) {
            if (device.allocator().arena().contains(operand)) {
                return;
            }
        }
        String owner = "no device";
        for (Device device : devices()) {
            if (device.allocator().arena().contains(operand)) {
                owner = device.toString();
            }
        }
        throw foreignMemory(now, owner);
    }

    private static DTorchError foreignMemory(Instruction now, String owner) {
        return DTorchError.runtime(
                "isolation: %s on %s touched memory of %s", now.origin().operator(), List.of(now.devices()), owner);
    }

    private void checkOpen() {
        if (closed) {
            throw DTorchError.runtime("the session is closed");
        }
    }
}
