"""A small transformer that learns to cluster from generated tables.

Rows attend to each other. What a pair of rows has in common (distance, neighbour ranks, density,
paths through dense regions) shifts the attention, so that the number of columns does not matter.
The network gives every row a place; two rows are one group the more likely, the nearer they are.

Needs PyTorch, an extra of the laboratory: ``pip install './lab[taught]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import pdist, squareform
from torch import Tensor, nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from karat_lab.choice_shapes import Points

#: principal components that a row brings
COMPONENTS = 16
#: values by row and by pair of rows
ROW_VALUES, PAIR_VALUES = COMPONENTS + 3, 7
#: numbers of clusters that the network tells apart; the last is "this many or more"
LARGEST_K = 16
TINY = 1e-6


def describe(X: Points) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Values by row (n, 19) and by pair of rows (n, n, 7) that the network reads."""
    X = X - X.mean(axis=0)
    X = X / max(np.sqrt((X**2).sum(axis=1).mean()), TINY)
    n = len(X)
    U, s, _ = np.linalg.svd(X, full_matrices=False)
    kept = min(COMPONENTS, len(s))
    parts = np.zeros((n, COMPONENTS))
    parts[:, :kept] = U[:, :kept] * s[:kept] * 2
    parts *= np.where((parts**3).sum(axis=0) < 0, -1, 1)
    flat = pdist(X, "sqeuclidean") + TINY
    squares = squareform(flat)
    ranks = np.argsort(np.argsort(squares, axis=1), axis=1)
    near = np.sort(squares, axis=1)[:, [min(5, n - 1), min(15, n - 1)]] + TINY
    local = np.sqrt(near[:, 0])
    reach = np.maximum(squares, np.maximum.outer(near[:, 0], near[:, 0]))
    reach_flat = reach[np.triu_indices(n, 1)]
    path = squareform(cophenet(linkage(np.sqrt(reach_flat), "single"))) ** 2 + TINY
    ward = squareform(cophenet(linkage(np.sqrt(flat), "ward"))) ** 2 + TINY
    rank, logs = np.log1p(ranks) / np.log(n), np.log(squares + TINY)
    pairs = np.stack(
        [
            logs,
            logs - np.log(np.outer(local, local)),
            np.log(reach),
            np.log(path) - np.log(np.median(path)),
            np.log(ward) - np.log(np.median(ward)),
            4 * rank,
            4 * rank.T,
        ],
        axis=-1,
    )
    density = np.log(near) - np.log(np.median(near, axis=0))
    lost = np.full((n, 1), 1 - (s[:kept] ** 2).sum() / max((s**2).sum(), TINY))
    rows = np.hstack([parts, density, lost])
    return (
        np.clip(rows, -8, 8).astype(np.float32),
        np.clip(pairs, -9, 9).astype(np.float32),
    )


class _Layer(nn.Module):
    """Attention among rows, shifted by pairs, and a layer for each row."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.project, self.merge = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.each = nn.Sequential(
            nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, rows: Tensor, shift: Tensor) -> Tensor:
        """Rows (B, n, width) after attention with shifts (B, heads, n, n)."""
        B, n, width = rows.shape
        query, key, value = (
            self.project(self.before(rows)).view(B, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        weights = torch.softmax(
            query @ key.transpose(-1, -2) * query.shape[-1] ** -0.5 + shift, dim=-1
        )
        rows = rows + self.merge((weights @ value).transpose(1, 2).reshape(B, n, width))
        return rows + self.each(self.after(rows))


class TaughtNetwork(nn.Module):
    """Which rows are together, and a distribution of the number of clusters."""

    def __init__(self, *, width: int = 128, layers: int = 6, heads: int = 4) -> None:
        super().__init__()
        self.groups = layers // 2
        self.rows = nn.Linear(ROW_VALUES, width)
        self.pairs = nn.Sequential(
            nn.Linear(PAIR_VALUES, 16), nn.ReLU(), nn.Linear(16, heads * self.groups + 1)
        )
        self.layers = nn.ModuleList(_Layer(width, heads) for _ in range(layers))
        self.last = nn.LayerNorm(width)
        self.place = nn.Linear(width, 32)
        nn.init.normal_(self.place.weight, std=0.015)
        self.offset = nn.Parameter(torch.tensor(1.0))
        self.number = nn.Sequential(
            nn.Linear(2 * width, width), nn.GELU(), nn.Linear(width, LARGEST_K)
        )

    def forward(self, rows: Tensor, pairs: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of two rows being together (B, n, n), and of 1, 2, … clusters (B, 16)."""
        seen = self.pairs(pairs).permute(0, 3, 1, 2)
        shifts = seen[:, 1:].chunk(self.groups, dim=1)
        state = self.rows(rows)
        for i, layer in enumerate(self.layers):
            state = layer(state, shifts[i // 2])
        state = self.last(state)
        pooled = torch.cat([state.mean(dim=1), state.amax(dim=1)], dim=-1)
        return self._together(self.place(state).float(), seen[:, 0].float()), self.number(pooled)

    def _together(self, places: Tensor, direct: Tensor) -> Tensor:
        """Logits from squared distances of places, and from the pair itself."""
        squares = (places**2).sum(dim=-1)
        inner = places @ places.transpose(-1, -2)
        apart = (squares[:, :, None] + squares[:, None] - 2 * inner).clamp(min=0)
        return self.offset + 0.5 * (direct + direct.transpose(1, 2)) - apart


def loss_of(
    network: TaughtNetwork, rows: Tensor, pairs: Tensor, labels: Tensor, k: Tensor
) -> tuple[Tensor, dict[str, float]]:
    """Cross-entropy of pairs, and a tenth of that of the number of clusters."""
    logits, number = network(rows, pairs)
    same = (labels[:, :, None] == labels[:, None]).float()
    counts = ((labels[:, :, None] >= 0) & (labels[:, None] >= 0)).float()
    losses = nn.functional.binary_cross_entropy_with_logits(logits, same, reduction="none")
    by_pairs = ((losses * counts).sum(dim=(1, 2)) / counts.sum(dim=(1, 2))).mean()
    by_number = nn.functional.cross_entropy(number.float(), k)
    total = by_pairs + 0.1 * by_number
    return total, {"pairs": by_pairs.item(), "number": by_number.item()}


def read_tables(network: TaughtNetwork, X: Points, flips: int = 4) -> tuple[Any, Any]:
    """Probabilities that rows are together (n, n) and of 1, 2, … clusters (16,).

    Means over ``flips`` fixed choices of the components' signs, which mean nothing.
    """
    rows, pairs = describe(np.asarray(X, dtype=np.float64))
    rng = np.random.default_rng(0)
    turned = np.repeat(rows[None], flips, axis=0)
    turned[1:, :, :COMPONENTS] *= rng.choice([-1, 1], (flips - 1, 1, COMPONENTS))
    both, numbers = 0.0, 0.0
    with torch.inference_mode():
        for one in turned:
            logits, number = network(torch.from_numpy(one)[None], torch.from_numpy(pairs)[None])
            both = both + torch.sigmoid(logits)[0].double().numpy() / flips
            numbers = numbers + torch.softmax(number, dim=-1)[0].double().numpy() / flips
    return both, numbers
