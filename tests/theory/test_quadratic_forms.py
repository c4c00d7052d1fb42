"""Class sizes of binary quadratic forms against counting in plain Python."""

from __future__ import annotations

import pytest

from grokbook.errors import ParameterError
from grokbook.theory.quadratic_forms import quadratic_class_sizes


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


@pytest.mark.parametrize("p", [5, 7, 97, 101, 397])
def test_the_papers_form_is_the_special_case(p):
    """Gu et al. 2025, section 6.1: -3 is a square modulo p > 3 exactly for p = 1 mod 3."""
    zero, other = (2 * p - 1, p - 1) if p % 3 == 1 else (1, p + 1)
    assert quadratic_class_sizes(p).tolist() == [zero] + [other] * (p - 1)
    assert quadratic_class_sizes(p).sum() == p * p


@pytest.mark.parametrize(("p", "near"), [(9, 11), (2, 3), (1, 3), (91, 97)])
def test_a_modulus_that_is_no_odd_prime_is_refused(p, near):
    with pytest.raises(ParameterError, match=f"^p = {p} is not an odd prime; the nearest odd prime above is {near}.$"):
        quadratic_class_sizes(p)
