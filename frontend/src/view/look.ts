// Where a machine is seen from.

import * as THREE from "three";
import { at, type Machine } from "./kinematics";
import { planeNormal, upOf, type Drawing } from "./machine";
import { vector } from "./shapes";
import type { Look } from "./stage";

// where to look from: everything that the machine and its motion reach
export function look(machine: Machine, drawing: Drawing): Look {
  const s = machine.scene, up = upOf(s), box = new THREE.Box3(), p = new THREE.Vector3();
  const poses = [s.q, ...(s.motion?.q.filter((_, k, all) => k % Math.max(1, Math.floor(all.length / 60)) === 0) ?? [])];
  const mean = new THREE.Vector3();
  let seen = 0;
  const points = s.bodies.map((b) => (b.points.length ? b.points : [[0, 0, 0]]));
  for (const q of poses) {
    const F = machine.frames(q);
    F.forEach((T, j) => { if (!s.bodies[j].hidden || points[j].length > 1 || s.bodies[j].mass) for (const x of points[j]) {
      box.expandByPoint(p.set(...(at(T, x) as [number, number, number])));
      mean.add(p);
      seen++;
    } });
  }
  for (const [j, b] of s.bodies.entries()) {
    if (b.kind !== "free" || !b.ellipsoid || b.ellipsoid.odd || s.loops.length) continue;
    const reach = 0.8 * Math.max(...b.ellipsoid.half), c = vector(at(machine.frames(s.q)[j], b.centre!));
    box.expandByPoint(c.clone().addScalar(reach)).expandByPoint(c.addScalar(-reach));
  }
  const floats = s.bodies.some((b) => b.parent < 0 && b.hidden);
  for (const x of s.base) if (!floats || s.loops.length) box.expandByPoint(vector(x));
  if (box.isEmpty()) box.expandByPoint(p.set(0, 0, 0));
  const centre = box.getCenter(new THREE.Vector3());
  const rim = Math.max(0, ...s.wheels.filter((w) => w.hub).map((w) => w.radius!));
  const radius = Math.max(0.5 * box.getSize(p).length() + 1.5 * drawing.unit + 1.5 * rim, 1e-3);
  const low = lowest(box, up), base = Math.min(...s.base.map((x) => vector(x).dot(up)), Infinity);
  let ground: number | null = low - 1.2 * drawing.unit;
  if (s.wheels.length) ground = Math.min(...s.wheels.map((w) => -(w.radius ?? drawing.wheelRadius))) + (s.wheels[0] ? low : 0);
  else if (!floats && base - low < 0.08 * radius) ground = base - 1.65 * drawing.unit;
  else if (!floats) ground = low - 0.15 * radius;
  if (Math.hypot(...s.gravity) < 1e-9) ground = null;
  // where it reaches out to, seen from its base
  const lean = mean.multiplyScalar(1 / Math.max(1, seen)).sub(s.base.length ? vector(s.base[0]) : centre);
  lean.addScaledVector(up, -lean.dot(up));
  return { up, normal: planeNormal(machine), ground, centre, radius, lean: lean.length() > 0.06 * radius ? lean.normalize() : null };
}

function lowest(box: THREE.Box3, up: THREE.Vector3): number {
  let low = Infinity;
  for (const x of [box.min.x, box.max.x]) for (const y of [box.min.y, box.max.y]) for (const z of [box.min.z, box.max.z])
    low = Math.min(low, x * up.x + y * up.y + z * up.z);
  return low;
}
