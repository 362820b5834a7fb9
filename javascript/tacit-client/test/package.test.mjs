// The result of `npm pack` installs and runs without a network, and imports by its name.
//
//     node package.test.mjs --bin BUILD/bin --wasm FOLDER/bin/tacit_client.wasm --examples EXAMPLES

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {parseArgs} from 'node:util';

const {values: options} = parseArgs({options: {
  bin: {type: 'string'}, wasm: {type: 'string'}, examples: {type: 'string'}}});
const source = resolve(dirname(options.wasm), '../package');
const folder = mkdtempSync(join(tmpdir(), 'tacit-npm-'));
const run = (program, ...words) =>
  execFileSync(program, words, {cwd: folder, encoding: 'utf8', env: {...process.env, npm_config_offline: 'true',
                                                                     npm_config_cache: join(folder, 'cache')}});
try {
  execFileSync('npm', ['--version']);
} catch {
  console.error('package: SKIPPED, there is no npm: sudo apt install npm');
  process.exit(77);
}
try {
  run('npm', 'pack', source);
  const archive = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  assert.equal(archive, 'tacit-client-0.2.0.tgz');
  mkdirSync(join(folder, 'user'));
  writeFileSync(join(folder, 'user/package.json'), '{"type": "module"}');
  run('npm', 'install', '--prefix', 'user', '--no-audit', '--no-fund', join(folder, archive));
  writeFileSync(join(folder, 'user/use.mjs'), `
    import {readFileSync} from 'node:fs';
    import {load, TacitRefused} from 'tacit-client';
    const sha256 = readFileSync(new URL('./node_modules/tacit-client/tacit_client.wasm.sha256', import.meta.url), 'utf8').trim();
    const tacit = await load({sha256});
    const refused = await tacit.model(new Uint8Array(10)).catch((error) => error);
    if (!(refused instanceof TacitRefused)) throw refused;
    console.log(tacit.version, refused.message);
    tacit.close();
  `);
  assert.equal(run('node', 'user/use.mjs').trim(),
               "0.2.0 the client's half: this is not a Tacit artefact: it is shorter than a header");
} finally {
  rmSync(folder, {recursive: true, force: true});
}
console.log('package: packed, installed and run without a network');
