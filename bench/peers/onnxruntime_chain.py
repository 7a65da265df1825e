"""onnxruntime: com.microsoft RotaryEmbedding, out of place as the operator always is.

A chain of 41 nodes (11 of large ones) less a chain of one, divided by the difference: what is left is a node, without
the copies and the checks of a call from Python. One node rotates all heads of q and k together, which is the least work
for it; its tables of cos and sin are given.
"""

import race
from race import np

try:
    import onnxruntime
    from onnx import TensorProto, helper
except ImportError as error:
    race.absent("onnxruntime_chain", error)

TYPES = {"f32": TensorProto.FLOAT, "f16": TensorProto.FLOAT16}


def chain(workload, dtype, pairing, nodes):
    """A model of `nodes` operators, one after the other, on x [batch, seq, heads * head_dim]."""
    shape = [workload.batch, workload.seq, workload.heads * workload.head_dim]
    table = [int(workload.positions().max()) + 1, workload.rotary_dim // 2]
    inputs = [
        helper.make_tensor_value_info("x0", TYPES[dtype], shape),
        helper.make_tensor_value_info("ids", TensorProto.INT64, shape[:2]),
        helper.make_tensor_value_info("cos", TYPES[dtype], table),
        helper.make_tensor_value_info("sin", TYPES[dtype], table),
    ]
    operators = [
        helper.make_node(
            "RotaryEmbedding", [f"x{i}", "ids", "cos", "sin"], [f"x{i + 1}"], domain="com.microsoft",
            interleaved=int(pairing == "interleaved"), num_heads=workload.heads,
            rotary_embedding_dim=workload.rotary_dim if workload.rotary_dim < workload.head_dim else 0,
        )
        for i in range(nodes)
    ]  # fmt: skip
    output = helper.make_tensor_value_info(f"x{nodes}", TYPES[dtype], shape)
    graph = helper.make_graph(operators, "chain", inputs, [output])
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10).SerializeToString()


def joined(workload, buffer):
    """q and k of each token side by side: [batch, seq, heads * head_dim]."""
    return np.concatenate(race.split(workload, buffer), axis=2).reshape(workload.batch, workload.seq, -1)


def bound(workload, dtype, pairing, nodes, threads):
    """A function that runs the chain, and its output."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.add_session_config_entry("session.force_spinning_stop", "1")  # its threads, when the chain has run
    session = onnxruntime.InferenceSession(chain(workload, dtype, pairing, nodes), options, ["CPUExecutionProvider"])
    ids = workload.positions()
    inv_freq = workload._replace(batch=1, seq=2, random_positions=False).angles()[0, 1]
    angles = np.arange(int(ids.max()) + 1)[:, None] * inv_freq
    x = joined(workload, race.values(workload, dtype))
    arrays = {"x0": x, "ids": ids, "cos": np.cos(angles).astype(x.dtype), "sin": np.sin(angles).astype(x.dtype)}
    binding = session.io_binding()
    kept = {name: onnxruntime.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()}
    for name, value in kept.items():
        binding.bind_ortvalue_input(name, value)
    output = onnxruntime.OrtValue.ortvalue_from_numpy(np.empty_like(x))
    binding.bind_ortvalue_output(f"x{nodes}", output)
    return lambda: session.run_with_iobinding(binding), output


def run(options, workload, dtype, pairing):
    nodes = 41 if workload.seq == 1 else 11
    long_run, _ = bound(workload, dtype, pairing, nodes, options.threads)
    short_run, output = bound(workload, dtype, pairing, 1, options.threads)

    def node(repeats):
        return (race.measured(long_run, repeats) - race.measured(short_run, repeats)) / (nodes - 1)

    def result():
        short_run()
        heads = output.numpy().reshape(workload.batch, workload.seq, workload.heads, workload.head_dim)
        q, k = heads[:, :, : workload.q_heads], heads[:, :, workload.q_heads :]
        return np.concatenate([q.ravel(), k.ravel()]).astype(np.float32)

    race.race(options, workload, dtype, pairing, {"onnxruntime_node": node}, result)


def main():
    options = race.arguments(__doc__)
    for workload in [race.DECODE, race.BATCH, race.PREFILL, race.PARTIAL] + ([race.LONG] if options.long else []):
        for dtype in TYPES:
            for pairing in ("half_split", "interleaved"):
                run(options, workload, dtype, pairing)


if __name__ == "__main__":
    main()
