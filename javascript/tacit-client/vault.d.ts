/** Secret keys at rest. */

/** Returns a secret key under a passphrase: PBKDF2 with 600,000 iterations of SHA-256, and AES-256-GCM. */
export function seal(secret: Uint8Array, passphrase: string): Promise<Uint8Array>;
/** Returns the secret key that `seal` got. TacitRefused for another passphrase and for bytes that were changed. */
export function unseal(sealed: Uint8Array, passphrase: string): Promise<Uint8Array>;

/** Secret keys in the storage of this page's origin, under a key that the browser does not give out. Scripts of the origin can
 *  use them. A copy of the storage alone cannot. */
export class Vault {
  static open(name?: string): Promise<Vault>;
  /** Keeps a secret key under a label, such as the id of its model, and replaces an earlier one. */
  put(label: string, secret: Uint8Array): Promise<void>;
  /** Returns the secret key under a label, or undefined. */
  get(label: string): Promise<Uint8Array | undefined>;
  remove(label: string): Promise<void>;
  close(): void;
}
