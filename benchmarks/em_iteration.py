"""One EM iteration (forward and backward) without the matrix, against the dense product."""

from __future__ import annotations

import numpy as np

from benchmarks.timing import best_of, milliseconds, print_table, ratio_row
from spatialldp import DAM
from spatialldp.mechanisms import SAM
from spatialldp.operators import DenseOperator, Operator, SeparableOperator, ShiftOperator, TransformOperator

#: Above this size the matrix does not fit; its time is then left out.
LARGEST_MATRIX_BYTES = 390_000_000
LARGEST_SEPARABLE_D = 50
CASES = (
    (5, 3.5),
    (10, 3.5),
    (15, 3.5),
    (20, 9.0),
    (20, 3.5),
    (20, 0.7),
    (50, 3.5),
    (50, 5.0),
    (50, 7.0),
    (100, 3.5),
    (100, 6.0),
    (200, 3.5),
)
BATCH = 5  # the splits of adaptive stopping


def pair(operator: Operator, batch: int) -> float:
    """Seconds of one forward and one backward product."""
    x = np.random.default_rng(0).random((batch, *operator.input_shape))
    r = np.random.default_rng(1).random((batch, *operator.output_shape))

    def step() -> None:
        operator.forward(x)
        operator.backward(r)

    return best_of(step)


def dense(mechanism: SAM) -> DenseOperator | None:
    side = mechanism.d + 2 * mechanism.b
    if 8 * mechanism.d**2 * side**2 > LARGEST_MATRIX_BYTES:
        return None
    matrix = np.zeros((mechanism.d**2, side**2))
    matrix[:, mechanism.output_domain.ravel()] = mechanism.transition_matrix()
    return DenseOperator(matrix, (mechanism.d, mechanism.d), (side, side))


def rows() -> tuple[list[list[str]], list[list[str]]]:
    """(the whole table, its lines for the table of ratios)."""
    table, ratios = [], []
    for d, epsilon in CASES:
        mechanism = DAM(epsilon, d)
        arguments = (mechanism.kernel, mechanism.q, float(np.expm1(epsilon)), mechanism.output_domain)
        matrix = dense(mechanism)
        for batch in (1, BATCH):
            times = {
                "dense": None if matrix is None else pair(matrix, batch),
                "FFT": pair(TransformOperator(*arguments), batch),
                "separable": pair(SeparableOperator(*arguments), batch) if d <= LARGEST_SEPARABLE_D else None,
                "shifts": pair(ShiftOperator(*arguments), batch) if mechanism.b <= 3 else None,
            }
            chosen = pair(mechanism.operator, batch)
            kind = type(mechanism.operator).__name__.removesuffix("Operator")
            table.append(
                [
                    f"{d}",
                    f"{epsilon:g}",
                    f"{mechanism.b}",
                    f"{batch}",
                    *map(milliseconds, times.values()),
                    kind,
                    milliseconds(chosen),
                ]
            )
            case = f"EM iteration, d={d} ε={epsilon:g}, {batch} fit{'s' * (batch > 1)}"
            ratios.append(ratio_row(case, chosen, "dense matrix", times["dense"]))
    return table, ratios


def main() -> list[list[str]]:
    """Print the table; return its lines for the table of ratios."""
    header = ["d", "ε", "b", "fits", "dense ms", "FFT ms", "separable ms", "shifts ms", "chosen", "ms"]
    table, ratios = rows()
    print_table("EM iteration, one forward and one backward product", header, table)
    return ratios


if __name__ == "__main__":
    main()
