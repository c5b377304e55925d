import { describe, expect, it } from "vitest";

import { demoForms } from "../../../server/engines/forms/demo.ts";
import { formFaults, publishFaults } from "../../../server/engines/forms/rules/check-form.ts";
import { wordsIn } from "../../../server/core/words.ts";
import { readAnswers } from "../../../server/engines/forms/rules/read-answers.ts";
import { forms } from "../../../server/engines/forms/index.ts";
import { forms as formDocs, formVersions } from "../../../server/engines/forms/repository.ts";

const NOW = Date.parse("2026-11-21T09:00:00.000Z");

describe("the demo bakery's forms", () => {
  it("is the same at the same instant, and every document fits its collection", () => {
    expect(demoForms(NOW)).toEqual(demoForms(NOW));
    for (const { collection, values } of forms.seed(NOW)) {
      expect(values.length, collection.name).toBeGreaterThan(0);
      for (const value of values) expect(() => collection.schema.parse(value), collection.name).not.toThrow();
    }
  });

  it("has forms without faults, whose own submissions they would take", async () => {
    const { submissions, versions } = demoForms(NOW);
    const byForm = new Map(versions.map(({ content, form_id: id }) => [id, content]));
    for (const content of byForm.values())
      expect([...formFaults(content), ...publishFaults(content)]).toEqual([]);
    for (const { data, form_id: id } of submissions) {
      const content = byForm.get(id);
      if (content === undefined) throw new Error(id);
      const read = await readAnswers(content, data, {
        extent: "whole",
        unknown: "fault",
        phone: (text) => text,
        region: "GB",
        key: "sto_a",
        words: wordsIn("en"),
      });
      expect(read.faults).toEqual([]);
      expect(read.data).toEqual(data);
    }
  });

  it("tells each quote request of its submission", () => {
    const { quoteRequests, submissions } = demoForms(NOW);
    expect(quoteRequests.map(({ status }) => status)).toEqual(["new", "triaged", "declined", "converted"]);
    for (const { id, submission_id: from } of quoteRequests) {
      expect(submissions.find((submission) => submission.id === from)?.quote_request_id).toBe(id);
    }
  });

  it("forgets whoever is told of submissions, when asked to", () => {
    const { forms: all, versions } = demoForms(NOW);
    const address = "kitchen@demo-bakery.example";
    const form = all.find((one) => formDocs.personal?.subjects(one).includes(address));
    const version = versions.find((one) => formVersions.personal?.subjects(one).includes(address));
    if (form === undefined || version === undefined) throw new Error("nobody is told");
    const left = [formDocs.personal?.erased(form, address), formVersions.personal?.erased(version, address)];
    expect(JSON.stringify(left)).not.toContain(address);
    expect(JSON.stringify(left)).toContain("hello@demo-bakery.example");
  });
});
