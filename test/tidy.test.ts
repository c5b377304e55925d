import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import { describe, expect, it } from "vitest";

import { engines, namespaces } from "../server/registry.ts";

// House rules that neither the compiler nor the linter sees (CONTRIBUTING.md).
const root = new URL("..", import.meta.url).pathname;
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => file !== "" && existsSync(`${root}/${file}`));
const source = files.filter((file) => /^(bin|server|cli)\/.*\.ts$/.test(file));
const read = (file: string): string => readFileSync(`${root}/${file}`, "utf8");

describe("tidy", () => {
  it("finds the source", () => expect(source.length).toBeGreaterThan(50));

  it("has only the agreed top-level folders", () => {
    const tops = new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]));
    expect(tops).toEqual(new Set([".ci", "bin", "cli", "server", "templates", "test"]));
  });

  it("keeps no unfinished words in the source", () => {
    const found = source.filter((file) => /\b(TODO|FIXME|XXX|HACK)\b/.test(read(file)));
    expect(found).toEqual([]);
  });

  it("names files in kebab-case", () => {
    const found = source.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.ts$/.test(basename(file)));
    expect(found).toEqual([]);
  });

  it("reads the clock and randomness only where they are wrapped", () => {
    const allowed = new Set(["server/core/clock.ts", "server/core/ids.ts"]);
    const found = source.filter(
      (file) => !allowed.has(file) && /Date\.now\(\)|new Date\(\)|Math\.random\(\)/.test(read(file)),
    );
    expect(found).toEqual([]);
  });

  it("escapes the type system nowhere", () => {
    const found = source.filter((file) => /\bas any\b|: any\b|@ts-ignore|@ts-expect-error/.test(read(file)));
    expect(found).toEqual([]);
  });

  it("gives every rule its own test", () => {
    const rules = source.filter((file) => /^server\/engines\/[^/]+\/rules\/[^/]+\.ts$/.test(file));
    const missing = rules.filter((file) => {
      const [, , engine, , name] = file.split("/");
      return !files.includes(`test/engines/${engine}/${name?.replace(/\.ts$/, ".test.ts")}`);
    });
    expect(missing).toEqual([]);
  });

  it("gives every engine the same shape", () => {
    for (const { name } of engines) {
      for (const file of ["index.ts", "schema.ts", "repository.ts", "demo.ts", "data/events.ts"]) {
        expect(files, `${name}/${file}`).toContain(`server/engines/${name}/${file}`);
      }
      const own = files
        .filter((file) => file.startsWith(`server/engines/${name}/`))
        .map((file) => file.split("/")[3] ?? "");
      const known = [
        "index.ts",
        "schema.ts",
        "schema",
        "repository.ts",
        "jobs.ts",
        "jobs",
        "services",
        "demo.ts",
        "routes",
        "rules",
        "data",
        "formats",
      ];
      expect(
        own.filter((part) => !known.includes(part)),
        `${name}: an idea that goes in all engines or none`,
      ).toEqual([]);
    }
  });

  it("names every route by its namespace and its words", () => {
    for (const { name, routes } of namespaces) {
      for (const route of routes) {
        expect(route.id).toMatch(/^[a-z]+(-[a-z]+)*(\.[a-z0-9-]+){1,3}$/);
        expect(route.id.startsWith(`${name}.`), route.id).toBe(true);
      }
    }
  });
});
