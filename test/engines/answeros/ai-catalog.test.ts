import { expect, it } from "vitest";

import { catalogId, lintCatalog, writeCatalog } from "../../../server/engines/answeros/rules/ai-catalog.ts";

const entry = {
  identifier: "urn:air:crumb.example:site:llms.txt",
  displayName: "Crumb",
  type: "text/markdown",
  url: "https://crumb.example/llms.txt",
  representativeQueries: ["What do you bake?", "Where are you?"],
};
const lint = (change: object = {}, root: object = {}) =>
  lintCatalog(JSON.stringify({ specVersion: "1.0", entries: [{ ...entry, ...change }], ...root })).map(
    ({ code, severity }) => (severity === "error" ? code : `(${code})`),
  );

it.each([
  ["a good one", {}, {}, []],
  ["another version", {}, { specVersion: "2.0" }, ["spec_version"]],
  ["collections", {}, { collections: [] }, ["collections"]],
  ["no list of entries", {}, { entries: {} }, ["entries"]],
  ["an entry that is none", {}, { entries: ["x"] }, ["entry"]],
  ["two of one identifier", {}, { entries: [entry, entry] }, ["repeated_identifier"]],
  ["an identifier of another form", { identifier: "urn:air:crumb" }, {}, ["identifier"]],
  ["no name", { displayName: "" }, {}, ["display_name"]],
  ["no type", { type: undefined }, {}, ["type"]],
  ["neither url nor data", { url: undefined }, {}, ["url_or_data"]],
  ["both", { data: {} }, {}, ["url_or_data"]],
  ["data alone", { url: undefined, data: {} }, {}, []],
  ["a relative url", { url: "/llms.txt" }, {}, ["url"]],
  ["one query", { representativeQueries: ["x"] }, {}, ["(queries)"]],
  ["six queries", { representativeQueries: Array.from({ length: 6 }, () => "x") }, {}, ["(queries)"]],
])("%s", (_, change, root, expected) => expect(lint(change, root)).toEqual(expected));

it("refuses what is no object", () => {
  expect(["{", "[]", "1"].map((text) => lintCatalog(text)[0]?.code)).toEqual([
    "bad_json",
    "bad_json",
    "bad_json",
  ]);
});

it("writes what it accepts, whatever the names", () => {
  expect(
    lintCatalog(writeCatalog([{ ...entry, identifier: catalogId("Crumb & Söhne", "-", "llms.txt") }])),
  ).toEqual([]);
});
