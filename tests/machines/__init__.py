"""Machines for the referee: closed graphs, named linkages, wheels; native dicts with a pose."""
