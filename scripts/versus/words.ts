/** The words of the load: each message asks for its nonce, and each reply says it. */

export const requestOf = (nonce: string): string => `say ${nonce}`;

/** The nonces that a text asks for. */
export const requestsIn = (text: string): string[] =>
  [...text.matchAll(/\bsay (n\d{5}[a-z]{4})\b/g)].map(([, nonce = ""]) => nonce);

/** The nonces that a text says. */
export const repliesIn = (text: string): string[] =>
  [...text.matchAll(/\bsaid (n\d{5}[a-z]{4})\b/g)].map(([, nonce = ""]) => nonce);
