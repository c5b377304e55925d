import { z } from "zod";

import { tooManyRequests } from "../../lib/errors.ts";
import { raw } from "../../core/reply.ts";
import { actorOf } from "../change.ts";
import { defineAccountsRoute } from "../context.ts";
import type { AccountsCtx } from "../context.ts";
import { Email } from "../customers/email.ts";
import { signUp } from "./sign-up.ts";
import { StoreIdentifier } from "../stores/store-identifier.ts";
import { addressNetwork, clientAddress, isLoopback } from "../../http/client-address.ts";

const HOUR_MS = 3_600_000;
/** Signups from this machine itself, as scripts and tests send them; through a proxy no request comes from here. */
const LOCAL_PER_HOUR = 600;

/** The specification's request: further members are ignored, so that a client sending extras still works. */
export const SignupBody = z.object({ email: Email, storeIdentifier: StoreIdentifier });

export const signUpRoute = defineAccountsRoute({
  id: "signup.signup.create",
  method: "POST",
  path: "/signup",
  summary: "Sign up with an e-mail address and a store identifier. Sends a verification link by mail",
  description:
    "The response does not depend on whether the address is already registered: signing up again returns the same customer and sends another link, and a verified customer receives a link that issues a new key. `email_sent` is false if the mail server did not accept the mail, or after 3 mails to one mailbox within 24 hours. The mailbox of a suspended customer receives neither a mail nor a key, whatever the store identifier and the tag of the address.",
  body: SignupBody,
  data: z.object({
    customer_id: z.string(),
    status: z.literal("pending"),
    email_sent: z.boolean().meta({ description: "Whether the mail server accepted the verification mail" }),
  }),
  status: 201,
  errors: [{ type: "too_many_requests", when: "Too many signups from one IP address within an hour." }],
  example: { body: { email: "dev@bakery.example", storeIdentifier: "demo-bakery" } },
  async handle({ body }, ctx) {
    await takeSignup(ctx);
    const { customerId, emailSent } = await signUp(ctx.deps, actorOf(ctx), body);
    // Always `pending`: what a customer is already must not be visible to everyone who knows its address.
    const answer = { customer_id: customerId, status: "pending", email_sent: emailSent };
    return raw("application/json", JSON.stringify(answer), { status: 201 });
  },
});

/** Throws 429 past the hourly number of signups from one network address. */
export async function takeSignup({ deps, peer, header, now }: AccountsCtx): Promise<void> {
  const { perIpPerHour } = deps.config.signup;
  const forwarded = header("x-forwarded-for");
  const client = clientAddress(peer, forwarded, deps.config.server.trustedProxies);
  if (perIpPerHour === 0 || client === null) return;
  const isLocal = forwarded === undefined && isLoopback(client);
  const limit = isLocal ? Math.max(perIpPerHour, LOCAL_PER_HOUR) : perIpPerHour;
  const taken = await deps.store.take(`signup-ip.${addressNetwork(client)}`, limit, HOUR_MS);
  if (taken.allowed) return;
  throw tooManyRequests(
    `Too many signups from this IP address: at most ${limit} per hour.`,
    taken.resetAtMs - now,
  );
}
