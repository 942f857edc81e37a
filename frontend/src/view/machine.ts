// A machine on the stage: groups that follow the frames of its bodies.

import * as THREE from "three";
import { at, IDENTITY, Machine, turn } from "./kinematics";
import type { Place, Scene, Vec, Wheel } from "./scene";
import * as S from "./shapes";

export type Layer = "joints" | "frames" | "limits" | "centres" | "inertia" | "forces" | "reactions" | "meshes";

interface Follower {
  update(frames: Place[], q: number[]): void;
}

export class Drawing {
  readonly root = new THREE.Group();
  readonly layers: Record<Layer, THREE.Group[]> = {
    joints: [], frames: [], limits: [], centres: [], inertia: [], forces: [], reactions: [], meshes: [],
  };
  readonly groups: THREE.Group[] = [];
  readonly unit: number; // the radius of a link near the base
  readonly wheelRadius: number;
  readonly steer: Record<string, number> = {};
  private readonly solids: THREE.Object3D[] = []; // what a mesh stands for
  private followers: Follower[] = [];
  private whole: THREE.Mesh | null = null;
  private readonly unmade: Partial<Record<Layer, (() => void)[]>> = {};

  constructor(readonly machine: Machine, readonly ghost = false) {
    const s = machine.scene;
    this.unit = linkRadius(s);
    this.wheelRadius = Math.max(0.05 * s.size, 1e-3);
    this.root.matrixAutoUpdate = false;
    const depth = depths(s);
    const onWheels = dressed(s), rims = new Set(s.wheels.filter((w) => w.hub).map((w) => w.body));
    s.bodies.forEach((b, j) => {
      const group = new THREE.Group();
      group.matrixAutoUpdate = false;
      this.groups.push(group);
      this.root.add(group);
      const r = this.unit * Math.max(0.6, 0.94 ** depth[j]);
      const material = this.material(S.LINKS[depth[j] % S.LINKS.length]);
      const solid = rims.has(j) ? new THREE.Group() : onWheels.has(j) ? this.chassis(j, material) : S.link(b.points, r, material, s.size);
      group.add(solid);
      this.solids.push(solid);
      const held = s.loops.some((c) => c.i === j || c.j === j);
      if (b.kind === "free" && b.ellipsoid && !b.ellipsoid.odd && !held && !onWheels.has(j)) group.add(S.crate(b.ellipsoid, b.centre!, material));
      if (!rims.has(j)) this.add("joints", group, S.joint(b, r, s.elastic.includes(j)));
      this.later("frames", () => this.add("frames", group, S.triad(3.2 * r)));
      if (b.centre) this.later("centres", () => this.centre(group, j, r));
      if (b.ellipsoid) this.later("inertia", () => this.ellipsoid(group, j));
      this.later("limits", () => this.limits(j, r));
      if (b.kind === "prismatic" && !b.hidden) this.telescope(j, r);
    });
    this.later("centres", () => {
      this.whole = S.centreMark(0.9 * this.unit);
      this.whole.renderOrder = 4;
      this.add("centres", this.root, this.whole);
    });
    this.later("frames", () => this.add("frames", this.root, S.triad(2.4 * this.unit)));
    for (const f of s.frames) this.later("frames", () => {
      const mark = S.triad(2.6 * this.unit);
      mark.matrixAutoUpdate = false;
      mark.matrix.copy(S.matrixOf(f.place));
      this.add("frames", f.body < 0 ? this.root : this.groups[f.body], mark);
    });
    this.base();
    this.links();
    this.wheels();
    this.meshes();
    this.update();
    if (ghost) this.fade();
    this.root.traverse((o) => {
      if (o instanceof THREE.Mesh && o.material instanceof THREE.MeshStandardMaterial && !o.material.transparent) {
        o.castShadow = !ghost;
        o.receiveShadow = !ghost;
      }
    });
  }

  update(q: number[] = this.machine.q): Place[] {
    const frames = this.machine.frames(q);
    frames.forEach((T, j) => {
      S.matrixOf(T, this.groups[j].matrix);
      this.groups[j].matrixWorldNeedsUpdate = true;
    });
    for (const f of this.followers) f.update(frames, q);
    const c = [0, 0, 0];
    let mass = 0;
    this.machine.scene.bodies.forEach((b, j) => {
      if (!b.centre || !b.mass) return;
      at(frames[j], b.centre).forEach((x, k) => (c[k] += b.mass! * x));
      mass += b.mass;
    });
    if (this.whole) this.whole.visible = mass > 0;
    if (mass > 0) this.whole?.position.set(c[0] / mass, c[1] / mass, c[2] / mass);
    return frames;
  }

  show(layer: Layer, visible: boolean): void {
    if (visible && this.unmade[layer]) {
      this.unmade[layer].forEach((make) => make());
      delete this.unmade[layer];
      this.update();
    }
    for (const g of this.layers[layer]) g.visible = visible;
    if (layer === "meshes") {
      for (const j of this.meshed) this.solids[j].visible = !visible;
      for (const g of this.layers.joints) g.visible = !visible;
    }
  }

  // made when it is first shown: most pages never show most layers
  private later(layer: Layer, make: () => void): void {
    (this.unmade[layer] ??= []).push(make);
  }

  private add(layer: Layer, parent: THREE.Object3D, what: THREE.Object3D): void {
    const group = new THREE.Group();
    group.add(what);
    parent.add(group);
    this.layers[layer].push(group);
  }

  private get meshed(): Set<number> {
    return new Set(this.machine.scene.meshes?.parts.map((p) => p.body).filter((j) => j >= 0));
  }

  private meshes(): void {
    const depth = depths(this.machine.scene);
    for (const p of this.machine.scene.meshes?.parts ?? []) {
      const material = S.paint(p.body < 0 ? 0x8a93a0 : S.LINKS[depth[p.body] % S.LINKS.length], { flatShading: true, side: THREE.DoubleSide });
      this.add("meshes", p.body < 0 ? this.root : this.groups[p.body], S.mesh(p, material));
    }
    if (this.layers.meshes.length) this.show("meshes", true);
  }

  private material(color: number) {
    return S.paint(color);
  }

  private fade(): void {
    this.root.traverse((o) => {
      if (!(o instanceof THREE.Mesh)) return;
      o.material = new THREE.MeshStandardMaterial({ color: 0x8a94a6, transparent: true, opacity: 0.25, depthWrite: false });
    });
  }

  private centre(group: THREE.Group, j: number, r: number): void {
    const s = this.machine.scene, b = s.bodies[j];
    const mark = S.centreMark(r * Math.min(1.1, Math.max(0.45, 0.5 * Math.cbrt((b.mass ?? 1) / meanMass(s)))));
    mark.position.copy(S.vector(b.centre!));
    mark.renderOrder = 3;
    this.add("centres", group, mark);
  }

  private ellipsoid(group: THREE.Group, j: number): void {
    const b = this.machine.scene.bodies[j], e = b.ellipsoid!, c = b.centre!;
    const color = e.odd ? 0xd0342c : S.LINKS[depths(this.machine.scene)[j] % S.LINKS.length];
    const mesh = new THREE.Mesh(
      new THREE.SphereGeometry(1, 36, 24),
      new THREE.MeshStandardMaterial({ color, transparent: true, opacity: e.odd ? 0.22 : 0.3, depthWrite: false, roughness: 0.8 }),
    );
    const R = e.R, h = e.half;
    mesh.matrixAutoUpdate = false;
    mesh.matrix.set(
      R[0] * h[0], R[1] * h[1], R[2] * h[2], c[0],
      R[3] * h[0], R[4] * h[1], R[5] * h[2], c[1],
      R[6] * h[0], R[7] * h[1], R[8] * h[2], c[2],
      0, 0, 0, 1,
    );
    mesh.renderOrder = 2;
    this.add("inertia", group, mesh);
  }

  // limits stand still beside the joint; a needle shows where it is
  private limits(j: number, r: number): void {
    const b = this.machine.scene.bodies[j], lim = b.limits[0], k = this.machine.qStart[j];
    if (!b.axis || b.hidden || !lim || lim[0] === null || lim[1] === null) return;
    const holder = new THREE.Group();
    holder.matrixAutoUpdate = false;
    if (b.kind === "revolute" && lim[1] - lim[0] <= 12.6) {
      const radius = 2.7 * r, line = S.arc(b.axis, lim[0], lim[1], radius, 0x2f9e63);
      const needle = S.arc(b.axis, -0.02, 0.02, 1.06 * radius, 0xd98a1f);
      holder.add(line, needle);
      const u = S.vector(b.axis).normalize();
      this.followers.push({
        update: (_, q) => {
          needle.quaternion.setFromAxisAngle(u, q[k]);
          const out = q[k] < lim[0]! - 1e-9 || q[k] > lim[1]! + 1e-9;
          line.traverse((o) => o instanceof THREE.Mesh && (o.material as THREE.MeshBasicMaterial).color.set(out ? 0xd0342c : 0x2f9e63));
        },
      });
    } else if (b.kind === "prismatic") {
      const green = new THREE.MeshBasicMaterial({ color: 0x2f9e63 });
      const [lo, hi] = [lim[0], lim[1]].map((x) => b.axis!.map((u) => u * x));
      holder.add(S.rod(lo, hi, 0.1 * r, green, 8), S.ball(lo, 0.35 * r, green), S.ball(hi, 0.35 * r, green));
    } else return;
    this.followers.push({
      update: (F) => {
        const T = S.matrixOf(b.place);
        if (b.parent >= 0) T.premultiply(S.matrixOf(F[b.parent]));
        holder.matrix.copy(T);
        holder.matrixWorldNeedsUpdate = true;
      },
    });
    this.add("limits", this.root, holder);
  }

  // a slide: a tube on the body before it, a rod that comes out of it
  private telescope(j: number, r: number): void {
    const s = this.machine.scene, b = s.bodies[j], k = this.machine.qStart[j], u = b.axis!;
    const limit = b.limits[0] ?? [null, null], far = Math.max(Math.abs(limit[1] ?? 0), Math.abs(s.q[k]));
    const inner = S.rod([0, 0, 0], [0, 1, 0], 0.5 * r, S.STEEL);
    inner.matrixAutoUpdate = false;
    const sign = (s.q[k] || limit[1] || 1) >= 0 ? 1 : -1, outer = 0.5 * far * sign;
    const tube = far > 2 * r ? S.rod([0, 0, 0], u.map((x) => x * outer), 0.85 * r, S.DARK) : null;
    if (tube) tube.matrixAutoUpdate = false;
    const turnTo = new THREE.Quaternion(), up = new THREE.Vector3(0, 1, 0);
    const local = tube ? (tube.updateMatrix(), tube.matrix.clone()) : null;
    this.followers.push({
      update: (F, q) => {
        const T = S.matrixOf(b.place);
        if (b.parent >= 0) T.premultiply(S.matrixOf(F[b.parent]));
        turnTo.setFromUnitVectors(up, S.vector(u).normalize().multiplyScalar(q[k] < 0 ? -1 : 1));
        const M = new THREE.Matrix4().compose(new THREE.Vector3(), turnTo, new THREE.Vector3(1, Math.max(Math.abs(q[k]), 1e-6), 1));
        inner.matrix.copy(T).multiply(M);
        inner.matrixWorldNeedsUpdate = true;
        if (tube) { tube.matrix.copy(T).multiply(local!); tube.matrixWorldNeedsUpdate = true; }
      },
    });
    this.root.add(inner);
    if (tube) this.root.add(tube);
  }

  private base(): void {
    const s = this.machine.scene, plate = S.paint(0x8b95a5, { roughness: 0.6 });
    const held = s.base.filter((_, k) => k >= 0);
    const fixed = s.bodies.filter((b) => b.parent < 0 && !b.hidden);
    if (!fixed.length && !held.length) return;
    if (s.bodies.some((b) => b.parent < 0 && b.hidden) && !s.loops.length) return;
    const solid = S.link([...distinct(held)], 0.7 * this.unit, plate, s.size);
    this.root.add(solid);
    const up = upOf(s);
    // one foot below points that stand above each other
    const all = distinct(held).map((p) => S.vector(p)), across = (a: THREE.Vector3, b: THREE.Vector3) => a.clone().sub(b).cross(up).length();
    const below = (a: THREE.Vector3, b: THREE.Vector3) => a.dot(up) < b.dot(up) - 1e-9 && across(a, b) < 0.5 * this.unit;
    for (const p of all.filter((b) => !all.some((a) => below(a, b)))) {
      const foot = new THREE.Mesh(new THREE.CylinderGeometry(1.25 * this.unit, 1.9 * this.unit, 1.1 * this.unit, 36), plate);
      foot.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), up);
      foot.position.copy(p).addScaledVector(up, -1.1 * this.unit);
      this.root.add(foot);
    }
  }

  // cut joints, rods and springs between two bodies
  private links(): void {
    const s = this.machine.scene, frame = (F: Place[], j: number) => (j < 0 ? IDENTITY : F[j]);
    const up = new THREE.Vector3(0, 1, 0);
    const between = (mesh: THREE.Object3D, c: { i: number; pi: Vec; j: number; pj: Vec }) => {
      mesh.matrixAutoUpdate = false;
      this.root.add(mesh);
      this.followers.push({
        update: (F) => {
          const a = S.vector(at(frame(F, c.i), c.pi)), b = S.vector(at(frame(F, c.j), c.pj)), d = b.clone().sub(a);
          const l = Math.max(d.length(), 1e-9), Q = new THREE.Quaternion().setFromUnitVectors(up, d.multiplyScalar(1 / l));
          mesh.matrix.compose(a, Q, new THREE.Vector3(1, l, 1));
          mesh.matrixWorldNeedsUpdate = true;
        },
      });
    };
    for (const c of s.loops) {
      const r = this.unit;
      if (c.kind === "rod") {
        between(S.rod([0, 0, 0], [0, 1, 0], 0.4 * r, S.STEEL), c);
        for (const [body, p] of [[c.i, c.pi], [c.j, c.pj]] as [number, Vec][])
          (body < 0 ? this.root : this.groups[body]).add(S.ball(p, 0.75 * r, S.GOLD));
        continue;
      }
      const parent = c.i < 0 ? this.root : this.groups[c.i];
      let mark: THREE.Object3D = S.ball(c.pi, 0.95 * r, S.GOLD);
      if (c.axis_i && c.kind !== "spherical") {
        const u = S.vector(c.axis_i).normalize().multiplyScalar(1.5 * r).toArray();
        mark = S.rod(c.pi.map((x, k) => x - u[k]), c.pi.map((x, k) => x + u[k]), 0.95 * r, S.GOLD, 28);
      }
      this.add("joints", parent, mark);
    }
    for (const c of s.springs) {
      const r = this.unit;
      between(S.coil(0.8 * r, 0.13 * r, 9, 1, S.paint(0x2aa198, { roughness: 0.3 })), c);
    }
  }

  private wheels(): void {
    const s = this.machine.scene;
    for (const w of s.wheels) {
      if (w.track !== null) continue; // its wheels are bodies
      const R = w.radius ?? this.wheelRadius, n = S.vector(w.normal).normalize();
      const track = w.radius === null ? this.track(w.body) : 0;
      for (const side of track > 0 ? [-0.5, 0.5] : [0]) {
        const holder = new THREE.Group(), turned = new THREE.Group(), wheel = S.wheel(R, 0.42 * R);
        wheel.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), n);
        turned.add(wheel);
        holder.add(turned);
        holder.position.copy(S.vector(w.point)).addScaledVector(n, side * track);
        this.groups[w.body].add(holder);
        if (w.steer) {
          const name = w.steer, j = s.bodies.findIndex((b) => b.joint === name), up = upOf(s);
          this.followers.push({
            update: (_, q) => {
              const angle = j >= 0 ? q[this.machine.qStart[j]] : this.steer[name] ?? 0;
              turned.quaternion.setFromAxisAngle(up, angle);
            },
          });
        }
      }
    }
  }

  private track(body: number): number {
    const known = this.machine.scene.wheels.find((w) => w.body === body && w.track !== null);
    if (known) return known.track!;
    const p = this.machine.scene.bodies[body].points;
    const l = Math.max(...p.map((a) => Math.max(...p.map((b) => S.vector(a).distanceTo(S.vector(b))))));
    return Math.max(3.4 * this.wheelRadius, Math.min(0.5 * l, 5 * this.wheelRadius));
  }

  // a body on wheels is a box between and above them
  private chassis(j: number, material: THREE.Material): THREE.Object3D {
    const s = this.machine.scene, own = s.wheels.filter((w) => w.body === j && onAxle(w));
    const n = S.vector(own[0].normal).normalize(), up = upOf(s), R = own[0].radius ?? this.wheelRadius;
    const half = 0.5 * this.track(j) - 0.35 * R;
    const forward = up.clone().cross(n).normalize(), points = s.bodies[j].points.map(S.vector);
    const reach = points.map((p) => p.dot(forward)), axles = own.map((w) => S.vector(w.point).dot(forward));
    // over its wheels a body goes on, at a hitch it ends
    const end = (x: number, side: number) => x + side * (axles.some((a) => Math.abs(a - x) < 2.5 * R) ? 1.2 : -0.45) * R;
    const lo = end(Math.min(...reach), -1), hi = end(Math.max(...reach), 1), front = own.find((w) => w.steer);
    const block = (a: number, b: number, side: number, low: number, high: number, paint: THREE.Material) => {
      const corners: Vec[] = [];
      for (const x of [a, b]) for (const y of [-side, side]) for (const z of [low, high])
        corners.push(forward.clone().multiplyScalar(x).addScaledVector(n, y).addScaledVector(up, z).toArray());
      return S.hull(corners, 0.16 * R, paint)!;
    };
    const group = new THREE.Group(), towed = s.bodies[j].parent >= 0 && dressed(s).has(s.bodies[j].parent);
    group.add(block(lo, hi, half, 0.35 * R, towed ? 2.3 * R : 1.05 * R, material));
    if (front && reach.length > 1) {
      const x = S.vector(front.point).dot(forward), ahead = x > (lo + hi) / 2 ? 1 : -1, tip = ahead > 0 ? hi : lo;
      const back = tip - ahead * Math.min(0.42 * (hi - lo), 4 * R);
      group.add(block(Math.min(tip, back), Math.max(tip, back), 0.94 * half, 1.1 * R, 2.6 * R, material));
      const glass = S.paint(0x27303d, { roughness: 0.1, metalness: 0.3 });
      group.add(block(tip - ahead * 0.1 * R, tip + ahead * 0.03 * R, 0.8 * half, 1.75 * R, 2.45 * R, glass));
    }
    for (const p of points) {
      const over = p.dot(up) - R; // what stands on the box has a post
      if (over > R) group.add(S.rod(p.clone().addScaledVector(up, -over).toArray(), p.toArray(), 1.1 * this.unit, material));
    }
    for (const w of own) {
      const c = S.vector(w.point);
      group.add(S.rod(c.clone().addScaledVector(n, -half).toArray(), c.clone().addScaledVector(n, half).toArray(), 0.16 * R, S.STEEL));
    }
    return group;
  }
}

// bodies drawn as boxes on pairs of wheels
function dressed(s: Scene): Set<number> {
  return new Set(s.wheels.filter(onAxle).map((w) => w.body));
}

function onAxle(w: Wheel): boolean {
  return w.radius === null || w.track !== null;
}

function distinct(points: Vec[]): Vec[] {
  const out: Vec[] = [];
  for (const p of points) if (out.every((o) => S.vector(o).distanceTo(S.vector(p)) > 1e-6)) out.push(p);
  return out;
}

function depths(s: Scene): number[] {
  const out: number[] = [];
  for (const b of s.bodies) {
    const before = b.parent < 0 ? -1 : out[b.parent];
    const drawn = b.points.length > 1 && !(b.kind === "fixed");
    out.push(Math.max(0, before + (drawn || b.parent < 0 ? 1 : 0)));
  }
  return out;
}

function meanMass(s: Scene): number {
  const m = s.bodies.map((b) => b.mass ?? 0).filter((x) => x > 0);
  return m.reduce((a, b) => a + b, 0) / Math.max(1, m.length) || 1;
}

// thin beside the lengths of the links, whatever their number
function linkRadius(s: Scene): number {
  const lengths: number[] = [];
  for (const b of s.bodies) {
    const l = Math.max(0, ...b.points.map((p) => Math.hypot(p[0], p[1], p[2])));
    if (l > 0.01 * s.size) lengths.push(l);
  }
  lengths.sort((a, b) => a - b);
  const middle = lengths.length ? lengths[lengths.length >> 1] : 0.3 * s.size;
  return Math.min(0.04 * s.size, 0.17 * middle);
}

export function upOf(s: Scene): THREE.Vector3 {
  const g = S.vector(s.gravity);
  return g.length() > 1e-9 ? g.normalize().multiplyScalar(-1) : new THREE.Vector3(0, 0, 1);
}

// the direction about which all joints of a planar machine turn, if it is one
export function planeNormal(machine: Machine): THREE.Vector3 | null {
  const s = machine.scene, F = machine.frames();
  let n: THREE.Vector3 | null = null;
  for (const [j, b] of s.bodies.entries()) {
    if (b.hidden || b.kind === "fixed") { if (b.hidden && b.kind === "free") return null; continue; }
    if (!b.axis || b.kind === "screw") return null;
    const u = S.vector(turn(F[j], b.axis));
    if (b.kind === "prismatic") continue;
    if (n && n.clone().cross(u).length() > 1e-6) return null;
    n ??= u;
  }
  if (!n) return null;
  for (const [j, b] of s.bodies.entries())
    if (b.kind === "prismatic" && Math.abs(S.vector(turn(F[j], b.axis!)).dot(n)) > 1e-6) return null;
  return n;
}
