import { describe, expect, test } from "vitest";
import { z } from "zod";

import { ok } from "../../server/core/reply.ts";
import { defineOpenRoute, defineRoute } from "../../server/core/route.ts";
import type { Method } from "../../server/core/route.ts";

const of = (method: Method, errors: { type: "not_found" | "conflict"; code?: string; when: string }[] = []) =>
  defineRoute({
    id: "shop.lines.act",
    method,
    path: "/orders/:id/lines/:line_id",
    summary: "Act",
    data: z.null(),
    errors,
    example: {},
    // The types know both parameters.
    handle: ({ params: { id, line_id: line } }) => Promise.resolve(ok(id === line ? null : null)),
  });
const typesOf = (method: Method) => of(method).errors.map(({ type }) => type);

describe("A route whose path has parameters, without `params`", () => {
  test("takes them as ids", () => {
    const { params } = of("GET");
    expect(params?.safeParse({ id: "ord_1", line_id: "lin_1" }).success).toBe(true);
    expect(params?.safeParse({ id: "ord_1" }).success).toBe(false);
    expect(params?.safeParse({ id: "ord_1", line_id: "x".repeat(200) }).success).toBe(false);
  });

  test("declares a missing resource, and for PATCH, PUT and DELETE another version", () => {
    expect(typesOf("GET")).toEqual(["not_found"]);
    expect(typesOf("POST")).toEqual(["not_found"]);
    for (const method of ["PATCH", "PUT", "DELETE"] as const) {
      expect(typesOf(method)).toEqual(["not_found", "precondition_failed"]);
    }
  });

  test("has its own words for them, where it declares some", () => {
    expect(of("GET", [{ type: "not_found", when: "No published order" }]).errors).toEqual([
      { type: "not_found", when: "No published order" },
    ]);
    const coded = of("GET", [{ type: "not_found", code: "no_line", when: "No line" }]).errors;
    expect(coded.map(({ code }) => code)).toEqual([undefined, "no_line"]);
  });
});

test("A route with `params` of its own declares its errors itself, and one without parameters has none", () => {
  const own = defineRoute({
    id: "shop.days.get",
    method: "PUT",
    path: "/days/:date",
    summary: "Show",
    params: z.object({ date: z.iso.date() }),
    data: z.string(),
    example: {},
    handle: ({ params }) => Promise.resolve(ok(params.date)),
  });
  expect(own.errors).toEqual([]);
  const plain = {
    id: "shop.days.list",
    method: "GET",
    path: "/days",
    summary: "List",
    data: z.null(),
  } as const;
  const handle = () => Promise.resolve(ok(null));
  expect(defineRoute({ ...plain, example: {}, handle })).toMatchObject({ params: null, errors: [] });
});

test("An open route takes ids as well, and declares its errors itself", () => {
  const route = defineOpenRoute({
    id: "hooks.orders.receive",
    method: "POST",
    path: "/orders/:order_id",
    summary: "Receive",
    data: z.string(),
    example: {},
    handle: ({ params }) => Promise.resolve(ok(params.order_id)),
  });
  expect(route.params?.safeParse({ order_id: "ord_1" }).success).toBe(true);
  expect(route.errors).toEqual([]);
});
