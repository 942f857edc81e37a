// The solids of a machine: links shaped by the points they hold, joints by their kind.

import * as THREE from "three";
import { ConvexGeometry } from "three/examples/jsm/geometries/ConvexGeometry.js";
import { mergeVertices, toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Body, Ellipsoid, Place, Vec } from "./scene";

export const LINKS = [0x4573b8, 0xe2913d, 0x4f9e68, 0xc65a52, 0x7b68b5, 0x35a0a8, 0xbf8f3f, 0xb766a0];
const UP = new THREE.Vector3(0, 1, 0);

export const vector = (p: Vec) => new THREE.Vector3(p[0], p[1], p[2]);

export function matrixOf(T: Place, into = new THREE.Matrix4()): THREE.Matrix4 {
  return into.set(
    T[0], T[1], T[2], T[9], T[3], T[4], T[5], T[10], T[6], T[7], T[8], T[11], 0, 0, 0, 1,
  );
}

export function paint(color: number, more: Partial<THREE.MeshStandardMaterialParameters> = {}) {
  return new THREE.MeshStandardMaterial({ color, roughness: 0.42, metalness: 0.12, ...more });
}

export const DARK = paint(0x3a414d, { roughness: 0.35, metalness: 0.4 });
export const STEEL = paint(0xb9c1cc, { roughness: 0.25, metalness: 0.65 });
export const RUBBER = paint(0x262a31, { roughness: 0.85, metalness: 0 });
export const GOLD = paint(0xd9a93a, { roughness: 0.3, metalness: 0.55 });

// solids that differ only in size and place have one geometry
const kept = new Map<string, THREE.BufferGeometry>();
function shared(key: string, make: () => THREE.BufferGeometry): THREE.BufferGeometry {
  let found = kept.get(key);
  if (!found) {
    found = make();
    found.userData.shared = true;
    kept.set(key, found);
  }
  return found;
}

function along(mesh: THREE.Object3D, from: THREE.Vector3, to: THREE.Vector3): void {
  const d = to.clone().sub(from), l = d.length();
  mesh.position.copy(from);
  if (l > 0) mesh.quaternion.setFromUnitVectors(UP, d.multiplyScalar(1 / l));
}

// a cone with two round ends: the hull of two balls
export function tapered(from: Vec, to: Vec, r0: number, r1: number, material: THREE.Material) {
  const a = vector(from), b = vector(to), l = a.distanceTo(b), outline: THREE.Vector2[] = [];
  const tilt = Math.asin(Math.max(-0.95, Math.min(0.95, (r0 - r1) / Math.max(l, 1e-9)))), n = 7;
  for (let k = 0; k <= n; k++) {
    const s = -Math.PI / 2 + ((tilt + Math.PI / 2) * k) / n;
    outline.push(new THREE.Vector2(Math.max(1e-9, r0 * Math.cos(s)), r0 * Math.sin(s)));
  }
  for (let k = 0; k <= n; k++) {
    const s = tilt + ((Math.PI / 2 - tilt) * k) / n;
    outline.push(new THREE.Vector2(Math.max(1e-9, r1 * Math.cos(s)), l + r1 * Math.sin(s)));
  }
  const mesh = new THREE.Mesh(new THREE.LatheGeometry(outline, 24), material);
  along(mesh, a, b);
  return mesh;
}

export function rod(from: Vec, to: Vec, r: number, material: THREE.Material, sides = 20) {
  const a = vector(from), b = vector(to), l = a.distanceTo(b);
  const shape = new THREE.CylinderGeometry(r, r, l || 1e-9, sides);
  shape.translate(0, l / 2, 0);
  const mesh = new THREE.Mesh(shape, material);
  along(mesh, a, b);
  return mesh;
}

export function ball(p: Vec, r: number, material: THREE.Material) {
  const mesh = new THREE.Mesh(shared("ball", () => new THREE.SphereGeometry(1, 24, 16)), material);
  mesh.scale.setScalar(r);
  mesh.position.copy(vector(p));
  return mesh;
}

// the hull of a ball at each point: platforms, torsos, chassis
export function hull(points: Vec[], r: number, material: THREE.Material): THREE.Mesh | null {
  const cloud: THREE.Vector3[] = [];
  const unit = new THREE.IcosahedronGeometry(1, 1).getAttribute("position");
  for (const p of points)
    for (let k = 0; k < unit.count; k++)
      cloud.push(new THREE.Vector3().fromBufferAttribute(unit, k).multiplyScalar(r).add(vector(p)));
  const shape = new ConvexGeometry(cloud);
  shape.deleteAttribute("normal");
  return new THREE.Mesh(toCreasedNormals(mergeVertices(shape, r * 1e-3), 0.7), material);
}

// the box with the inertia of a body: what flies or swims without a shape of its own
export function crate(e: Ellipsoid, centre: Vec, material: THREE.Material): THREE.Mesh {
  const half = e.half.map((x) => 0.7746 * x), r = 0.18 * Math.min(...half), corners: Vec[] = [];
  for (const x of [-1, 1]) for (const y of [-1, 1]) for (const z of [-1, 1]) {
    const v = [x * (half[0] - r), y * (half[1] - r), z * (half[2] - r)];
    corners.push([0, 1, 2].map((k) => centre[k] + e.R[3 * k] * v[0] + e.R[3 * k + 1] * v[1] + e.R[3 * k + 2] * v[2]));
  }
  return hull(corners, r, material)!;
}

function extremes(points: Vec[]): [Vec, Vec, number] {
  let best: [Vec, Vec, number] = [points[0], points[0], 0];
  for (const a of points)
    for (const b of points) {
      const d = vector(a).distanceTo(vector(b));
      if (d > best[2]) best = [a, b, d];
    }
  return best;
}

function inLine(points: Vec[], a: Vec, b: Vec, l: number): boolean {
  const u = vector(b).sub(vector(a)).normalize();
  return points.every((p) => vector(p).sub(vector(a)).cross(u).length() < 0.02 * l);
}

// the solid of one link, in its own frame
export function link(points: Vec[], r: number, material: THREE.Material, size: number): THREE.Object3D {
  const group = new THREE.Group();
  if (points.length < 2) return group;
  const [a, b, l] = extremes(points);
  if (l < 1e-4 * size) return group;
  if (inLine(points, a, b, l)) {
    // thick at the joint that carries it, thin where it ends
    const start = points[0];
    if (points.length === 2) group.add(tapered(start, points[1], r, 0.72 * r, material));
    else for (const p of [a, b]) if (vector(p).distanceTo(vector(start)) > 1e-6 * size) group.add(tapered(start, p, r, 0.78 * r, material));
    return group;
  }
  const solid = points.length > 60 ? null : hull(points, 0.55 * r, material);
  if (solid) group.add(solid);
  else for (const p of points.slice(1)) group.add(tapered(points[0], p, r, 0.7 * r, material));
  return group;
}

function drum(axis: Vec, r: number, half: number, material: THREE.Material) {
  const u = vector(axis).normalize(), group = new THREE.Group(), h = half / r, key = h.toFixed(6);
  group.add(new THREE.Mesh(shared(`drum ${key}`, () => {
    const outline = [[1e-9, -h], [0.86, -h], [1, -0.88 * h], [1, 0.88 * h], [0.86, h], [1e-9, h]].map(([x, y]) => new THREE.Vector2(x, y));
    return toCreasedNormals(new THREE.LatheGeometry(outline, 36), 0.5);
  }), material));
  group.add(new THREE.Mesh(shared(`caps ${key}`, () => new THREE.CylinderGeometry(0.42, 0.42, 2.08 * h, 28)), STEEL));
  group.scale.setScalar(r);
  group.quaternion.setFromUnitVectors(UP, u);
  return group;
}

export function coil(radius: number, wire: number, turns: number, height: number, material: THREE.Material) {
  const points: THREE.Vector3[] = [];
  for (let k = 0; k <= 16 * turns; k++) {
    const t = k / (16 * turns), s = 2 * Math.PI * turns * t, ends = Math.min(1, 12 * Math.min(t, 1 - t));
    points.push(new THREE.Vector3(radius * ends * Math.cos(s), height * t, radius * ends * Math.sin(s)));
  }
  return new THREE.Mesh(new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), turns * 18, wire, 7), material);
}

// what shows the kind of a joint; it moves with the body that the joint carries
export function joint(b: Body, r: number, elastic: boolean): THREE.Object3D {
  const group = new THREE.Group(), axis = b.axis ?? [0, 0, 1];
  if (b.hidden) return group;
  if (b.kind === "revolute") group.add(drum(axis, 1.32 * r, 1.45 * r, DARK));
  else if (b.kind === "screw") {
    const u = vector(axis).normalize();
    const thread = coil(1.15 * r, 0.22 * r, 6, 4 * r, STEEL);
    thread.position.copy(u.clone().multiplyScalar(-2 * r));
    thread.quaternion.setFromUnitVectors(UP, u);
    group.add(drum(axis, 0.95 * r, 2 * r, DARK), thread);
  } else if (b.kind === "prismatic") {
    const box = new THREE.Mesh(new THREE.BoxGeometry(1.9 * r, 2.2 * r, 1.9 * r), DARK);
    box.quaternion.setFromUnitVectors(UP, vector(axis).normalize());
    group.add(box);
  } else if (b.kind === "spherical") group.add(ball([0, 0, 0], 1.45 * r, GOLD));
  if (elastic && b.kind === "revolute") {
    const spring = coil(1.7 * r, 0.17 * r, 4, 2.2 * r, paint(0x2aa198, { roughness: 0.3 }));
    const u = vector(axis).normalize();
    spring.position.copy(u.clone().multiplyScalar(-1.1 * r));
    spring.quaternion.setFromUnitVectors(UP, u);
    group.add(spring);
  }
  return group;
}

export function triad(length: number, thickness = 0.045): THREE.Object3D {
  const group = new THREE.Group(), colors = [0xd0453e, 0x3f9b4b, 0x3b72c4];
  colors.forEach((color, k) => {
    const end = [0, 0, 0];
    end[k] = length;
    const material = new THREE.MeshBasicMaterial({ color });
    group.add(rod([0, 0, 0], end, thickness * length, material, 10));
    const tip = new THREE.Mesh(new THREE.ConeGeometry(2.4 * thickness * length, 0.22 * length, 14), material);
    tip.position.setComponent(k, length);
    if (k !== 1) tip.quaternion.setFromUnitVectors(UP, vector(end).normalize());
    group.add(tip);
  });
  return group;
}

// black and white quarters, as drawings mark a mass centre
export function centreMark(r: number): THREE.Mesh {
  const shape = new THREE.SphereGeometry(r, 24, 16).toNonIndexed();
  const at = shape.getAttribute("position"), colors: number[] = [];
  for (let k = 0; k < at.count; k += 3) {
    let x = 0, y = 0, z = 0;
    for (let n = 0; n < 3; n++) { x += at.getX(k + n); y += at.getY(k + n); z += at.getZ(k + n); }
    const c = x * y * z > 0 ? 0.05 : 0.96;
    for (let n = 0; n < 3; n++) colors.push(c, c, c);
  }
  shape.setAttribute("color", new THREE.Float32BufferAttribute(colors, 3));
  return new THREE.Mesh(shape, new THREE.MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true }));
}

export function wheel(radius: number, width: number): THREE.Object3D {
  const group = new THREE.Group();
  const h = width / 2, outline = [
    new THREE.Vector2(0.55 * radius, -h), new THREE.Vector2(0.88 * radius, -h), new THREE.Vector2(radius, -0.6 * h),
    new THREE.Vector2(radius, 0.6 * h), new THREE.Vector2(0.88 * radius, h), new THREE.Vector2(0.55 * radius, h),
  ];
  group.add(new THREE.Mesh(shared(`tyre ${radius} ${width}`, () => toCreasedNormals(new THREE.LatheGeometry(outline, 40), 0.6)), RUBBER));
  group.add(new THREE.Mesh(new THREE.CylinderGeometry(0.57 * radius, 0.57 * radius, 0.8 * width, 32), STEEL));
  for (let k = 0; k < 5; k++) {
    const spoke = new THREE.Mesh(new THREE.BoxGeometry(0.12 * radius, 0.86 * width, 0.48 * radius), DARK);
    spoke.position.set(0.26 * radius * Math.sin((k * 2 * Math.PI) / 5), 0, 0.26 * radius * Math.cos((k * 2 * Math.PI) / 5));
    spoke.rotation.y = (k * 2 * Math.PI) / 5;
    group.add(spoke);
  }
  return group;
}

// an arc about an axis from one angle to another, with ticks at its ends
export function arc(axis: Vec, low: number, high: number, radius: number, color: number): THREE.Object3D {
  const u = vector(axis).normalize(), group = new THREE.Group();
  const e = Math.abs(u.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  e.sub(u.clone().multiplyScalar(e.dot(u))).normalize();
  const f = u.clone().cross(e), points: THREE.Vector3[] = [];
  for (let k = 0; k <= 64; k++) {
    const s = low + ((high - low) * k) / 64;
    points.push(e.clone().multiplyScalar(radius * Math.cos(s)).add(f.clone().multiplyScalar(radius * Math.sin(s))));
  }
  const material = new THREE.MeshBasicMaterial({ color, transparent: true, opacity: 0.85 });
  group.add(new THREE.Mesh(new THREE.TubeGeometry(new THREE.CatmullRomCurve3(points), 64, 0.03 * radius, 6), material));
  for (const p of [points[0], points[64]]) {
    const inside = p.clone().multiplyScalar(0.72), outside = p.clone().multiplyScalar(1.14);
    group.add(rod(inside.toArray(), outside.toArray(), 0.03 * radius, material, 8));
  }
  return group;
}

function numbers16(text: string): Uint16Array {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  return new Uint16Array(bytes.buffer);
}

// a mesh of a file: 16-bit numbers of a box, and the corners of triangles
export function mesh(part: { low: Vec; size: number; points: string; faces: string }, material: THREE.Material): THREE.Mesh {
  const grid = numbers16(part.points), points = new Float32Array(grid.length);
  for (let k = 0; k < grid.length; k++) points[k] = part.low[k % 3] + (part.size * grid[k]) / 65535;
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(points, 3));
  geometry.setIndex(new THREE.BufferAttribute(numbers16(part.faces), 1));
  geometry.computeVertexNormals();
  return new THREE.Mesh(geometry, material);
}

// what a joint gives: an arrow about its axis, or along it
export function forceArrow(axis: Vec, turns: boolean, r: number): THREE.Object3D {
  const group = new THREE.Group(), material = new THREE.MeshBasicMaterial({ color: 0xd8344f });
  const head = new THREE.Mesh(new THREE.ConeGeometry(0.42 * r, 1.0 * r, 16), material);
  if (turns) {
    // about y, from 0 to three quarters of a turn
    const ring = new THREE.Mesh(new THREE.TorusGeometry(2.3 * r, 0.15 * r, 8, 40, 1.5 * Math.PI), material);
    ring.rotation.x = -Math.PI / 2;
    ring.rotation.z = 0;
    head.position.set(0, 0, 2.3 * r);
    head.rotation.z = -Math.PI / 2;
    group.add(ring, head);
  } else {
    group.add(rod([0, 0, 0], [0, 3.4 * r, 0], 0.15 * r, material, 10));
    head.position.y = 3.6 * r;
    group.add(head);
  }
  const holder = new THREE.Group();
  holder.add(group);
  holder.quaternion.setFromUnitVectors(UP, vector(axis).normalize());
  return holder;
}
