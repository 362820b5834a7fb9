// The module refuses what the command refuses, with its sentence; the package passes it on as a TacitRefused.
//
//     node refusals.test.mjs --bin BUILD/bin --wasm tacit_client.wasm --examples EXAMPLES

import assert from 'node:assert/strict';
import {createHash} from 'node:crypto';
import {spawnSync, execFileSync} from 'node:child_process';
import {chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

import {load, TacitRefused} from '../index.js';
import {Module, compileModule} from '../module.js';

const {values: options} = parseArgs({options: {
  bin: {type: 'string'}, wasm: {type: 'string'}, examples: {type: 'string'}}});
const folder = mkdtempSync(join(tmpdir(), 'tacit-wasm-'));
const at = (name) => join(folder, name);
const tacit = (...words) => execFileSync(join(options.bin, 'tacit'), words, {stdio: ['ignore', 'pipe', 'pipe']});

/** The sentence with which the command refuses, without the name of its file. */
function sentenceOf(path, ...words) {
  const done = spawnSync(join(options.bin, 'tacit'), words, {encoding: 'utf8'});
  assert.notEqual(done.status, 0, `the command took ${words.join(' ')}`);
  const text = done.stderr.replaceAll(/\s+/g, ' ').trim().replace(/^tacit: /, '');
  return text.replaceAll(path, 'NAME');
}

async function refusalOf(promise, code = 'refused') {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof TacitRefused, String(error.stack));
    assert.equal(error.code, code, error.message);
    return error.message.replaceAll(/\s+/g, ' ');
  }
  return assert.fail('nothing was refused');
}

let checked = 0;
try {
  const wasm = readFileSync(options.wasm);
  const sha256 = createHash('sha256').update(wasm).digest('hex');
  assert.match(await refusalOf(load({wasm, sha256: '00'.repeat(32)})), /^the module has the SHA-256 .* it is not used$/);
  assert.match(await refusalOf(load({wasm: 'text'})), /^load: give the bytes/);
  const client = await load({wasm, sha256});

  tacit('compile', join(options.examples, 'digits/model.onnx'), '--input-range=0,16', '-o', at('digits'));
  const half = readFileSync(at('digits/client.tacit'));
  const flipped = (bytes, place) => {
    const damaged = Buffer.from(bytes);
    damaged[place] ^= 1;
    return damaged;
  };
  tacit('keygen', at('digits/client.tacit'), '--secret', at('secret'), '--evaluation', at('evaluation'));
  const broken = {
    empty: Buffer.alloc(0),
    truncated: half.subarray(0, half.length - 1),
    header: half.subarray(0, 100),
    random: createHash('sha512').update('x').digest(),
    version: flipped(half, 8),
    root: flipped(half, 100),
    damaged: flipped(half, Math.floor(half.length / 2)),
    secret: readFileSync(at('secret')),
    server: readFileSync(at('digits/server.tacit')),
  };
  for (const [name, bytes] of Object.entries(broken)) {
    writeFileSync(at(name), bytes);
    const found = (await refusalOf(client.model(bytes))).replaceAll("the client's half: ", 'NAME: ');
    const expected = sentenceOf(at(name), 'keygen', at(name), '--secret', at('s'), '--evaluation', at('e'));
    assert.equal(found, expected, name);
    ++checked;
  }

  // What a sink or a report throws comes back, and no secret follows it.
  const module = await Module.instantiate(await compileModule(wasm));
  const {handle} = module.openModel(half);
  let secrets = 0;
  const secret = {piece: () => { ++secrets; }};
  const full = () => { throw new Error('the disk is full'); };
  assert.throws(() => module.makeKeys(handle, {evaluation: {piece: full}, secret}), /^Error: the disk is full$/);
  assert.throws(() => module.makeKeys(handle, {evaluation: {begin: full, piece() {}}, secret}), /^Error: the disk is full$/);
  assert.throws(() => module.makeKeys(handle, {evaluation: {piece() {}}, secret, report: full}), /^Error: the disk is full$/);
  assert.throws(() => module.makeKeys(handle, {evaluation: {place: full, end() {}}, secret}), /^Error: the disk is full$/);
  assert.throws(() => module.makeKeys(handle, {evaluation: {place() {}, end: full}, secret}), /^Error: the disk is full$/);
  assert.equal(secrets, 0);
  const imported = WebAssembly.Module.imports(await WebAssembly.compile(wasm));
  assert.deepEqual(imported.filter(({module: from}) => from !== 'wasi_snapshot_preview1').map(({name}) => name).sort(),
                   ['begin', 'end', 'piece', 'place', 'report']);
  assert.ok(imported.every(({name}) => !/sock|poll/.test(name)), 'the module imports no network');

  const model = await client.model(half);
  assert.deepEqual(model.facts.inputs.map(({type}) => type), ['real']);
  const stages = new Set();
  let announced = 0;
  let received = 0;
  const streamed = await model.generateKeys({
    onProgress: ({stage, done, total}) => { stages.add(stage); assert.ok(done <= total); },
    onBegin: ({bytes, root}) => { announced = bytes; assert.equal(root.length, 32); },
    onPiece: (piece) => { received += piece.length; assert.ok(piece.length <= 1 << 20); },
  });
  assert.equal(received, announced);
  assert.ok(received > 1 << 20 && stages.size > 0);
  assert.equal(streamed.evaluation, undefined);

  const stored = await model.generateKeys({store: at('stored')});
  const file = readFileSync(at('stored'));
  assert.equal(file.length, announced);
  assert.ok(file.subarray(96, 128).equals(stored.root));
  assert.equal(stored.evaluation, undefined);
  assert.match(await refusalOf(model.generateKeys({store: at('no/folder')}), 'fault'), /no such file or directory/);
  assert.match(await refusalOf(model.generateKeys({store: at('x'), onPlace() {}})), /give one of onPiece, onPlace and store/);

  const keys = await model.generateKeys();
  assert.equal(keys.evaluation.length, announced);
  assert.ok(model.facts.key_bytes > announced / 2);
  const name = model.facts.inputs[0].name;
  const size = model.facts.inputs[0].shape.reduce((product, extent) => product * extent, 1);
  const image = Float64Array.from({length: size}, (_, i) => (i * 7) % 17);
  const with_ = (place, value) => image.map((pixel, i) => (i === place ? value : pixel));
  assert.match(await refusalOf(keys.encrypt({[name]: with_(3, NaN)})), /element 3 is nan; only finite numbers/);
  assert.match(await refusalOf(keys.encrypt({[name]: with_(5, 1e6)})), /element 5 is .* outside \[0, 16\]/);
  assert.match(await refusalOf(keys.encrypt({[name]: image.slice(1)})), /was given with the shape .* and the model takes/);
  assert.match(await refusalOf(keys.encrypt({pixel: image})), /the model has no input 'pixel'/);
  assert.match(await refusalOf(keys.encrypt({})), /there are no values for the input/);
  assert.match(await refusalOf(model.keys(half).encrypt({[name]: image})), /it holds a client model where a secret key/);

  const question = await keys.encrypt({[name]: image});
  writeFileSync(at('keys'), keys.evaluation);
  writeFileSync(at('question'), question.bytes);
  tacit('evaluate', at('digits/server.tacit'), '--keys', at('keys'), '--input', at('question'), '-o', at('results'));
  const results = readFileSync(at('results'));
  const receipt = readFileSync(at('results.receipt'));
  const [answer] = await keys.decrypt(results, {question, receipt});
  const altered = Buffer.from(receipt.toString().replace(/"keys": "./, '"keys": "x'));
  assert.match(await refusalOf(keys.decrypt(results, {question, receipt: altered})), /^the receipt: "keys" is not 64/);
  assert.match(await refusalOf(streamed.decrypt(results, {receipt}), 'key-mismatch'), /of other evaluation keys/);
  assert.match(await refusalOf(keys.decrypt(results, {question, receipt, signer: 'ab'}), 'key-mismatch'), /not signed/);
  execFileSync('openssl', ['genpkey', '-algorithm', 'ed25519', '-out', at('signing.pem')], {stdio: 'ignore'});
  chmodSync(at('signing.pem'), 0o600);
  const signer = execFileSync('openssl', ['pkey', '-in', at('signing.pem'), '-pubout', '-outform', 'DER'], {stdio: ['ignore', 'pipe', 'pipe']})
    .subarray(-32).toString('hex');
  tacit('evaluate', at('digits/server.tacit'), '--keys', at('keys'), '--input', at('question'), '-o', at('signed'), '--sign',
        at('signing.pem'));
  const signed = {question, receipt: readFileSync(at('signed.receipt'))};
  await keys.decrypt(readFileSync(at('signed')), {...signed, signer});
  assert.match(await refusalOf(keys.decrypt(readFileSync(at('signed')), {...signed, signer: 'ab'}), 'key-mismatch'),
               new RegExp(`signed by ${signer}, and ab was expected`));
  const forged = Buffer.from(signed.receipt.toString().replace(/("signature": ".)(.)/, (_, head, digit) => head + (digit === '0' ? '1' : '0')));
  assert.match(await refusalOf(keys.decrypt(readFileSync(at('signed')), {question, receipt: forged})), /signature/);
  const output = answer[model.facts.outputs[0].name];
  assert.equal(output.values.length, output.shape.reduce((product, extent) => product * extent, 1));
  const other = await keys.encrypt({[name]: image});
  await refusalOf(keys.decrypt(results, {question: other}), 'key-mismatch');
  await refusalOf(streamed.decrypt(results), 'key-mismatch');
  assert.match(await refusalOf(keys.decrypt(question.bytes)), /no server has evaluated/);
  await refusalOf(keys.decrypt(flipped(results, Math.floor(results.length / 2))));
  assert.deepEqual(await model.keys(keys.exportSecret()).decrypt(results, {question}).then((rows) => rows.length), 1);

  const controller = new AbortController();
  const stopped = model.generateKeys({signal: controller.signal, onProgress: () => controller.abort()});
  assert.equal(await refusalOf(stopped, 'cancelled'), 'cancelled');
  assert.match(await refusalOf(client.model(half), 'fault'), /the worker has ended/);
} finally {
  rmSync(folder, {recursive: true, force: true});
}
console.log(`refusals: ${checked} damaged models, as the command says it`);
