"""Gaussian processes on a finite set of points: the prior, the posterior, and parameters fitted to the data.

Symbols, as in Rasmussen & Williams, *Gaussian Processes for Machine Learning* (2006):

=================  =========================================================================================
s²                 ``signal_variance``, the prior variance of the function
l                  ``length_scale``
σ²                 ``noise_variance`` of one observation (white noise)
c(x, x')           ``exp(-|x - x'|² / (2 l²))``, the correlation of the function at two points
y                  the observed values minus the prior mean
=================  =========================================================================================
"""

from quickdraw_bandits.gaussian_process.arm_correlations import ArmCorrelations
from quickdraw_bandits.gaussian_process.directions import Directions
from quickdraw_bandits.gaussian_process.embedding import coordinates
from quickdraw_bandits.gaussian_process.fit import Fit, WarmFit, fit
from quickdraw_bandits.gaussian_process.likelihood import log_marginal_likelihood
from quickdraw_bandits.gaussian_process.parameters import Parameters
from quickdraw_bandits.gaussian_process.posterior import factorise, posterior
from quickdraw_bandits.gaussian_process.sample import Sample
from quickdraw_bandits.gaussian_process.time_correlations import Forgetting, SquaredExponential
from quickdraw_bandits.gaussian_process.weighted import WeightedProcess
from quickdraw_bandits.gaussian_process.windowed import DriftingProcess, WindowedProcess

__all__ = [
    "ArmCorrelations",
    "Directions",
    "DriftingProcess",
    "Fit",
    "Forgetting",
    "Parameters",
    "Sample",
    "SquaredExponential",
    "WarmFit",
    "WeightedProcess",
    "WindowedProcess",
    "coordinates",
    "factorise",
    "fit",
    "log_marginal_likelihood",
    "posterior",
]
