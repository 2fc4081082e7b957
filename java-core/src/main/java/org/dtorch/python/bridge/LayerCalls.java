package org.dtorch.python.bridge;

import java.util.Locale;
import java.util.function.Supplier;
import org.dtorch.api.Tensor;
import org.dtorch.mesh.DeviceMesh;
import org.dtorch.nn.ColumnParallelLinear;
import org.dtorch.nn.ColumnParallelLinearWithReplicateInputOutput;
import org.dtorch.nn.ColumnParallelLinearWithReplicateOutput;
import org.dtorch.nn.Dropout;
import org.dtorch.nn.ELU;
import org.dtorch.nn.Embedding;
import org.dtorch.nn.EmbeddingWithReplicateOutput;
import org.dtorch.nn.Flatten;
import org.dtorch.nn.GELU;
import org.dtorch.nn.GroupNorm;
import org.dtorch.nn.Identity;
import org.dtorch.nn.Init;
import org.dtorch.nn.LayerNorm;
import org.dtorch.nn.LeakyReLU;
import org.dtorch.nn.Linear;
import org.dtorch.nn.LogSoftmax;
import org.dtorch.nn.MeshDim;
import org.dtorch.nn.Module;
import org.dtorch.nn.ModuleDict;
import org.dtorch.nn.ModuleList;
import org.dtorch.nn.ParameterList;
import org.dtorch.nn.RMSNorm;
import org.dtorch.nn.ReLU;
import org.dtorch.nn.ReplicateParallelLinear;
import org.dtorch.nn.RowParallelLinear;
import org.dtorch.nn.RowParallelLinearWithReplicateOutput;
import org.dtorch.nn.Sequential;
import org.dtorch.nn.SiLU;
import org.dtorch.nn.Sigmoid;
import org.dtorch.nn.Softmax;
import org.dtorch.nn.Tanh;
import org.dtorch.nn.TensorOptions;
import org.dtorch.nn.TpShardType;
import org.dtorch.random.Generator;
import org.dtorch.values.DTorchError;
import org.dtorch.values.DType;
import org.graalvm.polyglot.HostAccess;

/** How Python builds layers and initialises tensors; it is {@code bridge.layers()} there. */
public final class LayerCalls {
    private final Bridge bridge;

    LayerCalls(Bridge bridge) {
        this.bridge = bridge;
    }

    /**
     * A linear layer.
     *
     * @param kind the class's name
     * @param tpDim a name, an index or null
     * @param tpShardType {@code row}, {@code col} or null; only for {@code Linear} itself
     */
    @HostAccess.Export
    public Module linear(
            String kind,
            Object dtype,
            Object mesh,
            long inFeatures,
            long outFeatures,
            boolean bias,
            Object tpDim,
            String tpShardType) {
        return guarded(() -> {
            TensorOptions options = options(dtype, mesh);
            MeshDim dim = meshDim(tpDim);
            return switch (kind) {
                case "Linear" -> new Linear(options, inFeatures, outFeatures, bias, dim, TpShardType.of(tpShardType));
                case "ColumnParallelLinear" -> new ColumnParallelLinear(options, inFeatures, outFeatures, bias, dim);
                case "ColumnParallelLinearWithReplicateOutput" ->
                    new ColumnParallelLinearWithReplicateOutput(options, inFeatures, outFeatures, bias, dim);
                case "ColumnParallelLinearWithReplicateInputOutput" ->
                    new ColumnParallelLinearWithReplicateInputOutput(options, inFeatures, outFeatures, bias, dim);
                case "RowParallelLinear" -> new RowParallelLinear(options, inFeatures, outFeatures, bias, dim);
                case "RowParallelLinearWithReplicateOutput" ->
                    new RowParallelLinearWithReplicateOutput(options, inFeatures, outFeatures, bias, dim);
                case "ReplicateParallelLinear" -> new ReplicateParallelLinear(options, inFeatures, outFeatures, bias);
                default -> throw new IllegalArgumentException(kind);
            };
        });
    }

    /** The mesh dimension that a layer splits along, or -1. */
    @HostAccess.Export
    public int tpDim(Object layer) {
        return layer instanceof Embedding embedding ? embedding.tpDim() : ((Linear) layer).tpDim();
    }

    /** {@code row}, {@code col} or null. */
    @HostAccess.Export
    public String tpShardType(Object linear) {
        TpShardType type = ((Linear) linear).tpShardType();
        return type == null ? null : type.name().toLowerCase(Locale.ROOT);
    }

    @HostAccess.Export
    public Module embedding(boolean replicateOutput, Object dtype, Object mesh, long rows, long dim, Object tpDim) {
        return guarded(() -> {
            TensorOptions options = options(dtype, mesh);
            MeshDim split = meshDim(tpDim);
            return replicateOutput
                    ? new EmbeddingWithReplicateOutput(options, rows, dim, split)
                    : new Embedding(options, rows, dim, split);
        });
    }

    @HostAccess.Export
    public Module layerNorm(Object dtype, Object mesh, long[] shape, double eps, boolean affine, boolean bias) {
        return guarded(() -> new LayerNorm(options(dtype, mesh), shape, eps, affine, bias));
    }

    /**
     * @param eps a number or null
     */
    @HostAccess.Export
    public Module rmsNorm(Object dtype, Object mesh, long[] shape, Object eps, boolean affine) {
        return guarded(() ->
                new RMSNorm(options(dtype, mesh), shape, eps == null ? null : ((Number) eps).doubleValue(), affine));
    }

    @HostAccess.Export
    public Module groupNorm(Object dtype, Object mesh, long groups, long channels, double eps, boolean affine) {
        return guarded(() -> new GroupNorm(options(dtype, mesh), groups, channels, eps, affine));
    }

    /**
     * A layer without parameters.
     *
     * @param first its first setting: a slope, an exponent's factor, a probability, a dimension, or null
     * @param second its second setting: whether it works in place, the last dimension to flatten, or null
     */
    @HostAccess.Export
    public Module plain(String kind, Object first, Object second) {
        return guarded(() -> switch (kind) {
            case "ReLU" -> new ReLU((Boolean) first);
            case "SiLU" -> new SiLU((Boolean) first);
            case "Sigmoid" -> new Sigmoid();
            case "Tanh" -> new Tanh();
            case "LeakyReLU" -> new LeakyReLU(number(first), (Boolean) second);
            case "ELU" -> new ELU(number(first), (Boolean) second);
            case "GELU" -> new GELU((String) first);
            case "Softmax" -> new Softmax(integer(first));
            case "LogSoftmax" -> new LogSoftmax(integer(first));
            case "Dropout" -> new Dropout(number(first), (Boolean) second);
            case "Flatten" -> new Flatten(integer(first), integer(second));
            case "Identity" -> new Identity();
            case "Sequential" -> new Sequential();
            case "ModuleList" -> new ModuleList();
            case "ModuleDict" -> new ModuleDict();
            case "ParameterList" -> new ParameterList();
            default -> throw new IllegalArgumentException(kind);
        });
    }

    // --- nn.init

    /** {@code uniform_}, {@code normal_}, {@code xavier_uniform_}, {@code xavier_normal_} or {@code constant_}. */
    @HostAccess.Export
    public void init(String name, Object tensor, double first, double second, Object generator) {
        guarded(() -> {
            Tensor target = (Tensor) tensor;
            Generator from = (Generator) generator;
            return switch (name) {
                case "uniform_" -> Init.uniform(target, first, second, from);
                case "normal_" -> Init.normal(target, first, second, from);
                case "xavier_uniform_" -> Init.xavierUniform(target, first, from);
                case "xavier_normal_" -> Init.xavierNormal(target, first, from);
                case "constant_" -> Init.constant(target, first);
                default -> throw new IllegalArgumentException(name);
            };
        });
    }

    @HostAccess.Export
    public void truncNormal(Object tensor, double mean, double std, double a, double b, Object generator) {
        guarded(() -> Init.truncNormal((Tensor) tensor, mean, std, a, b, (Generator) generator));
    }

    @HostAccess.Export
    public void kaiming(
            boolean uniform, Object tensor, double slope, String mode, String nonlinearity, Object generator) {
        guarded(() -> uniform
                ? Init.kaimingUniform((Tensor) tensor, slope, mode, nonlinearity, (Generator) generator)
                : Init.kaimingNormal((Tensor) tensor, slope, mode, nonlinearity, (Generator) generator));
    }

    @HostAccess.Export
    public double gain(String nonlinearity, double slope) {
        return guarded(() -> Init.gain(nonlinearity, slope));
    }

    private TensorOptions options(Object dtype, Object mesh) {
        return new TensorOptions(bridge.graph(), (DType) dtype, (DeviceMesh) mesh);
    }

    private static MeshDim meshDim(Object dim) {
        return switch (dim) {
            case null -> MeshDim.NONE;
            case String name -> new MeshDim.Name(name);
            case Number index -> new MeshDim.Index(index.intValue());
            default -> throw DTorchError.type("tp_dim must be a str, an int or None, got %s", dim);
        };
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    private static Long integer(Object value) {
        return value == null ? null : ((Number) value).longValue();
    }

    private <T> T guarded(Supplier<T> action) {
        try {
            return action.get();
        } catch (Throwable failure) {
            throw bridge.failure(failure);
        }
    }
}
