"""Numbers for the parameters of the 1980 report's robot, and a box of motions."""

VALUES = {
    "L1": 0.65, "L2": 0.8, "L3": 0.7, "L6": 0.25, "M1": 22.0, "M2": 14.0, "M3": 9.0, "M6": 3.5,
    "D1": 0.3, "D2": 0.36, "D3": 0.31, "D6": 0.12, "IX1": 0.9, "IZ1": 0.85, "IX2": 0.62, "IZ2": 0.6,
    "IX3": 0.35, "IY3": 0.34, "IX6": 0.02, "IY6": 0.025, "G": -9.81,
}  # fmt: skip
LIMITS = {"all": {"q": (-3.1, 3.1), "qd": 2.0, "qdd": 5.0}}
