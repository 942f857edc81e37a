"""Measured speed and size; `python -m benchmarks` prints what README.md holds."""
