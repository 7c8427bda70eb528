// The page's side of the proof with which it connects again. The key never leaves the page, and neither does the token before the server has proven that
// it has the key: another program may have taken the server's address.

const hex = (octets) => [...new Uint8Array(octets)].map((octet) => octet.toString(16).padStart(2, '0')).join('');
const octetsOf = (digits) => Uint8Array.from(/^[0-9a-f]{64}$/.test(digits) ? digits.match(/../g) : [], (pair) => parseInt(pair, 16));
const encoder = new TextEncoder();

/** The key as an object that no script reads. */
export const importKey = (digits) =>
  crypto.subtle.importKey('raw', encoder.encode(digits), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify']);

export class Proof {
  #key;
  #nonce = hex(crypto.getRandomValues(new Uint8Array(32)));

  constructor(key) { this.#key = key; }

  /** The message that begins. */
  get start() { return { again: { nonce: this.#nonce } }; }

  /** The message that answers the server's proof, or null if the proof is wrong. The origin is a part of both proofs, so nothing passes them on. */
  async answer({ nonce, proof }) {
    if (!/^[0-9a-f]{64}$/.test(nonce)) return null;
    const text = (side) => encoder.encode([side, location.origin, this.#nonce, nonce].join('\n'));
    const isRight = await crypto.subtle.verify('HMAC', this.#key, octetsOf(proof), text('server'));
    return isRight ? { proof: hex(await crypto.subtle.sign('HMAC', this.#key, text('page'))) } : null;
  }
}
