"""Updates of recorded experiments on a GPU: `python benchmarks/gpu.py` writes the table in
README.md, two minutes.

All seeds of an experiment are one program; an update is one graph of kernels, eager or compiled,
with products in float32 or in TF32.
"""

from __future__ import annotations

import time
from pathlib import Path

import torch

from grokbook.files import put_between
from grokbook.runs.recording import catalogue
from grokbook.training.config import RunConfig
from grokbook.training.cost import step_products
from grokbook.training.graphed import graph_update
from grokbook.training.loop import advance, make_stack

README = Path(__file__).with_name("README.md")
MARK = "<!-- on a GPU: gpu.py -->\n"
UPDATES = {
    "eager": lambda stack: advance,
    "graph": graph_update,
    "compiled graph": lambda stack: graph_update(stack, fused=True),
}
# Experiment, runs at once, products, update.
ROWS = (
    ("gu2025/fig5[p=47, steps=60000]", 5, "float32", "graph"),
    ("gu2025/fig11[p=43, d=256]", 3, "float32", "graph"),
    ("gu2025/fig9[p=97, d=128]", 3, "float32", "graph"),
    ("gu2025/fig9[p=97, d=256]", 3, "float32", "graph"),
    ("gu2024/fig20[positions=on]", 6, "float32", "graph"),
    ("gu2024/fig20[positions=on]", 6, "TF32", "graph"),
    ("gu2024/fig21[positions=on]", 3, "float32", "graph"),
    ("gu2024/fig21[positions=on]", 3, "TF32", "graph"),
    ("gu2025/fig11[p=43, d=1024]", 3, "TF32", "graph"),
    ("gu2025/fig11[p=43, d=2048]", 3, "TF32", "graph"),
    ("gu2025/fig2[layers=4]", 3, "TF32", "graph"),
    ("gu2025/fig2[layers=4]", 3, "TF32", "compiled graph"),
    ("gu2025/network[embedding DNN, x^2 + xy + y^2, p=97, frac=0.5]", 3, "float32", "graph"),
    ("gu2025/network[quadratic DNN, x^2 + xy + y^2, p=97, frac=0.5]", 3, "float32", "graph"),
    ("liu2022/fig7[p=59, dropout=0.05]", 1, "float32", "graph"),
    ("liu2022/circle[p=59, dropout=0.05]", 1, "float32", "eager"),
    ("liu2022/fig6c", 176, "float32", "graph"),
    ("gu2025/fig7[decay=0.0001]", 1, "TF32", "graph"),
)


def seconds(configs: list[RunConfig], update: str, least: float = 0.3) -> float:
    """Seconds of one update of these runs as one program, the mean over `least` seconds of them."""
    stack = make_stack(configs, torch.device("cuda"))
    move, count, began = UPDATES[update](stack), -10, 0.0
    while count <= 0 or time.perf_counter() - began < least:
        for _ in range(10):
            move(stack)
        torch.cuda.synchronize()
        count += 10
        began = time.perf_counter() if count == 0 else began
    return (time.perf_counter() - began) / count


def line(name: str, runs: int, products: str, update: str, took: float) -> str:
    """A row of the table."""
    experiment = catalogue()[name]
    rate = runs * step_products(experiment.config) / took
    hours = 3600 * runs / (took * experiment.config.steps)
    return (
        f"| {name} | {runs} | {products} | {update} | {1e3 * took:.2f} | {rate:.2g} |"
        f" {hours:,.0f} |"
    )


def main() -> None:
    """Measure, print and write the table."""
    lines = [
        (
            "| experiment | runs at once | products | update | ms an update | multiply-adds a"
            " second | runs an hour |"
        ),
        "| --- " * 7 + "|",
    ]
    for name, runs, products, update in ROWS:
        torch.set_float32_matmul_precision("highest" if products == "float32" else "high")
        experiment = catalogue()[name]
        configs = experiment.to_train(range(runs))[:runs]  # a sweep has many runs of a seed
        lines.append(line(name, runs, products, update, seconds(configs, update)))
        print(lines[-1], flush=True)
    said = f"{torch.cuda.get_device_name()}, torch {torch.__version__}"
    put_between(README, MARK, "\n".join([said, "", *lines]) + "\n")


if __name__ == "__main__":
    main()
