// The stage: renderer, camera, light, ground. It draws only when something changed.

import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";

export interface Look {
  up: THREE.Vector3;
  normal: THREE.Vector3 | null; // of the plane in which a planar machine moves
  ground: number | null; // height along up
  lean: THREE.Vector3 | null; // where the machine reaches out to
  centre: THREE.Vector3;
  radius: number;
}

const COLORS = {
  light: { line: 0xa9b4c4, sky: 0xffffff, earth: 0xc3cad6, shadow: 0.15, stars: 0x9aa5b8 },
  dark: { line: 0x6b7a94, sky: 0xdfe8ff, earth: 0x4a5468, shadow: 0.45, stars: 0xc8d4ee },
};

// pixels per pixel of the page while a machine moves and when it stands, without a graphics card
const COARSE = 0.65, FINE = 1.5;
const ASKED = { alpha: true, preserveDrawingBuffer: true };

// A canvas of a size, and whether it is drawn without a graphics card. It has its size from the start,
// so that it is not made twice; without a card it has more pixels when it stands still, not more samples.
function surface([width, height]: [number, number]): { canvas: HTMLCanvasElement; soft: boolean } {
  const make = () => Object.assign(document.createElement("canvas"), { width, height }), canvas = make();
  const gl = canvas.getContext("webgl2", { ...ASKED, antialias: false }), info = gl?.getExtension("WEBGL_debug_renderer_info");
  const soft = !!gl && !!info && /swiftshader|llvmpipe|software/i.test(String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)));
  return { canvas: soft ? canvas : make(), soft };
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera: THREE.PerspectiveCamera;
  readonly renderer: THREE.WebGLRenderer;
  readonly controls: OrbitControls;
  frame = 0; // milliseconds that the last picture took
  private dirty = true;
  private readonly soft: boolean; // no graphics card: shadows and sharp edges wait until it stands still
  private settle = 0;
  private drawn = false;
  private size: [number, number];
  private readonly sun = new THREE.DirectionalLight(0xfff6ea, 2.2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0xb3bccb, 2.1);
  private readonly fill = new THREE.DirectionalLight(0xffffff, 0.9); // goes with the camera
  private readonly grid: THREE.Mesh<THREE.PlaneGeometry, THREE.ShaderMaterial>;
  private readonly shade: THREE.Mesh<THREE.PlaneGeometry, THREE.ShadowMaterial>;
  private stars: THREE.Points<THREE.BufferGeometry, THREE.PointsMaterial> | null = null;
  private tint = COLORS.light;
  afterDraw: () => void = () => {};

  constructor(private readonly host: HTMLElement, private look: Look) {
    this.size = [Math.max(1, host.clientWidth), Math.max(1, host.clientHeight)];
    const { canvas, soft } = surface(this.size);
    this.soft = soft;
    this.renderer = new THREE.WebGLRenderer({ ...ASKED, canvas, antialias: !soft });
    this.renderer.debug.checkShaderErrors = false; // asking waits for the compiler
    this.sharpness(1);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NoToneMapping;
    this.renderer.shadowMap.autoUpdate = !soft;
    host.appendChild(canvas);

    this.camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
    this.camera.up.copy(look.up);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.addEventListener("change", () => this.redraw());

    this.sun.castShadow = !this.soft;
    this.sun.shadow.mapSize.set(this.soft ? 512 : 1024, this.soft ? 512 : 1024);
    this.sun.shadow.bias = -0.0004;
    this.sun.shadow.radius = 3;
    this.scene.add(this.sun, this.sun.target, this.sky, this.fill, this.fill.target);

    // lines that fade with the distance
    this.grid = new THREE.Mesh(
      new THREE.PlaneGeometry(2, 2),
      new THREE.ShaderMaterial({
        transparent: true, depthWrite: false, side: THREE.DoubleSide,
        uniforms: { step: { value: 1 }, reach: { value: 1 }, color: { value: new THREE.Color() } },
        vertexShader: "varying vec2 p; uniform float reach; void main(){ p = position.xy * reach; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.); }",
        fragmentShader: `varying vec2 p; uniform float step; uniform float reach; uniform vec3 color;
          float lines(vec2 x, float s){ vec2 g = x / s; vec2 w = fwidth(g); vec2 a = abs(fract(g - .5) - .5) / w;
            return (1. - min(min(a.x, a.y), 1.)) * (1. - smoothstep(.25, .6, max(w.x, w.y))); }
          void main(){ float fade = 1. - smoothstep(.15, 1., length(p) / reach);
            float a = max(.6 * lines(p, step * 5.), .28 * lines(p, step)) * fade; if (a < .004) discard;
            gl_FragColor = vec4(color, a); }`,
      }),
    );
    this.shade = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), new THREE.ShadowMaterial({ opacity: 0.16 }));
    this.shade.receiveShadow = true;
    this.scene.add(this.grid, this.shade);
    new ResizeObserver(() => this.resize()).observe(host);
    this.place(look);
    this.fitted();
    this.home();
    const tick = () => {
      if (this.dirty) this.draw();
      requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  // another machine: light, ground and distances follow its size
  place(look: Look): void {
    this.look = look;
    const { up, radius } = look, [e, f] = this.level();
    this.camera.near = radius / 50;
    this.camera.far = radius * 60;
    this.camera.up.copy(up);
    this.camera.updateProjectionMatrix();
    this.sun.shadow.normalBias = radius * 0.008;
    const c = this.sun.shadow.camera, reach = 1.7 * radius;
    c.left = c.bottom = -reach;
    c.right = c.top = reach;
    c.near = 0.1 * radius;
    c.far = 12 * radius;
    const from = this.direction();
    this.sun.position.copy(look.centre).addScaledVector(up, 3.6 * radius).addScaledVector(from, 3.4 * radius)
      .addScaledVector(from.clone().cross(up).normalize(), -1.9 * radius);
    this.sun.target.position.copy(look.centre);
    this.sky.position.copy(up);
    c.updateProjectionMatrix();
    // the step of the lines is a round number of metres
    const step = 10 ** Math.floor(Math.log10(radius * 0.7));
    this.grid.material.uniforms.step.value = step;
    this.grid.material.uniforms.reach.value = 4.2 * radius;
    for (const plane of [this.grid, this.shade]) {
      plane.matrixAutoUpdate = false;
      const s = 4.2 * radius, o = look.centre.clone().addScaledVector(up, -look.centre.dot(up) + (look.ground ?? 0));
      // a multiple of the step, so that lines pass through the origin
      for (const u of [e, f]) o.addScaledVector(u, Math.round(o.dot(u) / (5 * step)) * 5 * step - o.dot(u));
      plane.matrix.makeBasis(e.clone().multiplyScalar(s), f.clone().multiplyScalar(s), up).setPosition(o);
    }
    this.grid.visible = look.ground !== null;
    if (look.ground === null && !this.stars) this.scene.add((this.stars = this.sparks()));
    if (this.stars) this.stars.visible = look.ground === null;
    this.stars?.scale.setScalar(radius);
    this.redraw();
  }

  // two directions in the ground
  private level(): [THREE.Vector3, THREE.Vector3] {
    const { up } = this.look;
    const e = Math.abs(up.x) < 0.9 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
    e.addScaledVector(up, -e.dot(up)).normalize();
    return [e, up.clone().cross(e)];
  }

  private direction(): THREE.Vector3 {
    const { up, normal } = this.look, [e, f] = this.level();
    if (normal && Math.abs(normal.dot(up)) < 0.1) {
      // a machine in a vertical plane is seen from the front, x to the right
      const n = normal.clone();
      if (n.clone().cross(up).dot(e) > 0) n.negate();
      return n.multiplyScalar(1).addScaledVector(up, 0.16).addScaledVector(e, 0.22).normalize();
    }
    const { lean } = this.look;
    if (lean && !normal) {
      // from the side, so that the arm is seen at its full length
      const side = lean.clone().cross(up).normalize();
      if (side.dot(e.clone().multiplyScalar(0.4).addScaledVector(f, -1)) < 0) side.negate();
      return side.multiplyScalar(1.3).addScaledVector(lean, 0.62).addScaledVector(up, 0.66).normalize();
    }
    return e.clone().multiplyScalar(0.95).addScaledVector(f, -1.25).addScaledVector(up, normal ? 1.5 : 0.72).normalize();
  }

  private sparks() {
    const at: number[] = [];
    let seed = 7;
    const random = () => ((seed = (seed * 16807) % 2147483647) / 2147483647) * 2 - 1;
    for (let k = 0; k < 500; k++) {
      const v = new THREE.Vector3(random(), random(), random());
      if (v.length() < 0.2) continue;
      v.normalize().multiplyScalar((14 + 10 * Math.abs(random())));
      at.push(v.x, v.y, v.z);
    }
    const shape = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(at, 3));
    return new THREE.Points(shape, new THREE.PointsMaterial({ size: 2, sizeAttenuation: false, transparent: true, opacity: 0.8, color: this.tint.stars }));
  }

  theme(name: "light" | "dark"): void {
    const c = (this.tint = COLORS[name]);
    this.grid.material.uniforms.color.value.set(c.line);
    this.shade.material.opacity = c.shadow;
    this.sky.color.set(c.sky);
    this.sky.groundColor.set(c.earth);
    this.stars?.material.color.set(c.stars);
    this.redraw();
  }

  home(): void {
    const half = (this.camera.fov * Math.PI) / 360, wide = Math.atan(Math.tan(half) * this.camera.aspect);
    const far = (1.04 * this.look.radius) / Math.sin(Math.min(half, wide));
    this.camera.position.copy(this.look.centre).addScaledVector(this.direction(), far);
    this.controls.target.copy(this.look.centre);
    this.controls.update();
    this.redraw();
  }

  resize(): void {
    const w = Math.max(1, this.host.clientWidth), h = Math.max(1, this.host.clientHeight);
    if (w === this.size[0] && h === this.size[1]) return;
    this.size = [w, h];
    this.renderer.setSize(w, h, false);
    this.fitted();
  }

  private fitted(): void {
    const [w, h] = this.size, { style } = this.renderer.domElement;
    style.width = `${w}px`;
    style.height = `${h}px`;
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    this.redraw();
  }

  redraw(): void {
    this.dirty = true;
  }

  // pixels per pixel of the page; without a graphics card a moving machine has fewer
  private sharpness(part: number): void {
    const wanted = part * Math.min(2, window.devicePixelRatio || 1);
    if (this.renderer.getPixelRatio() !== wanted) this.renderer.setPixelRatio(wanted);
  }

  draw(): void {
    if (this.soft) {
      this.sharpness(this.drawn ? COARSE : 1);
      clearTimeout(this.settle);
      this.settle = window.setTimeout(() => this.fine(), this.drawn ? 160 : 600);
    }
    this.render();
    this.drawn = true;
  }

  // as good as it can be: with shadows and smooth edges
  fine(): void {
    clearTimeout(this.settle);
    if (this.soft) {
      this.sharpness(FINE); // this empties the canvas: it is filled at once
      this.sun.castShadow = true;
      this.renderer.shadowMap.needsUpdate = true;
    }
    this.render();
  }

  private render(): void {
    this.dirty = false;
    this.shade.visible = this.sun.castShadow && this.look.ground !== null;
    const start = performance.now();
    this.fill.position.copy(this.camera.position);
    this.fill.target.position.copy(this.controls.target);
    this.renderer.render(this.scene, this.camera);
    this.frame = performance.now() - start;
    this.afterDraw();
  }

  // where a point of the world is on the page, in pixels of the canvas
  project(p: THREE.Vector3): [number, number, boolean] {
    const v = p.clone().project(this.camera), box = this.renderer.domElement;
    return [((v.x + 1) / 2) * box.clientWidth, ((1 - v.y) / 2) * box.clientHeight, v.z < 1];
  }
}
