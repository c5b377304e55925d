import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";

import { build } from "rolldown";

/*
 * `node server/bundle.mjs <folder> <entry>…` compiles entry points (`bin/platform` is bin/platform.ts and becomes
 * <folder>/bin/platform.js) and what they import into JavaScript. What several of them need, and what is imported late, is
 * in <folder>/chunks: a process that loads sixty files starts in two thirds of the time of one that loads twelve hundred.
 * Names and lines stay as they are, because people read stack traces. The folder is emptied first.
 */
const [dir = "", ...entries] = process.argv.slice(2);
const root = dirname(import.meta.dirname);

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

/** What the compiler puts between a late import and a chunk of several modules: one more file to load. */
const FACADE = /^(?:import "[^"]+";\n)?export \{ ([^}]+) \} from "\.\/([^"]+)";\s*$/;

/** Has late imports load such a chunk directly, and leaves out imports of the compiler's runtime that use nothing of it. */
const direct = {
  name: "direct",
  generateBundle(_options, files) {
    const chunks = Object.values(files).filter(({ type }) => type === "chunk");
    const facades = new Map();
    for (const { fileName, code } of chunks) {
      const [, names, target] = FACADE.exec(code) ?? [];
      if (names !== undefined) facades.set(basename(fileName), { members: membersOf(names), target });
    }
    for (const chunk of chunks)
      chunk.code = chunk.code
        .replace(/^import "[^"]*\/rolldown-runtime-[^"]+";\n/m, "")
        .replace(/import\("(\.[^"]*\/)([^"/]+)"\)/g, (text, folder, name) => {
          const facade = facades.get(name);
          if (facade === undefined) return text;
          return `import("${folder}${facade.target}").then((it) => ({ ${facade.members} }))`;
        });
  },
};

/** `t as main, n` becomes `main: it.t, n: it.n`. */
function membersOf(names) {
  const pairs = names.split(", ").map((name) => name.split(" as "));
  return pairs.map(([own, exported = own]) => `${exported}: it.${own}`).join(", ");
}

/** Importing node:http reads all that it exports, which from Node 22.5 on loads undici: 50 to 100 ms, for WebSocket that nothing uses. */
const withoutUndici = {
  name: "without-undici",
  generateBundle(_options, files) {
    for (const file of Object.values(files))
      if (file.type === "chunk")
        file.code = file.code.replace(/^import \{([^}]+)\} from "node:http";$/gm, (_, names) => {
          const members = names.replaceAll(" as ", ": ");
          return `const {${members}} = process.getBuiltinModule("node:http");`;
        });
  },
};

/** Packages that the first commands and every server load, in 100 files: they are in chunks, with their licences. */
const BUNDLED = ["commander", "zod"];
const isBundled = (id) => BUNDLED.some((name) => id === name || id.includes(`/node_modules/${name}/`));

/** The bundled packages: their licences, and nothing that is not used but is as large as the rest. */
const packages = {
  name: "packages",
  load: (id) => (id.endsWith("/zod/v4/locales/index.js") ? `export { default as en } from "./en.js";` : null),
  generateBundle() {
    for (const name of BUNDLED)
      this.emitFile({
        type: "asset",
        fileName: `chunks/${name}.LICENSE.txt`,
        source: readFileSync(join(root, "node_modules", name, "LICENSE")),
      });
  },
};

await build({
  cwd: root,
  input: Object.fromEntries(entries.map((entry) => [entry, `./${entry}.ts`])),
  platform: "node",
  plugins: [packages, direct, withoutUndici, narrow],
  tsconfig: false,
  // Other packages stay packages; only what the compiler itself adds comes along. What engines of others build upon is the whole zod.
  external: (id, importer) =>
    /^[^./]/.test(id) &&
    !id.startsWith("@oxc-project/runtime/") &&
    (!isBundled(id) || importer?.endsWith("/server/engine.ts") === true),
  // Many modules declare something by being loaded: it need not be proven that they do.
  treeshake: false,
  // Whether late imports pay is measured by the time to start.
  checks: { ineffectiveDynamicImport: false },
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
        { name: "zod", test: /node_modules\/zod\//, priority: 6 },
        { name: "main", test: /cli\/program\/main\.ts$/, priority: 5 },
        // What tasks share with the server: a thread that loads all of the server takes three times as long until it begins.
        {
          name: "tasks",
          test: /server\/(core\/(ids|stored)|lib\/(worker-tasks|html|instant|language-tag|recent))\.ts$/,
          priority: 4,
        },
        {
          name: "schema",
          test: /server\/core\/(schema|issues|optional-packages|test-clock)\.ts$/,
          priority: 3,
        },
        { name: "start", test: /cli\/program\/program\.ts$/, priority: 2 },
        { name: "call", test: /cli\/(commands\/call|client\/connect|terminal\/ask)\.ts$/, priority: 1 },
        // What a server loads until it is ready is a third one, apart from what other commands need to read the configuration.
        { name: "config", test: /server\/config\/load\.ts$/, priority: 0.7 },
        { name: "serve", test: /server\/(serve|app|services)\.ts$/, priority: 0 },
      ],
    },
  },
});
