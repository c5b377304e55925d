import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

import { parseAst } from "rolldown/parseAst";

import rules from "./words.json" with { type: "json" };

// Texts that people read use the words of the field's own documentation. `words.json` lists the words that are refused
// with what to write instead, the uses that are allowed, files whose texts are not prose about the product (demo
// data, word lists), and the paths that are not clean yet.
const root = new URL("..", import.meta.url).pathname;
export const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
})
  .split("\n")
  .filter((file) => existsSync(`${root}/${file}`))
  .filter((file) => /^(server|cli)\/.*\.ts$|^templates\/.*\.(mjml|md)$|^(README|CHANGELOG)\.md$/.test(file))
  .filter((file) => ![...rules.excluded, ...rules.pending].some((path) => file.startsWith(path)));

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Texts of string and template literals; adjacent ones that are added up are one text, an expression is "…". */
export function literals(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(literals);
  if (!isRecord(node) || typeof node["type"] !== "string") return [];
  if (/^(Import|ExportAll)|^TSLiteralType$/.test(node["type"])) return [];
  const text = textOf(node);
  const inner = Object.entries(node).flatMap(([key, child]) => (key === "type" ? [] : literals(child)));
  return text === null || node["type"] === "BinaryExpression"
    ? text === null
      ? inner
      : [text]
    : [text, ...inner];
}

function textOf(node: unknown): string | null {
  if (!isRecord(node)) return null;
  if (node["type"] === "Literal") return typeof node["value"] === "string" ? node["value"] : null;
  if (node["type"] === "TemplateLiteral" && Array.isArray(node["quasis"])) {
    return node["quasis"].map(cookedOf).join("…");
  }
  if (node["type"] !== "BinaryExpression" || node["operator"] !== "+") return null;
  const [left, right] = [textOf(node["left"]), textOf(node["right"])];
  return left === null || right === null ? null : left + right;
}

function cookedOf(quasi: unknown): string {
  const value = isRecord(quasi) ? quasi["value"] : null;
  return isRecord(value) ? String(value["cooked"]) : "";
}

const withoutCode = (text: string): string =>
  text.replaceAll(/^```.*?^```/gms, "").replaceAll(/`[^`\n]*`/g, "`…`");

function textsOf(file: string): string[] {
  const source = readFileSync(`${root}/${file}`, "utf8");
  if (!anyRefused.test(source)) return [];
  if (file.endsWith(".md")) return withoutCode(source).split(/\n(?=\n|[-*] |\d+\. )/);
  if (file.endsWith(".mjml")) {
    return source.replaceAll(/<mj-style.*?<\/mj-style>|<!--.*?-->/gs, "").split(/<[^>]*>/);
  }
  return literals(parseAst(source, { lang: "ts" }));
}

const refused = rules.refused.map(({ words, write }) => ({
  pattern: new RegExp(`\\b(?:${words})\\b`, "i"),
  write,
}));
const anyRefused = new RegExp(rules.refused.map(({ words }) => `\\b(?:${words})\\b`).join("|"), "i");
const allowed = new RegExp(rules.allowed.join("|"), "gi");

/** A literal of one word is a key or a code, not a text. */
export const isProse = (text: string): boolean =>
  /[A-Za-z]{2,}[^A-Za-z]+ ?[A-Za-z]{2,}/.test(text) && text.includes(" ");

export function faultsOf(text: string): string[] {
  const rest = text.replaceAll(allowed, "");
  return refused.flatMap(({ pattern, write }) => {
    const [word] = pattern.exec(rest) ?? [];
    return word === undefined
      ? []
      : [`"${word}": write ${write}: ${text.trim().replaceAll(/\s+/g, " ").slice(0, 160)}`];
  });
}

/** Refused words in the texts of the product, each with its file. */
export const wordFaults = (): string[] =>
  files.flatMap((file) =>
    textsOf(file)
      .filter(isProse)
      .flatMap(faultsOf)
      .map((fault) => `${file}: ${fault}`),
  );
