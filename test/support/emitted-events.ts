import { subscribe, unsubscribe } from "node:diagnostics_channel";

import { afterAll, beforeAll, expect } from "vitest";

import type { EventType } from "../../server/core/engine.ts";

/** Events that the tests of a file emitted, one for each type and set of members. */
const seen = new Map<string, { readonly type: string; readonly data: Readonly<Record<string, unknown>> }>();

const note = (message: unknown): void => {
  const { type, data } = message as { type: string; data: Record<string, unknown> };
  const members = Object.entries(data).map(([name, value]) => `${name} ${shapeOf(value)}`);
  seen.set(`${type} ${members.sort().join()}`, { type, data });
};

const shapeOf = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "array" : typeof value;

beforeAll(() => subscribe("storefront-platform.event", note));

/** Tests of the delivery make up events of their own. */
const MADE_UP = "test/operations/webhooks/";

// Whatever a test is about: an event that it brings about is declared, and its example shows all of its members.
afterAll(async () => {
  unsubscribe("storefront-platform.event", note);
  const events = [...seen.values()];
  seen.clear();
  if (events.length === 0 || expect.getState().testPath?.includes(MADE_UP) === true) return;
  const { eventTypesOf } = await import("../../server/accounts/event-types.ts");
  const { engines } = await import("../../server/registry.ts");
  const names = new Set(engines.map(({ name }) => name));
  const declared = new Map(eventTypesOf(engines).map((type) => [type.type, type]));
  const faults = events.flatMap(({ type, data }) => {
    const known = declared.get(type);
    if (known !== undefined) return faultsOf(known, data);
    return names.has(type.split(".")[0] ?? "") ? [`${type} is not declared`] : [];
  });
  expect(faults).toEqual([]);
});

function faultsOf(
  { type, example, optional = {} }: EventType,
  data: Readonly<Record<string, unknown>>,
): string[] {
  const shown = { ...optional, ...example };
  const members = new Set([...Object.keys(shown), ...Object.keys(data)]);
  return [...members].flatMap((name) => {
    if (!(name in data)) return name in optional ? [] : [`${type}: ${name} is missing`];
    if (!(name in shown)) return [`${type}: the example has no ${name}`];
    const [expected, found] = [shapeOf(shown[name]), shapeOf(data[name])];
    return expected === found || expected === "null" || found === "null"
      ? []
      : [`${type}: ${name} is ${found}, and ${expected} in the example`];
  });
}
