import { dirname, resolve } from "node:path";

import { build } from "rolldown";

/*
 * `node server/bundle.mjs <folder> <entry>…` compiles entry points (`bin/platform` is bin/platform.ts and becomes
 * <folder>/bin/platform.js) and what they import into JavaScript. What several of them need, and what is imported late, is
 * in <folder>/chunks: a process that loads sixty files starts in two thirds of the time of one that loads twelve hundred.
 * Names and lines stay as they are, because people read stack traces. The folder is emptied first.
 */
const [dir = "", ...entries] = process.argv.slice(2);

/**
 * V8 keeps the source of what it has loaded, with two bytes for each character once a single one is beyond U+00FF: escaped,
 * it is half of that memory. Literals mean the same, but in `String.raw`.
 */
const narrow = {
  name: "narrow",
  generateBundle(_options, files) {
    for (const file of Object.values(files)) if (file.type === "chunk") file.code = escapeWide(file.code);
  },
};

function escapeWide(code) {
  if (/String\.raw`[^`]*[^`\0-\u00ff]|\\[^\0-\u00ff]/.test(code))
    throw new Error("Write what is beyond U+00FF without String.raw, and without a backslash in front.");
  return code.replace(/[^\0-\u00ff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

await build({
  cwd: dirname(import.meta.dirname),
  input: Object.fromEntries(entries.map((entry) => [entry, `./${entry}.ts`])),
  platform: "node",
  plugins: [narrow],
  tsconfig: false,
  // Packages stay packages, with their licences; only what the compiler itself adds comes along.
  external: (id) => /^[^./]/.test(id) && !id.startsWith("@oxc-project/runtime/"),
  // Many modules declare something by being loaded: it need not be proven that they do.
  treeshake: false,
  transform: { target: "node20.19" },
  output: {
    dir: resolve(dir),
    // Comments of types are in the declarations; licences stay.
    comments: { jsdoc: false },
    cleanDir: true,
    entryFileNames: "[name].js",
    chunkFileNames: "chunks/[name]-[hash].js",
    // Each file that is loaded takes a millisecond: what every command needs is one, and what calls need another.
    codeSplitting: {
      groups: [
        { name: "start", test: /cli\/program\/main\.ts$/, priority: 2 },
        { name: "call", test: /cli\/(commands\/call|calls\/call|client\/connect)\.ts$/, priority: 1 },
      ],
    },
  },
});
