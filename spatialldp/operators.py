"""A mechanism as a linear map between distributions, without its matrix.

`forward(x)` gives the expected share of each report when people are spread as x; `backward(r)` is the
transpose. Both take arrays that are nowhere negative, and any number of leading axes before their own,
so that several fits run as one batch; and both write into `out` where it is given. Recovery calls them some hundred
times on arrays of the same size, and asking the system for a large array costs more than filling it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cached_property
from typing import Protocol

import numpy as np
import scipy
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Up to this many matrix entries the dense product is the fastest (benchmarks/em_iteration.py).
LARGEST_DENSE = 20_000
#: OpenBLAS shares a product of more multiplications than this out to threads. At such sizes that gains little on
#: an idle machine and costs a hundredfold on a busy one, so nothing here asks for one.
LARGEST_PRODUCT = 262_144
#: Fits are transformed together up to this size: a larger array leaves the cache.
_TRANSFORM_BYTES = 500_000


class Operator(Protocol):
    """What recovery needs to know of a mechanism."""

    input_shape: tuple[int, ...]
    output_shape: tuple[int, ...]
    #: 1 − Σ_out min_in P(out|in): the share of reports that depends on the cell at all. A bound will do.
    informative_share: float

    def forward(self, x: Array, out: Array | None = None) -> Array: ...
    def backward(self, r: Array, out: Array | None = None) -> Array: ...


class DenseOperator:
    """The matrix itself, (inputs, outputs), for the sizes at which nothing is faster."""

    def __init__(self, matrix: Array, input_shape: tuple[int, ...], output_shape: tuple[int, ...]) -> None:
        self.input_shape, self.output_shape = input_shape, output_shape
        self._matrix = np.ascontiguousarray(matrix)
        self.informative_share = 1.0 - float(matrix.min(axis=0).sum())

    def forward(self, x: Array, out: Array | None = None) -> Array:
        batch = x.shape[: x.ndim - len(self.input_shape)]
        return _copied((x.reshape(*batch, -1) @ self._matrix).reshape(*batch, *self.output_shape), out)

    def backward(self, r: Array, out: Array | None = None) -> Array:
        batch = r.shape[: r.ndim - len(self.output_shape)]
        return _copied((r.reshape(*batch, -1) @ self._matrix.T).reshape(*batch, *self.input_shape), out)


def _copied(result: Array, out: Array | None) -> Array:
    """For the operators of small grids, whose arrays are too small to cost anything."""
    if out is None:
        return result
    out[...] = result
    return out


class ConvolutionOperator:
    """P(out|in) = q·(1 + gain·kernel[out − in]) on an output domain: a constant and a convolution.

    `kernel` (2b+1, 2b+1); `domain` bool (d+2b, d+2b), True where a report can lie. The convolution
    of d cells with 2b+1 offsets just fills d+2b cells, so the transform needs no further padding.
    """

    def __init__(self, kernel: Array, q: float, gain: float, domain: NDArray[np.bool_]) -> None:
        size = domain.shape[0]
        d = size - kernel.shape[0] + 1
        self.input_shape: tuple[int, ...] = (d, d)
        self.output_shape: tuple[int, ...] = (size, size)
        self._weights = (q * gain) * kernel
        self.informative_share = 1.0 - q * float(domain.sum())
        self._q_on_domain = np.where(domain, q, 0.0)
        self._domain = domain

    def forward(self, x: Array, out: Array | None = None) -> Array:
        # The domain is multiplied in because rounding in the transform leaves specks outside it.
        expected = self._convolve(x, out)
        expected *= self._domain
        for field, total in zip(
            expected.reshape(-1, *self.output_shape), x.sum(axis=(-2, -1)).reshape(-1), strict=True
        ):
            field += total * self._q_on_domain
        return expected

    def backward(self, r: Array, out: Array | None = None) -> Array:
        # No kernel reaches beyond the domain, so what r holds there does not count.
        result = self._correlate(r, out)
        result += np.einsum("...ij,ij->...", r, self._q_on_domain)[..., None, None]
        return result

    def _convolve(self, x: Array, out: Array | None) -> Array:
        raise NotImplementedError

    def _correlate(self, r: Array, out: Array | None) -> Array:
        raise NotImplementedError


class _Scratch(threading.local):
    """Memory a thread keeps for its transforms, as much as the largest of them needed."""

    memory = np.empty(0, dtype=np.complex128)

    def array(self, shape: tuple[int, ...]) -> NDArray[np.complex128]:
        size = int(np.prod(shape))
        if self.memory.size < size:
            self.memory = np.empty(size, dtype=np.complex128)
        return self.memory[:size].reshape(shape)


_scratch = _Scratch()


class _Transform:
    """Convolution of d×d cells with a table of weights, and its transpose, by FFT: any radius, O(d² log d).

    Two fits make one complex transform, one as its real part and one as its imaginary part: the weights are real, so
    the two never mix. That way every pass is done in place.
    """

    def __init__(self, weights: Array, d: int) -> None:
        self._d, self._side = d, d + weights.shape[0] - 1
        self._length = scipy.fft.next_fast_len(self._side)
        self._spectrum = scipy.fft.fft2(weights, s=(self._length, self._length))
        self._conjugate = self._spectrum.conj()
        self._together = 2 * max(1, _TRANSFORM_BYTES // self._spectrum.nbytes)

    def convolve(self, x: Array, out: Array | None = None) -> Array:
        return self._filtered(x, self._spectrum, self._side, out)

    def correlate(self, r: Array, out: Array | None = None) -> Array:
        return self._filtered(r, self._conjugate, self._d, out)

    def _filtered(self, a: Array, spectrum: NDArray[np.complex128], side: int, out: Array | None) -> Array:
        if out is None:
            out = np.empty((*a.shape[:-2], side, side))
        fields, results = a.reshape(-1, *a.shape[-2:]), out.reshape(-1, side, side)
        for start in range(0, len(fields), self._together):
            some = slice(start, start + self._together)
            self._filter_together(fields[some], spectrum, results[some])
        return out

    def _filter_together(self, fields: Array, spectrum: NDArray[np.complex128], results: Array) -> None:
        (count, rows, columns), side, length = fields.shape, results.shape[-1], self._length
        pairs = _scratch.array(((count + 1) // 2, length, length))
        pairs[:, :rows, columns:] = 0.0
        pairs[:, rows:] = 0.0
        pairs.real[:, :rows, :columns] = fields[0::2]
        pairs.imag[: count // 2, :rows, :columns] = fields[1::2]
        pairs.imag[count // 2 :, :rows, :columns] = 0.0
        # Axis by axis, so that the rows of padding are never transformed, nor those not asked for.
        _in_place(scipy.fft.fft, pairs[:, :rows], -1)
        _in_place(scipy.fft.fft, pairs, -2)
        pairs *= spectrum
        _in_place(scipy.fft.ifft, pairs, -2)
        _in_place(scipy.fft.ifft, pairs[:, :side], -1)
        # Nothing here is negative but for rounding, and at a large ε that rounding could outweigh q.
        np.maximum(pairs.real[:, :side, :side], 0.0, out=results[0::2])
        np.maximum(pairs.imag[: count // 2, :side, :side], 0.0, out=results[1::2])


def _in_place(transform: Callable[..., NDArray[np.complex128]], a: NDArray[np.complex128], axis: int) -> None:
    result = transform(a, axis=axis, overwrite_x=True)
    if not np.may_share_memory(result, a):  # It may overwrite its argument, but does not promise to.
        a[...] = result


class TransformOperator(ConvolutionOperator):
    """The convolution by FFT."""

    @cached_property
    def _transform(self) -> _Transform:
        return _Transform(self._weights, self.input_shape[0])

    def _convolve(self, x: Array, out: Array | None) -> Array:
        return self._transform.convolve(x, out)

    def _correlate(self, r: Array, out: Array | None) -> Array:
        return self._transform.correlate(r, out)


class FoldedOperator:
    """Convolution with a kernel of offsets −d…d, (2d+1, 2d+1); what falls outside moves to the nearest cell."""

    def __init__(self, kernel: Array) -> None:
        d = kernel.shape[0] // 2
        self.input_shape: tuple[int, ...] = (d, d)
        self.output_shape: tuple[int, ...] = (d, d)
        self._transform = _Transform(kernel, d)
        # Far from a cell its reports all but vanish, so on any grid worth a map nearly all of them depend on it.
        self.informative_share = 1.0

    def forward(self, x: Array, out: Array | None = None) -> Array:
        spread = self._transform.convolve(x)
        folded_x = self._fold(spread.swapaxes(-1, -2)).swapaxes(-1, -2)
        return _copied(self._fold(folded_x), out)

    def backward(self, r: Array, out: Array | None = None) -> Array:
        d = self.input_shape[0]
        margins = [(0, 0)] * (r.ndim - 2) + [(d, d), (d, d)]
        return self._transform.correlate(np.pad(r, margins, mode="edge"), out)

    def _fold(self, spread: Array) -> Array:
        """Add the d columns on either side to the first and the last of the d in the middle."""
        d = self.input_shape[0]
        folded = spread[..., d : 2 * d].copy()
        folded[..., 0] += spread[..., :d].sum(axis=-1)
        folded[..., -1] += spread[..., 2 * d :].sum(axis=-1)
        return folded


class SeparableOperator(ConvolutionOperator):
    """The convolution as a few pairs of one-dimensional ones: two matrix products, O(rank·d³), for small grids.

    The kernel is symmetric, so its eigenvectors v give kernel = Σ λ·v·vᵀ, and a disk needs few of them.
    """

    def __init__(self, kernel: Array, q: float, gain: float, domain: NDArray[np.bool_]) -> None:
        super().__init__(kernel, q, gain, domain)
        values, vectors = np.linalg.eigh(self._weights)
        kept = np.abs(values) > 1e-15 * np.abs(values).max()
        (d, _), (side, _) = self.input_shape, self.output_shape
        shifted = np.zeros((int(kept.sum()), d, side))  # [k, i, o] = v_k[o − i]
        for i in range(d):
            shifted[:, i, i : i + kernel.shape[0]] = vectors[:, kept].T
        weighted = values[kept, None, None] * shifted
        self._forward = _two_sided(shifted, weighted)
        self._backward = _two_sided(shifted.transpose(0, 2, 1), weighted.transpose(0, 2, 1))

    @property
    def largest_product(self) -> int:
        """Multiplications in the larger of the matrix products."""
        (d, _), (side, _) = self.input_shape, self.output_shape
        return max(d * self._forward[0].size, side * self._forward[1].size, side * self._backward[0].size)

    def _convolve(self, x: Array, out: Array | None) -> Array:
        return _apply_two_sided(self._forward, x, out)

    def _correlate(self, r: Array, out: Array | None) -> Array:
        return _apply_two_sided(self._backward, r, out)


def _two_sided(right: Array, left: Array) -> tuple[Array, Array]:
    """Lay out right[k] and left[k] (rank, m, n) so that a → Σ_k left[k]ᵀ·a·right[k] is two products."""
    rank, m, n = right.shape
    return (
        np.ascontiguousarray(right.transpose(1, 0, 2).reshape(m, rank * n)),
        np.ascontiguousarray(left.transpose(2, 1, 0).reshape(n, m * rank)),
    )


def _apply_two_sided(factors: tuple[Array, Array], a: Array, out: Array | None) -> Array:
    right, left = factors
    n = left.shape[0]
    result = np.matmul(left, (a @ right).reshape(*a.shape[:-2], -1, n), out=out)
    return np.maximum(result, 0.0, out=result)


class ShiftOperator(ConvolutionOperator):
    """The convolution as one shifted copy per offset: the fastest on large grids for radius 0 and 1."""

    def _convolve(self, x: Array, out: Array | None) -> Array:
        d = self.input_shape[0]
        out = _zeros((*x.shape[:-2], *self.output_shape), out)
        for (dx, dy), weight in np.ndenumerate(self._weights):
            out[..., dx : dx + d, dy : dy + d] += weight * x
        return out

    def _correlate(self, r: Array, out: Array | None) -> Array:
        d = self.input_shape[0]
        out = _zeros((*r.shape[:-2], *self.input_shape), out)
        for (dx, dy), weight in np.ndenumerate(self._weights):
            out += weight * r[..., dx : dx + d, dy : dy + d]
        return out


def _zeros(shape: tuple[int, ...], out: Array | None) -> Array:
    if out is None:
        return np.zeros(shape)
    out[...] = 0.0
    return out


def fastest_convolution(kernel: Array, q: float, gain: float, domain: NDArray[np.bool_]) -> ConvolutionOperator:
    """The form that is fastest at this size (benchmarks/em_iteration.py)."""
    arguments = (kernel, q, gain, domain)
    if kernel.size == 1:
        return ShiftOperator(*arguments)
    if domain.shape[0] <= _LARGEST_SEPARABLE_SIDE:
        separable = SeparableOperator(*arguments)
        if separable.largest_product <= LARGEST_PRODUCT:
            return separable
    return ShiftOperator(*arguments) if kernel.shape[0] == 3 else TransformOperator(*arguments)


#: Above this a product of rank one is already too large: no need to factor the kernel to find out.
_LARGEST_SEPARABLE_SIDE = round(LARGEST_PRODUCT ** (1 / 3))
