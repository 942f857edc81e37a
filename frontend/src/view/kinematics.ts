// Frames of all bodies from the coordinates, and the closing of loops by damped least squares.
// Conventions are those of the Python package: quaternions x y z w, screw pitch in metres per radian.

import type { Body, Place, Scene, Vec } from "./scene";

const NQ = { revolute: 1, prismatic: 1, screw: 1, spherical: 4, planar: 3, free: 7, fixed: 0 };
const NV = { revolute: 1, prismatic: 1, screw: 1, spherical: 3, planar: 3, free: 6, fixed: 0 };
export const IDENTITY: Place = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

export const dot = (a: Vec, b: Vec) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Vec, b: Vec): Vec => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const sub = (a: Vec, b: Vec): Vec => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const norm = (a: Vec) => Math.hypot(a[0], a[1], a[2]);
export const turn = (T: Place, v: Vec): Vec => [
  T[0] * v[0] + T[1] * v[1] + T[2] * v[2],
  T[3] * v[0] + T[4] * v[1] + T[5] * v[2],
  T[6] * v[0] + T[7] * v[1] + T[8] * v[2],
];
export const at = (T: Place, v: Vec): Vec => {
  const w = turn(T, v);
  return [w[0] + T[9], w[1] + T[10], w[2] + T[11]];
};

export function times(A: Place, B: Place): Place {
  const out = new Array(12);
  for (let r = 0; r < 3; r++) {
    const a = A[3 * r], b = A[3 * r + 1], c = A[3 * r + 2];
    for (let k = 0; k < 3; k++) out[3 * r + k] = a * B[k] + b * B[3 + k] + c * B[6 + k];
    out[9 + r] = a * B[9] + b * B[10] + c * B[11] + A[9 + r];
  }
  return out;
}

export function aboutAxis(u: Vec, angle: number): Place {
  const c = Math.cos(angle), s = Math.sin(angle), d = 1 - c;
  const [x, y, z] = u;
  return [
    c + x * x * d, x * y * d - z * s, x * z * d + y * s,
    x * y * d + z * s, c + y * y * d, y * z * d - x * s,
    x * z * d - y * s, y * z * d + x * s, c + z * z * d,
    0, 0, 0,
  ];
}

export function fromQuaternion(q: number[], k: number): Place {
  const n = Math.hypot(q[k], q[k + 1], q[k + 2], q[k + 3]) || 1;
  const x = q[k] / n, y = q[k + 1] / n, z = q[k + 2] / n, w = q[k + 3] / n;
  return [
    1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y),
    2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
    2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y),
    0, 0, 0,
  ];
}

function jointPose(b: Body, q: number[], k: number): Place {
  const u = b.axis ?? [0, 0, 1];
  switch (b.kind) {
    case "revolute":
      return aboutAxis(u, q[k]);
    case "prismatic":
      return [1, 0, 0, 0, 1, 0, 0, 0, 1, u[0] * q[k], u[1] * q[k], u[2] * q[k]];
    case "screw": {
      const T = aboutAxis(u, q[k]), d = b.pitch * q[k];
      T[9] = u[0] * d; T[10] = u[1] * d; T[11] = u[2] * d;
      return T;
    }
    case "planar": {
      const T = aboutAxis([0, 0, 1], q[k + 2]);
      T[9] = q[k]; T[10] = q[k + 1];
      return T;
    }
    case "spherical":
      return fromQuaternion(q, k);
    case "free": {
      const T = fromQuaternion(q, k + 3);
      T[9] = q[k]; T[10] = q[k + 1]; T[11] = q[k + 2];
      return T;
    }
    default:
      return IDENTITY;
  }
}

function product(a: number[], b: number[]): number[] {
  const [ax, ay, az, aw] = a, [bx, by, bz, bw] = b;
  return [
    aw * bx + ax * bw + ay * bz - az * by,
    aw * by - ax * bz + ay * bw + az * bx,
    aw * bz + ax * by - ay * bx + az * bw,
    aw * bw - ax * bx - ay * by - az * bz,
  ];
}

function turned(q: number[], k: number, w: Vec): void {
  const angle = norm(w), s = angle < 1e-12 ? 0.5 : Math.sin(angle / 2) / angle;
  const step = [w[0] * s, w[1] * s, w[2] * s, Math.cos(angle / 2)];
  const p = product(q.slice(k, k + 4), step);
  const n = Math.hypot(p[0], p[1], p[2], p[3]);
  for (let i = 0; i < 4; i++) q[k + i] = p[i] / n;
}

export interface Control {
  // one slider: a coordinate, or one of three angles of an orientation
  label: string;
  body: number;
  index: number; // of q
  angle: -1 | 0 | 1 | 2; // -1: the coordinate itself; else yaw, pitch, roll by number
  column: number; // of the velocity it moves, for holding
  unit: "rad" | "m";
  low: number | null;
  high: number | null;
}

export class Machine {
  readonly scene: Scene;
  readonly qStart: number[] = [];
  readonly vStart: number[] = [];
  readonly nv: number;
  q: number[];
  private readonly closed: boolean;

  constructor(scene: Scene) {
    this.scene = scene;
    let nq = 0, nv = 0;
    for (const b of scene.bodies) {
      this.qStart.push(nq);
      this.vStart.push(nv);
      nq += NQ[b.kind];
      nv += NV[b.kind];
    }
    this.nv = nv;
    this.q = scene.q.slice();
    this.closed = scene.loops.length + scene.couplings.length > 0;
  }

  frames(q: number[] = this.q): Place[] {
    const out: Place[] = [];
    this.scene.bodies.forEach((b, j) => {
      const here = times(b.place, jointPose(b, q, this.qStart[j]));
      out.push(b.parent < 0 ? here : times(out[b.parent], here));
    });
    return out;
  }

  // -- loops ----------------------------------------------------------------------------------

  private rows(q: number[]): number[] {
    const F = this.frames(q), size = this.scene.size, out: number[] = [];
    for (const c of this.scene.loops) {
      const A = c.i < 0 ? IDENTITY : F[c.i], B = c.j < 0 ? IDENTITY : F[c.j];
      const gap = sub(at(B, c.pj), at(A, c.pi)).map((x) => x / size);
      const ai = c.axis_i && turn(A, c.axis_i), aj = c.axis_j && turn(B, c.axis_j);
      const apart = () => cross(ai!, aj!);
      const beside = () => cross(ai!, gap);
      const twist = () => {
        const E = times(A, [...c.Ri, 0, 0, 0]), G = times(B, [...c.Rj, 0, 0, 0]);
        const col = (T: Place, k: number): Vec => [T[k], T[3 + k], T[6 + k]];
        const sum = [0, 0, 0];
        for (let k = 0; k < 3; k++) cross(col(E, k), col(G, k)).forEach((x, n) => (sum[n] += x / 2));
        return sum;
      };
      switch (c.kind) {
        case "revolute": out.push(...gap, ...apart()); break;
        case "prismatic": out.push(...beside(), ...twist()); break;
        case "cylindrical": out.push(...beside(), ...apart()); break;
        case "universal": out.push(...gap, dot(ai!, aj!)); break;
        case "fixed": out.push(...gap, ...twist()); break;
        case "rod": {
          const l = (c.length ?? 0) / size;
          out.push((dot(gap, gap) - l * l) / (2 * l || 1));
          break;
        }
        default: out.push(...gap);
      }
    }
    for (const c of this.scene.couplings)
      out.push(q[this.qStart[c.joint]] - c.ratio * q[this.qStart[c.of]] - c.offset);
    return out;
  }

  residual(q: number[] = this.q): number {
    return this.closed ? Math.max(0, ...this.rows(q).map(Math.abs)) : 0;
  }

  moved(q: number[], step: number[]): number[] {
    const out = q.slice();
    this.scene.bodies.forEach((b, j) => {
      const k = this.qStart[j], v = this.vStart[j];
      if (b.kind === "free") {
        const T = fromQuaternion(q, k + 3), d = turn(T, step.slice(v, v + 3));
        for (let i = 0; i < 3; i++) out[k + i] += d[i];
        turned(out, k + 3, step.slice(v + 3, v + 6));
      } else if (b.kind === "spherical") turned(out, k, step.slice(v, v + 3));
      else for (let i = 0; i < NV[b.kind]; i++) out[k + i] += step[v + i];
    });
    return out;
  }

  // closes the loops with some columns held; returns null where that fails
  close(q: number[], held: Set<number>): number[] | null {
    if (!this.closed) return q;
    const free = [...Array(this.nv).keys()].filter((k) => !held.has(k));
    let r = this.rows(q), best = norm2(r), damping = 1e-12;
    for (let round = 0; round < 60 && best > 1e-26; round++) {
      const n = free.length, m = r.length, h = 1e-7;
      const J = free.map((k) => {
        const plus = new Array(this.nv).fill(0), minus = plus.slice();
        plus[k] = h;
        minus[k] = -h;
        const a = this.rows(this.moved(q, plus)), b = this.rows(this.moved(q, minus));
        return a.map((x, i) => (x - b[i]) / (2 * h));
      });
      const A: number[][] = [], g: number[] = [];
      let trace = 0;
      for (let a = 0; a < n; a++) {
        A.push([]);
        for (let b = 0; b <= a; b++) A[a].push(inner(J[a], J[b], m));
        trace += A[a][a];
        g.push(-inner(J[a], r, m));
      }
      let step: number[] | null = null;
      for (let attempt = 0; attempt < 12; attempt++) {
        const x = cholesky(A, g, damping * trace + 1e-300);
        if (x) {
          const whole = new Array(this.nv).fill(0), top = Math.max(...x.map(Math.abs), 1e-300);
          free.forEach((k, i) => (whole[k] = x[i] * Math.min(1, 0.5 / top)));
          const there = this.moved(q, whole), rows = this.rows(there), size = norm2(rows);
          if (size < best) {
            q = there; r = rows; best = size; step = x;
            damping = Math.max(1e-13, damping / 10);
            break;
          }
        }
        damping *= 30;
      }
      if (!step) break;
    }
    return this.residual(q) < 1e-11 ? q : null;
  }

  // -- what a slider does ---------------------------------------------------------------------

  controls(): Control[] {
    const out: Control[] = [];
    this.scene.bodies.forEach((b, j) => {
      const k = this.qStart[j], v = this.vStart[j];
      const one = (label: string, index: number, column: number, unit: "rad" | "m", angle: -1 | 0 | 1 | 2 = -1) => {
        const lim = angle < 0 ? b.limits[index - k] : undefined;
        out.push({ label, body: j, index, angle, column, unit, low: lim?.[0] ?? null, high: lim?.[1] ?? null });
      };
      const angles = (index: number, column: number) => {
        ["yaw", "pitch", "roll"].forEach((n, i) => one(`${b.joint} ${n}`, index, column, "rad", i as 0));
      };
      if (b.kind === "revolute" || b.kind === "screw") one(b.joint, k, v, "rad");
      else if (b.kind === "prismatic") one(b.joint, k, v, "m");
      else if (b.kind === "planar") {
        one(`${b.joint} x`, k, v, "m");
        one(`${b.joint} y`, k + 1, v + 1, "m");
        one(`${b.joint} θ`, k + 2, v + 2, "rad");
      } else if (b.kind === "spherical") angles(k, v);
      else if (b.kind === "free") {
        ["x", "y", "z"].forEach((n, i) => one(`${b.joint} ${n}`, k + i, v + i, "m"));
        angles(k + 3, v + 3);
      }
    });
    return out;
  }

  value(c: Control, q: number[] = this.q): number {
    return c.angle < 0 ? q[c.index] : euler(q, c.index)[c.angle];
  }

  private put(q: number[], c: Control, value: number): number[] {
    const out = q.slice();
    if (c.angle < 0) out[c.index] = value;
    else {
      const e = euler(q, c.index);
      e[c.angle] = value;
      fromEuler(e).forEach((x, i) => (out[c.index + i] = x));
    }
    return out;
  }

  // moves one control, loops kept closed; goes as far as they allow and says whether it arrived
  move(c: Control, value: number): boolean {
    if (!this.closed) {
      this.q = this.put(this.q, c, value);
      return true;
    }
    const holds = this.holds(c);
    const from = this.value(c), far = Math.abs(value - from);
    const count = Math.max(1, Math.ceil(far / (c.unit === "m" ? 0.03 * this.scene.size : 0.06)));
    for (let n = 1; n <= count; n++) {
      const goal = from + ((value - from) * n) / count;
      let found: number[] | null = null;
      for (const held of holds) {
        found = this.close(this.put(this.q, c, goal), held);
        if (found) break;
      }
      if (!found) return false;
      this.q = found;
    }
    return true;
  }

  // what stays while a control moves, the strictest wish first
  private holds(c: Control): Set<number>[] {
    const s = this.scene, own = new Set<number>();
    for (let k = 0; k < NV[s.bodies[c.body].kind]; k++) own.add(this.vStart[c.body] + k);
    const motors = new Set(own);
    if (s.active.includes(c.body)) {
      for (const j of s.active) for (let k = 0; k < NV[s.bodies[j].kind]; k++) motors.add(this.vStart[j] + k);
    }
    const out = [motors];
    if (motors.size > own.size) out.push(own);
    // a free platform may have fewer freedoms than its joint: only what was moved is held
    if (own.size > 1) out.push(new Set(c.angle < 0 ? [c.column] : [c.column, c.column + 1, c.column + 2]), new Set());
    return out;
  }
}

function norm2(r: number[]): number {
  return r.reduce((s, x) => s + x * x, 0);
}

function inner(a: number[], b: number[], n: number): number {
  let s = 0;
  for (let i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

// solves (A + d 1) x = g, A given by its lower rows
function cholesky(A: number[][], g: number[], d: number): number[] | null {
  const n = g.length, L: number[][] = [];
  for (let i = 0; i < n; i++) {
    L.push(new Array(i + 1).fill(0));
    for (let j = 0; j <= i; j++) {
      let s = A[i][j] + (i === j ? d : 0);
      for (let k = 0; k < j; k++) s -= L[i][k] * L[j][k];
      if (i === j) {
        if (!(s > 0)) return null;
        L[i][i] = Math.sqrt(s);
      } else L[i][j] = s / L[j][j];
    }
  }
  const x = g.slice();
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < i; k++) x[i] -= L[i][k] * x[k];
    x[i] /= L[i][i];
  }
  for (let i = n - 1; i >= 0; i--) {
    for (let k = i + 1; k < n; k++) x[i] -= L[k][i] * x[k];
    x[i] /= L[i][i];
  }
  return x;
}

// yaw, pitch, roll about z, y, x of a quaternion
function euler(q: number[], k: number): number[] {
  const T = fromQuaternion(q, k);
  return [
    Math.atan2(T[3], T[0]),
    Math.asin(Math.max(-1, Math.min(1, -T[6]))),
    Math.atan2(T[7], T[8]),
  ];
}

function fromEuler([yaw, pitch, roll]: number[]): number[] {
  const z = [0, 0, Math.sin(yaw / 2), Math.cos(yaw / 2)];
  const y = [0, Math.sin(pitch / 2), 0, Math.cos(pitch / 2)];
  const x = [Math.sin(roll / 2), 0, 0, Math.cos(roll / 2)];
  return product(product(z, y), x);
}
