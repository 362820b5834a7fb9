// Sealed keys open with their passphrase, and with nothing else. The vault of a browser is in tests/service/page_test.py.
//
//     node vault.test.mjs

import assert from 'node:assert/strict';

import {TacitRefused} from '../errors.js';
import {seal, unseal} from '../vault.js';

async function refusalOf(promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof TacitRefused, String(error.stack));
    assert.equal(error.code, 'refused');
    return error.message;
  }
  return assert.fail('nothing was refused');
}

const secret = crypto.getRandomValues(new Uint8Array(1000));
const sealed = await seal(secret, 'pässword');
assert.deepEqual(await unseal(sealed, 'pässword'), secret);
assert.deepEqual(await unseal(sealed, 'pässword'.normalize('NFD')), secret);
assert.equal(sealed.length, 48 + 1000 + 16);
assert.ok(!Buffer.from(sealed).includes(Buffer.from(secret.subarray(0, 8))));
const again = await seal(secret, 'pässword');
assert.notDeepEqual(again.subarray(20), sealed.subarray(20));

const another = 'the passphrase is another one, or the sealed key was changed';
assert.equal(await refusalOf(unseal(sealed, 'password')), another);
// The head, the body and the tag are authenticated. 16 to 19 are the number of iterations.
for (const place of [16, 20, 40, 48, 500, sealed.length - 1]) {
  const altered = sealed.slice();
  altered[place] ^= 1;
  assert.equal(await refusalOf(unseal(altered, 'pässword')), another, String(place));
}
for (const bytes of [new Uint8Array(0), sealed.subarray(0, 63), secret, Uint8Array.from(sealed, (byte, i) => (i === 3 ? 0 : byte))])
  assert.match(await refusalOf(unseal(bytes, 'pässword')), /^these bytes are no sealed key/);
const slow = sealed.slice();
slow[19] = 255;
assert.match(await refusalOf(unseal(slow, 'pässword')), /iterations, and at most 10000000 are done/);
for (const empty of ['', undefined]) assert.match(await refusalOf(seal(secret, empty)), /^the passphrase is empty/);
console.log('vault: sealed keys open with their passphrase alone');
