"""Chapter 02: its plan, its checks come out either way, and its picture marks one class."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from grokbook.errors import ParameterError
from grokbook.models import transformer
from grokbook.models.transformer import Shape
from grokbook.plotting import splits
from grokbook.tasks import ModularTask
from grokbook_chapters.task_and_model import claims as chapter
from grokbook_chapters.task_and_model import figures, numbers
from written_pages import functions, names_used

GOOD = {"p": 13, "train_fraction": 0.3, "square": 4, "strip": 4, "shift": 3}


def test_nothing_is_trained():
    assert chapter.plan(**GOOD) == {}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"square": 12},
            "hole = 12 is larger than the grid of p = 13 allows: the largest hole is 11.",
        ),
        (
            {"strip": 11, "train_fraction": 0.04},
            "train_fraction = 0.04 of p = 13 leaves 0 of 169 cells for training; both sets need at least one cell.",
        ),
        ({"shift": -1}, "shift = -1 must be an integer of 0 or more."),
    ],
)
def test_the_plan_refuses_values_that_do_not_fit(change, message):
    with pytest.raises(ParameterError) as caught:
        chapter.plan(**GOOD | change)
    assert str(caught.value) == message


def test_random_sets_are_not_products():
    """Section 3.1: |T| = |rows| |columns| exactly for a product I' x J'."""
    found = chapter.products(11, splits=5)
    assert found.verdict == "holds with correction"
    assert found.low > 1
    # all cells outside the strip
    assert chapter.products(97, splits=2, kind="strip", hole=67).verdict == "holds"


def test_sets_that_are_no_complements_would_be_no_slip(monkeypatch):
    """A training set that is no product, and a test set that leaves cells out."""
    partial = SimpleNamespace(
        train_mask=np.eye(5, dtype=bool), train_index=np.arange(5), test_index=np.arange(5)
    )
    monkeypatch.setattr(chapter, "ModularTask", lambda p, **_: partial)
    assert chapter.products(5, splits=1).verdict == "fails"


def test_shuffled_columns_are_no_translates_and_shuffled_rows_are():
    """Section 6.1, Y_mn = X_m + n: renaming i keeps the classes translates along j, renaming j does
    not."""
    table = np.add.outer(np.arange(11), np.arange(11)) % 11
    order = np.random.default_rng(0).permutation(11)
    assert not chapter.not_translates(table[order])
    assert chapter.not_translates(table[:, order])
    assert chapter.classes_are_translates((5, 11)).verdict == "holds"


def test_a_wrong_closed_form_is_seen_and_refutes_us_and_not_the_paper(monkeypatch):
    monkeypatch.setattr(chapter, "quadratic_class_sizes", lambda p: np.full(p, p))
    found = chapter.quadratic_form_classes(11)
    assert (found.verdict, found.value) == ("holds", 3)


def test_classes_of_one_size_are_not_complex(monkeypatch):
    """Section 6.1: the classes of i + j, all of p cells, in the place of those of the quadratic
    form."""
    assert chapter.quadratic_form_classes(11).verdict == "holds"
    monkeypatch.setattr(chapter, "ModularTask", lambda p, operation: ModularTask(p, "add"))
    assert chapter.quadratic_form_classes(11).verdict == "fails"


def test_the_printed_range_is_one_too_long():
    assert chapter.printed_range(7).verdict == "holds with correction"
    assert chapter.printed_range(7, modulus=8).verdict == "holds"
    assert chapter.printed_range(7, modulus=5).verdict == "fails"


def test_a_picture_of_the_grid_paints_training_test_and_hole():
    task = ModularTask(11, split="square", hole=4)
    painted = splits({"square": task}).axes[0].images[0].get_array()
    assert ((painted == 2).sum(), (painted == 1).sum()) == (task.train_index.size, 25)


@pytest.mark.parametrize(
    "shape", [Shape(13, d_model=16, n_heads=2, shift=3), Shape(97, d_mlp=64, positional=False)]
)
def test_the_diagram_has_the_sizes_of_the_model(shape):
    (ax,) = figures.diagram(shape).axes
    written = " ".join(text.get_text() for text in ax.texts)
    shapes = {name.removesuffix(".0"): dims for name, dims in shape.shapes().items()}
    for name in ("W_E", "W_Q", "W_in", "W_out", "W_U"):
        assert " × ".join(map(str, shapes[name])) in written
    assert f"token {5 + shape.shift} " in written and f"{shape.p} logits" in written
    assert f"{shape.n_heads} heads of width {shape.d_head}" in written


def test_a_picture_of_classes_marks_as_many_cells_as_the_class_has():
    *grids, _ = figures.classes(11).axes
    for ax, operation in zip(grids, figures.OPERATIONS.values(), strict=True):
        (marked,) = ax.lines
        assert len(marked.get_xdata()) == ModularTask(11, operation).class_sizes()[1]


def split_tasks(p, fraction, hole):
    """A task with each split; both holes have one size."""
    holes = {"random": None, "symmetric": None, "square": hole, "strip": hole}
    return {name: ModularTask(p, "add", fraction, name, size) for name, size in holes.items()}


def test_the_numbers_of_the_prose_follow_the_split_and_the_network():
    """At p = 13, which is 1 modulo 3, class 0 has 2p - 1 cells and the others p - 1."""
    shape = Shape(13, d_model=16, shift=3)
    found = numbers(split_tasks(13, 0.3, 4), shape)
    assert (found["class_zero"], found["class_other"], found["strip"]) == ("25 cells", 12, 4)
    assert found["no_empty_row"].holds and found["strip_alone"].holds and found["rows_missed"] == 5
    total = sum(w.numel() for w in shape.draw(0).values())
    assert found["n_parameters"] == f"{total:,}" and found["more_parameters"].holds
    assert not numbers(split_tasks(13, 0.05, 4), shape)["no_empty_row"].holds
    assert found.keys() == names_used("02")


def test_the_equations_of_the_page_are_the_library_s():
    """On three random vectors, with several heads."""
    self_attention, mlp, residues = functions("02", "self_attention", "mlp", "residues")
    shape = Shape(7, d_model=16, n_heads=4)
    weights = {name: w.double() for name, w in shape.draw(0).items()}
    w = {name: weight.numpy() for name, weight in weights.items()}
    x = torch.randn(1, 3, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    attended = transformer.self_attention(weights, 0, x, shape)
    assert np.allclose(self_attention(x[0].numpy(), w, 4), attended[0])
    assert np.allclose(mlp(x[0].numpy(), w), transformer.mlp(weights, 0, x)[0])
    table = residues(lambda i, j: i**2 + i * j + j**2, 7)
    assert (table.ravel() == ModularTask(7, "x2_plus_xy_plus_y2").labels).all()
