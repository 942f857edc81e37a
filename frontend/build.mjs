// Bundles the pages into src/dalembert/*/static. Run by the build hook; by hand: npm run build.
import * as esbuild from "esbuild";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const home = join(here, "..", "src", "dalembert");

const pages = [
  { entry: "src/view/main.ts", out: join(home, "view", "static", "view.js"), css: "text" },
  { entry: "src/studio/main.ts", out: join(home, "studio", "static", "studio.js"), css: "css" },
];

for (const page of pages) {
  const entry = join(here, page.entry);
  if (!existsSync(entry)) continue;
  mkdirSync(dirname(page.out), { recursive: true });
  await esbuild.build({
    entryPoints: [entry],
    outfile: page.out,
    bundle: true,
    minify: true,
    format: "iife",
    target: "es2022",
    legalComments: "inline",
    charset: "utf8",
    // old formats of the same fonts are left out: every browser that has WebGL 2 reads woff2
    loader: { ".css": page.css, ".woff2": "file", ".woff": "empty", ".ttf": "empty" },
    assetNames: "fonts/[name]",
    logLevel: "warning",
  });
}
