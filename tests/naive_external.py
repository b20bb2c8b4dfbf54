"""External measures written from their definitions: objects, sets and pairs, one at a time."""

from __future__ import annotations

from itertools import combinations, permutations
from math import comb, log, sqrt

import numpy as np

#: functions of whole counts, without a form for weights or memberships
COUNTED = {
    "adjusted_mutual_information",
    "standardized_mutual_information",
    "dom_q0",
}
#: measures whose definition stands beside a test of their own, in test_external_more
OWN_TEST = {
    "pair_sets_index": "test_pair_sets_index",
}
#: what to do about a new measure
MISSING = (
    "{0} has no naive oracle: write its definition as {0}() into tests/naive_external.py, or name "
    "its test in the table OWN_TEST there"
)


def sets(labels):
    """Each cluster as a set of objects."""
    return [{i for i, v in enumerate(labels) if v == name} for name in dict.fromkeys(labels)]


def entropy(labels):
    n = len(labels)
    return -sum(len(c) / n * log(len(c) / n) for c in sets(labels))


def mutual_information(true, pred):
    n = len(true)
    total = 0.0
    for t in sets(true):
        for c in sets(pred):
            if t & c:
                p = len(t & c) / n
                total += p * log(p / (len(t) / n * len(c) / n))
    return total


def joint_entropy(true, pred):
    return entropy(list(zip(true, pred, strict=True)))


def conditional_entropy(true, pred):
    return joint_entropy(true, pred) - entropy(pred)


def normalizers(true, pred):
    a, b = entropy(true), entropy(pred)
    return {
        "arithmetic": (a + b) / 2,
        "geometric": sqrt(max(a * b, 0)),
        "max": max(a, b),
        "min": min(a, b),
        "joint": joint_entropy(true, pred),
    }


def normalized_mutual_information(true, pred, normalizer="geometric"):
    if len(set(true)) == len(set(pred)) == 1:
        return 1.0
    divisor = normalizers(true, pred)[normalizer]
    return mutual_information(true, pred) / divisor if divisor > 1e-15 else 0.0


def moments_over_permutations(function, true, pred):
    values = [function(true, p) for p in permutations(pred)]
    mean = sum(values) / len(values)
    return mean, sum((v - mean) ** 2 for v in values) / len(values)


def adjusted_mutual_information(true, pred, normalizer="max"):
    if mutual_refinement(true, pred):
        return 1.0
    mean, _ = moments_over_permutations(mutual_information, true, pred)
    room = normalizers(true, pred)[normalizer] - mean
    return (mutual_information(true, pred) - mean) / room if room > 1e-12 else 0.0


def standardized_mutual_information(true, pred):
    mean, variance = moments_over_permutations(mutual_information, true, pred)
    if variance < 1e-20:
        return 0.0
    return (mutual_information(true, pred) - mean) / sqrt(variance)


def mutual_refinement(true, pred):
    """Whether the two are the same partition."""
    return {frozenset(s) for s in sets(true)} == {frozenset(s) for s in sets(pred)}


def variation_of_information(true, pred):
    return entropy(true) + entropy(pred) - 2 * mutual_information(true, pred)


def normalized_variation_of_information(true, pred):
    joint = joint_entropy(true, pred)
    return variation_of_information(true, pred) / joint if joint > 0 else 0.0


def homogeneity(true, pred):
    h = entropy(true)
    return 1 - conditional_entropy(true, pred) / h if h > 0 else 1.0


def completeness(true, pred):
    return homogeneity(pred, true)


def v_measure(true, pred, beta=1.0):
    h, c = homogeneity(true, pred), completeness(true, pred)
    if beta == 0:
        return h
    return (1 + beta) * h * c / (beta * h + c) if h + c > 1e-15 else 0.0


def entropy_quality(true, pred):
    q = len(set(true))
    if q == 1:
        return 1.0
    n = len(true)
    total = 0.0
    for c in sets(pred):
        inside = [true[i] for i in c]
        total += len(c) / n * entropy(inside) / log(q)
    return 1 - total


def dom_q0(true, pred):
    n, t = len(true), len(set(true))
    codes = sum(log(comb(len(c) + t - 1, t - 1)) for c in sets(pred))
    return conditional_entropy(true, pred) + codes / n


def pairs(true, pred):
    """TP, FP, FN, TN."""
    counts = [0, 0, 0, 0]
    for i, j in combinations(range(len(true)), 2):
        together_true, together_pred = true[i] == true[j], pred[i] == pred[j]
        counts[2 * (not together_pred) + (not together_true)] += 1
    tp, fp, fn, tn = counts
    return tp, fp, fn, tn


def pair_precision(true, pred):
    tp, fp, _, _ = pairs(true, pred)
    return tp / (tp + fp) if tp + fp else 1.0


def pair_recall(true, pred):
    return pair_precision(pred, true)


def pair_f_measure(true, pred, beta=1.0):
    tp, fp, fn, _ = pairs(true, pred)
    if beta == 0:
        return pair_precision(true, pred)
    if tp + fp + fn == 0:
        return 1.0
    if tp == 0:
        return 0.0
    p, r = tp / (tp + fp), tp / (tp + fn)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def rand_index(true, pred):
    tp, fp, fn, tn = pairs(true, pred)
    return (tp + tn) / (tp + fp + fn + tn) if len(true) > 1 else 1.0


def adjusted_rand_index(true, pred):
    """(L - E[L]) / (max L - E[L])."""
    tp, fp, fn, tn = pairs(true, pred)
    total = tp + fp + fn + tn
    if total == 0:
        return 1.0
    expected = (tp + fp) * (tp + fn) / total
    room = ((tp + fp) + (tp + fn)) / 2 - expected
    return (tp - expected) / room if abs(room) > 1e-12 else 1.0


def jaccard_index(true, pred):
    tp, fp, fn, _ = pairs(true, pred)
    return tp / (tp + fp + fn) if tp + fp + fn else 1.0


def fowlkes_mallows_index(true, pred):
    tp, fp, fn, _ = pairs(true, pred)
    if tp + fp == 0 or tp + fn == 0:
        return float(tp + fp == tp + fn)
    return tp / sqrt((tp + fp) * (tp + fn))


def mirkin_distance(true, pred):
    _, fp, fn, _ = pairs(true, pred)
    return 2 * (fp + fn)


def matching_accuracy(true, pred):
    """Try every assignment of clusters to classes."""
    classes, clusters = sets(true), sets(pred)
    if len(classes) > len(clusters):
        classes, clusters = clusters, classes
    best = max(
        sum(len(a & b) for a, b in zip(classes, chosen, strict=True))
        for chosen in permutations(clusters, len(classes))
    )
    return best / len(true)


def hamming_distance(true, pred):
    return 1 - matching_accuracy(true, pred)


def f_of(t, c, beta=1.0):
    if not t & c:
        return 0.0
    p, r = len(t & c) / len(c), len(t & c) / len(t)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def f_quality(true, pred, beta=1.0):
    return sum(len(t) / len(true) * max(f_of(t, c, beta) for c in sets(pred)) for t in sets(true))


def purity(true, pred):
    return sum(max(len(t & c) for t in sets(true)) for c in sets(pred)) / len(true)


def inverse_purity(true, pred):
    return purity(pred, true)


def bcubed_precision(true, pred):
    n = len(true)
    total = 0.0
    for i in range(n):
        beside = [j for j in range(n) if pred[j] == pred[i]]
        total += sum(true[j] == true[i] for j in beside) / len(beside)
    return total / n


def bcubed_recall(true, pred):
    return bcubed_precision(pred, true)


def bcubed_f_measure(true, pred, beta=1.0):
    p, r = bcubed_precision(true, pred), bcubed_recall(true, pred)
    return (1 + beta**2) * p * r / (beta**2 * p + r)


def page_rank(memberships, alpha, steps=2000):
    """Personalised PageRank of every object on the walk object -> cluster -> object."""
    n, k = len(memberships), len(memberships[0])
    sizes = [sum(row[c] for row in memberships) for c in range(k)]
    step = [
        [
            sum(
                memberships[i][c] * memberships[j][c] / sum(memberships[i]) / sizes[c]
                for c in range(k)
                if sizes[c]
            )
            for j in range(n)
        ]
        for i in range(n)
    ]
    ranks = []
    for start in range(n):
        rank = [float(i == start) for i in range(n)]
        for _ in range(steps):
            moved = [sum(rank[i] * step[i][j] for i in range(n)) for j in range(n)]
            rank = [alpha * m + (1 - alpha) * (j == start) for j, m in enumerate(moved)]
        ranks.append(rank)
    return ranks


def memberships_of(labels):
    names = list(dict.fromkeys(labels))
    return [[int(v == name) for name in names] for v in labels]


def overlapping_similarity(true, pred, alpha, steps=200):
    one, two = page_rank(true, alpha, steps), page_rank(pred, alpha, steps)
    n = len(true)
    return (
        sum(1 - sum(abs(a - b) for a, b in zip(one[i], two[i], strict=True)) / 2 / alpha
            for i in range(n))
        / n
    )  # fmt: skip


def element_centric_similarity(true, pred):
    return overlapping_similarity(memberships_of(true), memberships_of(pred), 0.5, steps=60)


def extended_bcubed(true, pred):
    """Amigó et al. 2009: multiplicity precision over the objects that share a cluster."""
    n, values = len(true), []
    for i in range(n):
        beside = []
        for j in range(n):
            clusters = sum(a and b for a, b in zip(pred[i], pred[j], strict=True))
            classes = sum(a and b for a, b in zip(true[i], true[j], strict=True))
            if clusters:
                beside.append(min(clusters, classes) / clusters)
        if beside:
            values.append(sum(beside) / len(beside))
    return sum(values) / len(values)


def omega_index(true, pred):
    """Collins & Dent 1988."""

    def shared(rows, i, j):
        return sum(a and b for a, b in zip(rows[i], rows[j], strict=True))

    all_pairs = list(combinations(range(len(true)), 2))
    one = [shared(true, i, j) for i, j in all_pairs]
    two = [shared(pred, i, j) for i, j in all_pairs]
    total = len(all_pairs)
    observed = sum(a == b for a, b in zip(one, two, strict=True)) / total
    chance = sum(one.count(s) * two.count(s) for s in set(one)) / total**2
    return (observed - chance) / (1 - chance) if chance < 1 else 1.0


def cover_information(U, V, normalizer):
    """McDaid et al. 2011; with "cluster" Lancichinetti et al. 2009."""
    n = len(U)
    X, Y = ([set(np.flatnonzero(c).tolist()) for c in M.T if c.any()] for M in (U, V))
    if sorted(map(sorted, X)) == sorted(map(sorted, Y)):
        return 1.0

    def h(p):
        return -p * np.log(p) if p > 0 else 0.0

    def entropy(c):
        return h(len(c) / n) + h(1 - len(c) / n)

    def given(x, others):
        found = [entropy(x)]
        for y in others:
            a, b = (n - len(x | y)) / n, len(y - x) / n
            c, d = len(x - y) / n, len(x & y) / n
            if h(a) + h(d) > h(b) + h(c):
                found.append(h(a) + h(b) + h(c) + h(d) - entropy(y))
        return min(found)

    if normalizer == "cluster":
        sides = []
        for these, those in ((X, Y), (Y, X)):
            sides.append(np.mean([given(x, those) / entropy(x) if entropy(x) else 1
                                  for x in these]))  # fmt: skip
        return 1 - sum(sides) / 2
    of_x, of_y = sum(map(entropy, X)), sum(map(entropy, Y))
    shared = of_x - sum(given(x, Y) for x in X) + of_y - sum(given(y, X) for y in Y)
    return shared / 2 / max(of_x, of_y)


def expected_pairs(U, V):
    """Pairs together where each object's class and cluster are drawn: both, true, pred."""
    both = true = pred = 0.0
    for i, j in combinations(range(len(U)), 2):
        a = sum(x * y for x, y in zip(U[i], U[j], strict=True))
        b = sum(x * y for x, y in zip(V[i], V[j], strict=True))
        both, true, pred = both + a * b, true + a, pred + b
    return both, true, pred


def nodes(linkage):
    """Objects below each node of a dendrogram."""
    n = len(linkage) + 1
    below = [{i} for i in range(n)]
    for row in linkage:
        below.append(below[int(row[0])] | below[int(row[1])])
    return below


def dendrogram_f(true, linkage, beta=1.0):
    return sum(
        len(t) / len(true) * max(f_of(t, c, beta) for c in nodes(linkage)) for t in sets(true)
    )


def dendrogram_accuracy(true, linkage):
    """Every choice of one node (or none) for each class, kept where the nodes are disjoint."""
    classes, below = sets(true), nodes(linkage)

    def best(rest, used):
        if not rest:
            return 0
        t, *others = rest
        result = best(others, used)
        for node in below:
            if not node & used:
                result = max(result, len(t & node) + best(others, used | node))
        return result

    return best(classes, set()) / len(true)


def dendrogram_purity(true, linkage):
    """Heller & Ghahramani 2005."""
    values = []
    for i, j in combinations(range(len(true)), 2):
        if true[i] == true[j]:
            node = min((b for b in nodes(linkage) if i in b and j in b), key=len)
            values.append(sum(true[m] == true[i] for m in node) / len(node))
    return sum(values) / len(values) if values else 1.0
