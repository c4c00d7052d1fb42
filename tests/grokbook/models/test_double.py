"""A network in double precision: the same loss, and a gradient where single precision has none."""

import torch
from torch.nn import functional as F

from grokbook.models.double import InDouble
from grokbook.models.quadratic import Quadratic
from grokbook.tasks import ModularTask
from grokbook.training import AdamW, RunConfig, train

NETWORK = Quadratic(5, width=6)
PAIRS = torch.cartesian_prod(torch.arange(5), torch.arange(5))


def of_the_output(network, pairs, scale):
    """The gradient of the cross entropy of the network's own answers, as training takes it, with
    respect to W_U."""
    weights = NETWORK.draw(0)
    labels = NETWORK.forward(weights, pairs).argmax(1)
    weights["W_U"] = (scale * weights["W_U"]).requires_grad_()
    F.cross_entropy(network.forward(weights, pairs).float(), labels).backward()
    return weights["W_U"].grad, labels


def test_where_nothing_saturates_the_gradient_is_the_networks_own():
    torch.testing.assert_close(
        of_the_output(InDouble(NETWORK), PAIRS, 1.0)[0], of_the_output(NETWORK, PAIRS, 1.0)[0]
    )


def test_where_softmax_is_exactly_one_the_gradient_is_that_of_double_precision():
    r"""By hand: $\sum_n (p_n - e_{y_n}) F_n^\top / N$ with $p_y - 1 = -\sum_{k \ne y} p_k$, in
    float64."""
    scale = 50.0
    best = (scale * NETWORK.forward(NETWORK.draw(0), PAIRS)).topk(2, dim=1).values
    pairs = PAIRS[(best[:, 0] - best[:, 1] > 18) & (best[:, 0] - best[:, 1] < 60)]
    assert len(pairs) > 1
    found, labels = of_the_output(InDouble(NETWORK), pairs, scale)
    weights = {n: w.double() for n, w in NETWORK.draw(0).items()}
    features, right = NETWORK.features(weights, pairs), F.one_hot(labels, 5)
    p = (scale * features @ weights["W_U"].T).softmax(1) * (1 - right)
    wanted = (p - right * p.sum(1, keepdim=True)).T @ features / len(p)
    assert (found - wanted).norm() < 1e-4 * wanted.norm()
    # float32 has lost it
    assert (of_the_output(NETWORK, pairs, scale)[0] - wanted).norm() > 0.1 * wanted.norm()


def test_it_trains_as_rows_of_one_program():
    config = RunConfig(
        ModularTask(5, train_fraction=0.5), InDouble(NETWORK), AdamW(), steps=20, snapshots=0
    )
    own = RunConfig(config.task, NETWORK, config.optimizer, steps=20, snapshots=0)
    found, plain = (
        train([c.with_seed(s) for s in (0, 1)], rows=2, progress=False) for c in (config, own)
    )
    torch.testing.assert_close(
        torch.as_tensor(found.test_loss.values),
        torch.as_tensor(plain.test_loss.values),
        rtol=1e-4,
        atol=1e-6,
    )
