// The data that dalembert writes into a page: see src/dalembert/view/scene.py.

export type Vec = number[]; // three numbers
export type Place = number[]; // rotation row by row, then origin: twelve numbers

export interface Ellipsoid {
  R: number[];
  half: Vec;
  odd: boolean;
}

export interface Body {
  name: string;
  joint: string;
  kind: "revolute" | "prismatic" | "screw" | "spherical" | "planar" | "free" | "fixed";
  parent: number;
  place: Place;
  axis: Vec | null;
  pitch: number;
  limits: [number | null, number | null][];
  hidden: boolean;
  points: Vec[];
  mass: number | null;
  centre: Vec | null;
  ellipsoid: Ellipsoid | null;
  mesh?: { vertices: string; place: Place }[];
}

export interface Ends {
  i: number;
  pi: Vec;
  j: number;
  pj: Vec;
}

export interface Loop extends Ends {
  name: string;
  kind: string;
  axis_i: Vec | null;
  axis_j: Vec | null;
  Ri: number[];
  Rj: number[];
  length: number | null;
}

export interface Wheel {
  name: string;
  body: number;
  point: Vec;
  normal: Vec;
  steer: string | null;
  radius: number | null;
  track: number | null; // between wheels that are bodies of their own, at the ends of this axle
  hub: boolean; // the body is the wheel
}

export interface Plot {
  title: string;
  unit: string;
  names: string[];
  columns: number[][];
  limits?: [number | null, number | null][];
  goals?: (number[] | null)[];
}

export interface Motion {
  t: number[];
  q: number[][];
  steer?: Record<string, number[]>;
  plots: Plot[];
  events: { time: number; name: string }[];
  forces?: { joints: number[]; tau: (number | null)[][] } | null;
  reactions?: { bodies: number[]; force: (number | null)[][][]; top: number } | null; // of the parent on the link, link axes
  note?: string;
}

export interface Scene {
  name: string;
  headline: string;
  gravity: Vec;
  size: number;
  low: Vec;
  high: Vec;
  q: number[];
  bodies: Body[];
  base: Vec[];
  frames: { name: string; body: number; place: Place }[];
  loops: Loop[];
  couplings: { joint: number; of: number; ratio: number; offset: number }[];
  springs: (Ends & { length: number })[];
  wheels: Wheel[];
  steer: string[];
  elastic: number[];
  active: number[];
  remarks: string[];
  motion: Motion | null;
  ghost?: Scene | null;
  meshes?: { parts: { body: number; low: Vec; size: number; points: string; faces: string }[] } | null;
  theme?: string;
}
