import { delivery } from "./engines/delivery/index.ts";
import type { Namespace } from "./http/namespace.ts";
import type { Engine } from "./kernel/engine.ts";
import { accountNamespace } from "./platform/account/index.ts";
import { adminNamespace } from "./platform/admin/index.ts";
import { pagesNamespace } from "./platform/pages/index.ts";
import { signupNamespace } from "./platform/signup/index.ts";

/** THE list of engines: one line each. Routes, scopes, OpenAPI, docs, CLI commands and contract tests follow from it. */
export const engines: readonly Engine[] = [delivery];

/** Every route the service answers, in groups that share a mount and a way of proving who calls. */
export const namespaces: readonly Namespace[] = [
  ...engines.map(toNamespace),
  accountNamespace,
  signupNamespace,
  adminNamespace,
  pagesNamespace,
];

/** Every scope that a secret key can hold, in the registry's order. */
export const scopes: readonly string[] = [
  ...engines.flatMap(({ name }) => [`${name}:read`, `${name}:write`, `${name}:manage`]),
  "account:read",
  "account:write",
];

function toNamespace({ name, summary, routes }: Engine): Namespace {
  return { name, mount: `/v1/${name}`, summary, auth: "key", part: "store", envelope: true, routes };
}
