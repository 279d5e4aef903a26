"""Spectra of kernels: how much the leading eigenvectors keep."""

from dataclasses import dataclass

import numpy as np

from .eigenspace import product, rank_tolerance
from .kernel_checks import list_kernels
from .memory import check_memory


@dataclass(frozen=True)
class KernelSpectrum:
    """Eigenvalues of a kernel, and what they say.

    Attributes
    ----------
    eigenvalues : ndarray of shape (n,)
        In decreasing order; negative ones, if any, included.
    rank : int
        Number of eigenvalues above rounding (1e-10 of the largest; 1e-6 for float32).
    """

    eigenvalues: np.ndarray
    rank: int

    @property
    def effective_rank(self):
        """The exponential of the entropy of the eigenvalues' shares: n for equal ones, 1 for a single one."""
        shares = self.eigenvalues[: self.rank] / self.eigenvalues[: self.rank].sum()
        return float(np.exp(-(shares * np.log(shares)).sum()))

    def kept(self, count):
        """Share of the sum of positive eigenvalues that the leading `count` hold (the paper's Figure 2)."""
        positive = np.maximum(self.eigenvalues, 0)
        return float(positive[:count].sum() / positive.sum())


def kernel_spectrum(kernel):
    """Eigenvalues of a kernel by a dense decomposition.

    Parameters
    ----------
    kernel : array-like of shape (n, n), or object with a product

    Returns
    -------
    KernelSpectrum

    Examples
    --------
    >>> from dendrolab.kernel_spectrum import kernel_spectrum
    >>> spectrum = kernel_spectrum([[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    >>> spectrum.rank, spectrum.kept(1), round(spectrum.effective_rank, 3)
    (3, 0.5, 2.828)
    """
    kernels = list_kernels(kernel)
    if len(kernels) > 1:
        raise ValueError(f"kernel holds {len(kernels)} kernels: give one.")
    kernel = kernels[0]
    n = kernel.shape[0]
    check_memory(16 * n * n, f"the spectrum of {n} objects")
    dense = kernel if isinstance(kernel, np.ndarray) else product(kernel, np.eye(n))
    eigenvalues = np.linalg.eigvalsh(dense.astype(np.float64, copy=False))[::-1]
    return KernelSpectrum(eigenvalues, int((eigenvalues > rank_tolerance(kernel) * eigenvalues[0]).sum()))
