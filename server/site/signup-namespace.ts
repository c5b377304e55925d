import type { Namespace } from "../http/namespace.ts";
import { signUpRoute } from "../accounts/signup/route.ts";
import { confirmLink, openLink } from "./pages/verify-route.ts";

/** Signup and verification: the specification's bare answers, no key needed. */
export const signupNamespace: Namespace = {
  name: "signup",
  mount: "/api/platform",
  summary: "Sign up by e-mail and get an API key",
  auth: "none",
  isForReaders: true,
  part: "platform",
  envelope: false,
  routes: [signUpRoute, openLink, confirmLink],
};
