// Secret keys at rest: in the browser's storage under a key that no script can read out, or sealed under a passphrase.

import {TacitRefused} from './errors.js';

const store = 'secrets';
const wrapping = 'wrapping key';
const encoder = new TextEncoder();

// A sealed key: these 16 bytes, the number of iterations (32 bits, little-endian), a salt, a nonce, and the ciphertext of AES-256-GCM.
// Everything before the ciphertext is authenticated.
const magic = encoder.encode('tacit sealed 1\n\n');
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;
const headBytes = magic.length + 4 + saltBytes + nonceBytes;
const iterations = 600_000;
const mostIterations = 10_000_000;

async function keyOf(passphrase, salt, count, use) {
  if (typeof passphrase !== 'string' || passphrase.length === 0)
    throw new TacitRefused('refused', 'the passphrase is empty; give one that others do not guess');
  const material = await crypto.subtle.importKey('raw', encoder.encode(passphrase.normalize('NFC')), 'PBKDF2', false, ['deriveKey']);
  return crypto.subtle.deriveKey({name: 'PBKDF2', hash: 'SHA-256', salt, iterations: count}, material,
                                 {name: 'AES-GCM', length: 256}, false, [use]);
}

/** Returns a secret key under a passphrase (PBKDF2 with 600,000 iterations of SHA-256, and AES-256-GCM). */
export async function seal(secret, passphrase) {
  const head = new Uint8Array(headBytes);
  head.set(magic);
  new DataView(head.buffer).setUint32(magic.length, iterations, true);
  crypto.getRandomValues(head.subarray(magic.length + 4));
  const [salt, nonce] = parts(head);
  const key = await keyOf(passphrase, salt, iterations, 'encrypt');
  const body = new Uint8Array(await crypto.subtle.encrypt({name: 'AES-GCM', iv: nonce, additionalData: head}, key, secret));
  const sealed = new Uint8Array(headBytes + body.length);
  sealed.set(head);
  sealed.set(body, headBytes);
  return sealed;
}

/** Returns the secret key that `seal` got. TacitRefused for another passphrase and for bytes that were changed. */
export async function unseal(sealed, passphrase) {
  if (sealed.length < headBytes + tagBytes || !magic.every((byte, i) => sealed[i] === byte))
    throw new TacitRefused('refused', 'these bytes are no sealed key; give the file that an export wrote');
  const head = sealed.slice(0, headBytes);
  const count = new DataView(head.buffer).getUint32(magic.length, true);
  if (count < 1 || count > mostIterations)
    throw new TacitRefused('refused', `the sealed key asks for ${count} iterations, and at most ${mostIterations} are done; it is damaged`);
  const [salt, nonce] = parts(head);
  const key = await keyOf(passphrase, salt, count, 'decrypt');
  try {
    return new Uint8Array(await crypto.subtle.decrypt({name: 'AES-GCM', iv: nonce, additionalData: head}, key, sealed.slice(headBytes)));
  } catch {
    throw new TacitRefused('refused', 'the passphrase is another one, or the sealed key was changed');
  }
}

function parts(head) {
  const salt = magic.length + 4;
  return [head.slice(salt, salt + saltBytes), head.slice(salt + saltBytes)];
}

const settled = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** Secret keys in the storage of this page's origin (IndexedDB). They are encrypted with AES-256-GCM under a key that the
 *  browser does not give out. Scripts of the origin can use them, and copies of the storage alone cannot. */
export class Vault {
  #database;
  #key;

  static async open(name = 'tacit-client') {
    const request = indexedDB.open(name, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(store);
    const vault = new Vault();
    vault.#database = await settled(request);
    vault.#key = await vault.#read(wrapping);
    if (vault.#key === undefined) {
      const made = await crypto.subtle.generateKey({name: 'AES-GCM', length: 256}, false, ['encrypt', 'decrypt']);
      // Of two tabs that open the vault for the first time, the key of the first one stays.
      await vault.#write((objects) => objects.add(made, wrapping)).catch(() => {});
      vault.#key = await vault.#read(wrapping);
    }
    return vault;
  }
  /** Keeps a secret key under a label, such as the id of its model, and replaces an earlier one. */
  async put(label, secret) {
    const iv = crypto.getRandomValues(new Uint8Array(nonceBytes));
    const additionalData = encoder.encode(label);
    const body = await crypto.subtle.encrypt({name: 'AES-GCM', iv, additionalData}, this.#key, secret);
    await this.#write((objects) => objects.put({iv, body}, `secret ${label}`));
  }
  /** Returns the secret key under a label, or undefined. */
  async get(label) {
    const found = await this.#read(`secret ${label}`);
    if (found === undefined) return undefined;
    const additionalData = encoder.encode(label);
    return new Uint8Array(await crypto.subtle.decrypt({name: 'AES-GCM', iv: found.iv, additionalData}, this.#key, found.body));
  }
  async remove(label) {
    await this.#write((objects) => objects.delete(`secret ${label}`));
  }
  close() {
    this.#database.close();
  }

  #read(name) {
    return settled(this.#database.transaction(store).objectStore(store).get(name));
  }
  #write(change) {
    return new Promise((resolve, reject) => {
      const transaction = this.#database.transaction(store, 'readwrite');
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
      change(transaction.objectStore(store));
    });
  }
}
