"""Measured motions: tables in and out, their rates and accelerations, measured forces."""
