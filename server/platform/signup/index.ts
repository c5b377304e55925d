import type { Namespace } from "../../http/namespace.ts";

/** Signup and verification: the specification's bare answers, no key needed. */
export const signupNamespace: Namespace = {
  name: "signup",
  mount: "/api/platform",
  summary: "Sign up by e-mail, follow the link, get a key once",
  auth: "none",
  part: "platform",
  envelope: false,
  routes: [],
};
