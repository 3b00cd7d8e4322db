"""Tables over all pairs of cells, written out: oracles for the code that avoids them."""

import numpy as np


def squared_distances(shape: tuple[int, int]) -> np.ndarray:
    """Squared distance in cells² between all cells of a grid, numbered ix·columns + iy."""
    cells = np.stack(np.meshgrid(*(np.arange(n) for n in shape), indexing="ij"), axis=-1).reshape(-1, 2)
    return ((cells[:, None] - cells[None]) ** 2).sum(axis=-1).astype(float)


def distances(d: int) -> np.ndarray:
    """Distance in cells between all cells of a d×d grid, (d², d²)."""
    return np.sqrt(squared_distances((d, d)))
