"""The symbolic scalar: a graph that records arithmetic. It knows nothing of robots."""

# ruff: noqa: F401, F403 - this file re-exports; every primitive of the table is a function here

from .block import Block, Leaf, Line
from .derive import gradient, jacobian, push
from .forms import IMPLICIT, call, expand, solve
from .function import Function, Port, evaluate, flatten, specialise, trace
from .graph import Graph
from .ops import *
from .program import Cost, Program, count, program, programs
from .scalar import Expr
from .show import decimal, text
from .straight import Straight
