import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";

import { formJsonSchema } from "../../../server/engines/forms/rules/json-schema.ts";
import { runAtOnce } from "../../../server/lib/slices.ts";
import { content, field, options } from "./make.ts";

const ajv = new Ajv2020({ strict: false });
addFormats.default(ajv);

describe("JSON Schema of a form", () => {
  const when = { field: "topic", op: "eq", value: "a" } as const;
  const form = content({
    fields: [
      field("title", { type: "heading" }),
      field("email", { type: "email", required: true, agent_description: "Where to answer" }),
      field("topic", { type: "select", required: true, options: options("a", "b") }),
      field("more", { required: true, visible_when: when }),
      field("guests", { type: "integer", min: 1, default: 10 }),
    ],
  });
  const schema = runAtOnce(formJsonSchema(form, "https://api.example/schema"));

  it("is valid 2020-12, and requires what everybody must give", () => {
    expect(schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema");
    expect(schema["required"]).toEqual(["email", "topic"]);
    const validate = ajv.compile(schema);
    expect(validate({ email: "ada@shop.example", topic: "a" })).toBe(true);
    expect(validate({ email: "ada@shop.example", topic: "c" })).toBe(false);
    expect(validate({ email: "ada@shop.example", topic: "a", surprise: 1 })).toBe(false);
    expect(validate({ email: "ada@shop.example", topic: "a", guests: 0 })).toBe(false);
  });

  it("tells agents what a field is, and when it is there", () => {
    expect(schema["properties"]).toMatchObject({
      email: { title: "email", description: "Where to answer" },
      more: { "x-visible-when": when },
      guests: { default: 10 },
    });
    expect(schema["properties"]).not.toHaveProperty("title");
  });
});
