"""Sizes of the classes of a quadratic form, by counting."""

import pytest

from grokbook.errors import ParameterError
from grokbook_chapters.task_and_model.quadratic_forms import quadratic_class_sizes
from refusals import refusals


@pytest.mark.parametrize("form", [(1, 1, 1), (1, 0, 1), (0, 1, 0), (2, 3, -1), (1, 0, -3)])
@pytest.mark.parametrize("p", [3, 5, 7, 11, 13, 31])
def test_by_counting(p, form):
    a, b, c = form
    if (b * b - 4 * a * c) % p == 0:
        with pytest.raises(ParameterError, match="divides the discriminant"):
            quadratic_class_sizes(p, *form)
        return
    counts = [0] * p
    for x in range(p):
        for y in range(p):
            counts[(a * x * x + b * x * y + c * y * y) % p] += 1
    assert quadratic_class_sizes(p, *form).tolist() == counts


test_refusals_name_the_value_and_the_rule = refusals(
    (lambda: quadratic_class_sizes(9), "p = 9 must be an odd prime.*the nearest is 7"),
)
