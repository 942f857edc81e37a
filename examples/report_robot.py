"""The six-joint robot of the 1980 report: from one sentence to its tables."""

import sys

from dalembert.cli import main

SENTENCE = (
    "RY(T1MIN,T1MAX),TYK(L1),RX(T2MIN,T2MAX),TYK(L2),RX(T3MIN,T3MAX),TZK(L3),"
    "RX(T4MIN,T4MAX),TZK(0),RY(T5MIN,T5MAX),TZK(0),RZ(T6MIN,T6MAX),TZK(L6);"
    " gravity = (0, G, 0);"
)

if __name__ == "__main__":
    sys.exit(main(["tables", SENTENCE]))
