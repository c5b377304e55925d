import { constants } from "node:crypto";
import { createSecureContext, DEFAULT_CIPHERS } from "node:tls";
import type { SecureContext } from "node:tls";

const CURVES = "X25519:P-256:P-384:P-521";

/**
 * TLS for connections to servers that customers choose. No Diffie-Hellman over finite fields: the server chooses the prime, and with one of
 * 10,000 bits a handshake takes 0.7 s of the event loop. No renegotiation: a server can request one handshake after the other.
 */
export function createClientContext(): SecureContext {
  const options = { ciphers: `${DEFAULT_CIPHERS}:!kDHE`, secureOptions: constants.SSL_OP_NO_RENEGOTIATION };
  try {
    return createSecureContext({ ...options, ecdhCurve: `X25519MLKEM768:${CURVES}` });
  } catch {
    // Before OpenSSL 3.5.
    return createSecureContext({ ...options, ecdhCurve: CURVES });
  }
}
