import type { Namespace } from "../../http/namespace.ts";

/** Pages for people and probes for machines: docs, signup, dev inbox, health. */
export const pagesNamespace: Namespace = {
  name: "pages",
  mount: "",
  summary: "Pages and probes",
  auth: "none",
  part: "platform",
  envelope: false,
  routes: [],
};
