"""What all compiled code shares: how it is compiled, threads, distances, Cholesky factors, Chebyshev nodes.

Modules here import numba, which takes longer than the rest of the package, so they are imported where they are needed.
"""
