"""The figures of chapter 17."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
import xarray as xr
from matplotlib.figure import Figure

from grokbook.plotting.style import COLOURS, panels, styled
from grokbook.theory.feature_energy import energy, spectrum

_KINDS = {"decay": "with weight decay", "none": "without"}
_STYLES = {"decay": "-", "none": "--"}


@styled
def three_stages(runs: Mapping[str, xr.Dataset]) -> Figure:
    """Both accuracies, the norm of G_F, and energy, purity and found irreps of the nodes over the steps, stacked.

    Solid with weight decay, dashed without; the median over seeds.
    """
    fig, axes = panels(3, 1, height=7.4, sharex=True)
    for name, data in runs.items():
        step, look = data.step.values, {"ls": _STYLES[name], "lw": 1.6}
        middle = data.median("seed")
        for part in ("train", "test"):
            axes[0, 0].plot(
                step, middle[f"{part}_accuracy"], color=COLOURS[part], label=f"{part}, {_KINDS[name]}", **look
            )
        axes[1, 0].plot(step, middle.gradient_norm, color=COLOURS["norm"], label=_KINDS[name], **look)
        for what, colour in (("reached", "measure"), ("found", "hole")):
            label = {"reached": "energy / maximum", "found": "frequencies found"}[what]
            axes[2, 0].plot(step, middle[what], color=COLOURS[colour], label=f"{label}, {_KINDS[name]}", **look)
    for ax, said in zip(axes[:, 0], ("accuracy", r"$\Vert G_F \Vert$", "of the nodes"), strict=True):
        ax.set_ylabel(said)
        ax.legend(fontsize=8)
    axes[2, 0].set_xlabel("optimiser step")
    return fig


@styled
def two_hills(M: int, first: np.ndarray, second: np.ndarray) -> Figure:
    """The energy along the great circle from one maximum to another: all of both, and the valley between."""
    fig, axes = panels(1, 1, height=2.8)
    angle = np.linspace(0, np.pi / 2, 91)[:, None]
    path = np.cos(angle) * first + np.sin(angle) * second
    shares = np.sin(angle[:, 0]) ** 2
    axes[0, 0].plot(shares, energy(path, M) / energy(first, M), color=COLOURS["measure"], label="energy")
    axes[0, 0].plot(shares, (1 - shares) ** 2 + shares**2, "--", color=COLOURS["theory"], label=r"$s^2 + (1-s)^2$")
    axes[0, 0].set(xlabel="share $s$ of the second frequency in $|w|^2$", ylabel="energy / maximum", ylim=(0, 1.05))
    axes[0, 0].legend()
    return fig


@styled
def climb(M: int, path: np.ndarray) -> Figure:
    """The share of |w|^2 in each frequency over the steps of an ascent, path (steps, 2M): one wins."""
    fig, axes = panels(1, 1, height=2.8)
    shares = spectrum(path, M)[:, 1:]
    winner = shares[-1].argmax()
    for k, curve in enumerate(shares.T):
        wins = k == winner
        axes[0, 0].plot(curve, color=COLOURS["measure" if wins else "quiet"], lw=2 if wins else 1,
                        label=f"frequency {k + 1}" if wins else None)  # fmt: skip
    axes[0, 0].set(xlabel="step of the ascent", ylabel="share of $|w|^2$", ylim=(0, 1.03))
    axes[0, 0].legend()
    return fig


@styled
def peak(curve: Mapping[float, float], top: float) -> Figure:
    """The norm of G_F over the weight decay of the ridge (points), and its limit for wide networks."""
    fig, axes = panels(1, 1, height=2.8)
    eta, size = np.array(list(curve)), np.array(list(curve.values()))
    axes[0, 0].plot(eta, size / size.max(), "o", color=COLOURS["norm"], ms=4, label="random features")
    wide = 4 * top * eta / (eta + top) ** 2
    axes[0, 0].plot(eta, wide, "--", color=COLOURS["theory"], label=r"$4Kc\,\eta/(Kc+\eta)^2$")
    axes[0, 0].set(xscale="log", xlabel=r"weight decay $\eta$", ylabel=r"$\Vert G_F \Vert$ / largest")
    axes[0, 0].legend()
    return fig


@styled
def keeping(found: Mapping[int, np.ndarray]) -> Figure:
    """n / (M ln M) from which on a maximum survives, a point a draw, the median as a line, over M."""
    fig, axes = panels(1, 1, height=3.0)
    ax = axes[0, 0]
    for M, n in found.items():
        ax.plot(np.full(len(n), M), n / (M * np.log(M)), ".", color=COLOURS["measure"], alpha=0.4)
    moduli = np.array(list(found))
    medians = np.array([np.median(n) for n in found.values()])
    ax.plot(moduli, medians / (moduli * np.log(moduli)), "-o", color=COLOURS["measure"], label="half of the draws")
    ax.plot(moduli, moduli / np.log(moduli), ":", color=COLOURS["quiet"], label="all pairs")
    ax.set(xlabel="M", ylabel=r"$n \,/\, (M\,\ln M)$", xscale="log")
    ax.set_xticks(moduli, [str(M) for M in moduli])
    ax.minorticks_off()
    ax.legend()
    return fig


@styled
def boundaries(table: pd.DataFrame, fit: Mapping[str, float]) -> Figure:
    """Pairs at the boundary over the modulus, least to most of the seeds, with the fitted power and its band.

    `table` is `boundary_table` and `fit` is `exponent`; M ln M goes through the first point.
    """
    fig, axes = panels(1, 1, height=3.2)
    ax, M = axes[0, 0], table.M.to_numpy(dtype=float)
    reach = np.abs(table[["least", "most"]].to_numpy() - table.n.to_numpy()[:, None]).T
    if np.isfinite(fit["value"]):
        away, middle = np.log(M) - np.log(M).mean(), np.log(table.n).mean()
        low, line, high = (np.exp(middle + fit[name] * away) for name in ("low", "value", "high"))
        ax.fill_between(M, low, high, color=COLOURS["measure"], alpha=0.2, lw=0)
        ax.plot(M, line, color=COLOURS["measure"], label=f"fit: $M^{{{fit['value']:.2f}}}$")
    ax.errorbar(M, table.n, reach, fmt="o", color=COLOURS["measure"], capsize=3, label="networks")
    ax.plot(M, table.ratio.iloc[0] * M * np.log(M), "--", color=COLOURS["theory"], label="M ln M through the first")
    ax.plot(M, M**2, ":", color=COLOURS["quiet"], label="all pairs")
    ax.set(xscale="log", yscale="log", xlabel="M", ylabel="training pairs n")
    ax.set_xticks(M, [f"{m:g}" for m in M])
    ax.minorticks_off()
    ax.legend()
    return fig
