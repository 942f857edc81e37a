"""How much a page may ask for."""

BODY = 2 << 20  # bytes of a request
SECONDS = 60.0  # of simulated time
LIVE = 20.0  # seconds that an answer to a keystroke may take
LONG = 120.0  # seconds that a simulation or a code may take
MEMORY = 4 << 30  # bytes of a worker
READING = 10.0  # seconds in which a request must have come
CLIENTS = 200  # connections at once
