import { describe, expect, it } from "vitest";

import { wordsIn } from "../../../server/core/words.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { gatherParts, prefilled, renderForm } from "../../../server/engines/forms/rules/render-form.ts";
import { FIELD_TYPES } from "../../../server/engines/forms/schema/field.ts";
import { content, field, options } from "./make.ts";

const words = wordsIn("en");
const rendering = {
  words,
  action: "https://api.example/f",
  prefix: "p",
  token: null,
  values: {},
  faults: [],
};
const render = (
  more: Parameters<typeof content>[0],
  given: Partial<Parameters<typeof renderForm>[1]> = {},
): string => runAtOnce(renderForm(content(more), { ...rendering, ...given })).html.replaceAll(/\s+/g, " ");

describe("a form as HTML", () => {
  const fields = FIELD_TYPES.map((type) =>
    field(type, { type, help: "Some help", options: options("a", "b") }),
  );

  it("labels and names every control", () => {
    const text = render({ fields });
    const controls = [...text.matchAll(/<(input|select|textarea) [^>]*>/g)].map(([tag]) => tag);
    expect(controls.length).toBeGreaterThan(25);
    for (const tag of controls) {
      expect(tag).toMatch(/ name="[^"]+"/);
      if (tag.includes('type="hidden"')) continue;
      const id = / id="([^"]+)"/.exec(tag)?.[1];
      expect(text, tag).toContain(`for="${id}"`);
    }
    expect(text).toContain('enctype="multipart/form-data"');
    expect(text).toContain('action="https://api.example/f"');
  });

  it("is in the language of its author, and runs in its direction, on whatever page it is", () => {
    expect(render({ fields, locales: ["ar"] })).toMatch(/^<form [^>]*dir="auto" lang="ar"/);
    expect(render({ fields, locales: [] })).toMatch(/^<form [^>]*dir="auto" enctype/);
  });

  it("escapes everything that anybody wrote", () => {
    const evil = `"><script>alert(1)</script>`;
    const text = render(
      {
        fields: [
          field("a", { label: evil, help: evil, placeholder: evil, default: evil }),
          field("h", { type: "html", help: evil }),
          field("s", { type: "select", options: [{ value: evil, label: evil }] }),
        ],
        consents: [{ key: "c", text: evil, required: true, version: "1" }],
      },
      { faults: [{ field: "a", code: "invalid", message: evil }], values: { a: evil }, token: evil },
    );
    expect(text).not.toContain("<script>");
  });

  it("is a tool for agents only with both name and description, and never sends itself unless told", () => {
    const agent = { enabled: true, tool_name: "ask", tool_description: "Asks", autosubmit: false };
    const one = [field("a", { agent_description: "What to ask" })];
    const text = render({ fields: one, agent });
    expect(text).toContain('toolname="ask" tooldescription="Asks"');
    expect(text).toContain('toolparamdescription="What to ask"');
    expect(text).not.toContain("toolautosubmit");
    expect(render({ fields: one, agent: { ...agent, tool_description: null } })).not.toContain("toolname");
    expect(render({ fields: one, agent: { ...agent, enabled: false } })).not.toContain("toolname");
    expect(render({ fields: one, agent: { ...agent, autosubmit: true } })).toContain(" toolautosubmit");
  });

  it("demands of the browser only what is always there", () => {
    const text = render({
      fields: [
        field("a", { required: true }),
        field("b", { required: true, visible_when: { field: "a", op: "not_empty" } }),
      ],
    });
    expect(/<input[^>]*name="a"[^>]* required/.test(text)).toBe(true);
    expect(/<input[^>]*name="b"[^>]* required/.test(text)).toBe(false);
  });

  it("keeps what was typed, and says what is wrong beside it", () => {
    const text = render(
      { fields: [field("a"), field("s", { type: "radio", options: options("x", "y") })] },
      { values: { a: "Ada", s: "y" }, faults: [{ field: "a", code: "invalid", message: "Too short." }] },
    );
    expect(text).toContain('value="Ada"');
    expect(/value="y" checked/.test(text)).toBe(true);
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain("Too short.");
  });

  it("hides the trap, which nobody can tab into", () => {
    expect(render({})).toMatch(/hidden aria-hidden="true">.*name="_gotcha".*tabindex="-1"/);
  });

  it("reads address parts back", () => {
    expect(
      gatherParts({ name: "Ada", "home.line1": "1 Mare St", "home.city": "London", "a.b.c": "x" }),
    ).toEqual({
      name: "Ada",
      home: { line1: "1 Mare St", city: "London" },
      "a.b.c": "x",
    });
  });
});

it("takes answers out of the address of a page for fields that specify a parameter", () => {
  const fields = [
    field("a", { prefill_param: "p" }),
    field("b", { prefill_param: "toString" }),
    field("c", { type: "consent", prefill_param: "p" }),
    field("d"),
    field("e", { prefill_param: "empty" }),
  ];
  expect(prefilled(fields, { p: "1", d: "2", empty: "" })).toEqual({ a: "1" });
});
