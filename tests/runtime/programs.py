"""Programs that several tests of the runtime use."""

from dalembert.expr import absolute, cos, program, sin, sqrt, trace, where


def pendulum_chain(n, parameters=False, name="chain"):
    """Return a program with the shape of a recursion: n joints, n results, all coupled."""

    def run(q, qd):
        graph = q[0].graph
        length = graph.param("L") if parameters else 0.7
        mass = graph.param("m") if parameters else 1.3
        w, v, forces = 0, (0, 9.81), []
        for j in range(n):
            c, s = cos(q[j]), sin(q[j])
            w = w + qd[j]
            v = (c * v[0] + s * v[1] + length * w * w, c * v[1] - s * v[0] + length * qd[j])
            forces.append((mass * v[0], mass * v[1] + (j + 1) * w))
        total, out = 0, []
        for j in reversed(range(n)):
            total = total + forces[j][0] * 0.3 + forces[j][1]
            out.append(total + sqrt(absolute(total)) * where(w < 0, 1, 2))
        return out

    return program(trace(run, [("q", n), ("qd", n)], name=name))
