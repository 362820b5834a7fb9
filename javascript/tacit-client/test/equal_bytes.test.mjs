// Keys, questions and results of the module are equal, byte for byte, to those of a native client with the same entropy.
//
//     node equal_bytes.test.mjs --bin BUILD/bin --wasm tacit_client.wasm --examples EXAMPLES [--only NAME]
//
// With TACIT_DATA there are three models more. The native client is tacit_seeded_client. The entropy of both is the same stream: here in place of crypto's.

import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join, resolve} from 'node:path';
import {parseArgs} from 'node:util';

import {Module, compileModule} from '../module.js';

const {values: options} = parseArgs({options: {
  bin: {type: 'string'}, wasm: {type: 'string'}, examples: {type: 'string'}, only: {type: 'string'}}});

/** splitmix64, as in src/app/client/seeded_for_test.cpp. */
class Stream {
  constructor(seed) { this.state = BigInt(seed); }
  next() {
    const word = (value) => BigInt.asUintN(64, value);
    let z = (this.state = word(this.state + 0x9E3779B97F4A7C15n));
    z = word((z ^ (z >> 30n)) * 0xBF58476D1CE4E5B9n);
    z = word((z ^ (z >> 27n)) * 0x94D049BB133111EBn);
    return z ^ (z >> 31n);
  }
  fill(bytes) {
    for (let at = 0; at < bytes.length; at += 8) {
      let word = this.next();
      for (let i = at; i < Math.min(at + 8, bytes.length); ++i, word >>= 8n) bytes[i] = Number(word & 0xFFn);
    }
    return bytes;
  }
}

function seeded(seed, body) {
  const stream = new Stream(seed);
  const original = crypto.getRandomValues;
  crypto.getRandomValues = (bytes) => stream.fill(bytes);
  try {
    return body();
  } finally {
    crypto.getRandomValues = original;
  }
}

function collector() {
  const pieces = [];
  return {piece: (bytes) => pieces.push(bytes.slice()), bytes: () => Buffer.concat(pieces)};
}

/** Keeps bytes where they belong. */
function places() {
  let whole = Buffer.alloc(1 << 20);
  let size = 0;
  return {
    place: (offset, bytes) => {
      const end = offset + bytes.length;
      if (end > whole.length) whole = Buffer.concat([whole], Math.max(end, 2 * whole.length));
      whole.set(bytes, offset);
      size = Math.max(size, end);
    },
    end: (bytes, root) => {
      assert.equal(bytes, size);
      assert.ok(whole.subarray(96, 128).equals(root));
    },
    bytes: () => whole.subarray(0, size),
  };
}

const examples = [
  {name: 'digits', model: 'digits/model.onnx', compile: ['--input-range=0,16'], values: (i) => (i * 7) % 17},
  {name: 'trees', model: 'trees/boosted.onnx', values: (i) => (i % 10) / 10,
   compile: ['--scheme', 'tfhe', '--bits', '4', '--calibrate', join(options.examples, 'trees/train.npy')]},
  {name: 'fashion', model: 'fashion/model.onnx', compile: ['--input-range=-1,1'], values: (i) => Math.sin(0.05 * i),
   heap: 48e6},
  ...(process.env.TACIT_DATA === undefined ? [] : [
    {name: 'logreg', model: join(process.env.TACIT_DATA, 'models/tabular/breast_cancer_logreg_ml.onnx'),
     compile: ['--input-range=-3,3'], values: (i) => Math.sin(i)},
    {name: 'lola', model: join(process.env.TACIT_DATA, 'models/mnist/lola_small_mnist.onnx'), compile: ['--input-range=0,1'],
     values: (i) => ((i * 31) % 256) / 255},
    {name: 'cryptonets', model: join(process.env.TACIT_DATA, 'models/mnist/cryptonets_mnist.onnx'),
     compile: ['--input-range=0,1'], values: (i) => ((i * 31) % 256) / 255},
  ]),
].filter(({name}) => options.only === undefined || options.only === name);

const compiled = await compileModule(readFileSync(options.wasm));
const folder = mkdtempSync(join(tmpdir(), 'tacit-wasm-'));
const at = (name) => join(folder, name);
const run = (program, ...words) => execFileSync(join(options.bin, program), words, {stdio: ['ignore', 'pipe', 'pipe']});
/** Seconds of processor time of this process since `from`. */
const seconds = (from) => {
  const {user, system} = process.cpuUsage(from);
  return ((user + system) / 1e6).toFixed(2);
};

try {
  for (const {name, model, compile, values, heap} of examples) {
    const module = await Module.instantiate(compiled);
    run('tacit', 'compile', resolve(options.examples, model), ...compile, '-o', at(name));
    const client = at(`${name}/client.tacit`);
    const {handle, facts} = module.openModel(readFileSync(client));
    assert.equal(facts.inputs.length, 1);

    let began = process.cpuUsage();
    const evaluation = places();
    const secret = collector();
    seeded(1, () => module.makeKeys(handle, {evaluation, secret}));
    const ofKeys = seconds(began);
    // Keys on slots are made one at a time.
    if (heap !== undefined) assert.ok(module.heapBytes <= heap, `${name}: keys took a heap of ${module.heapBytes} bytes`);
    run('tacit_seeded_client', 'keys', client, '1', at('evaluation'), at('secret'));
    assert.ok(readFileSync(at('evaluation')).equals(evaluation.bytes()), `${name}: evaluation keys differ`);
    assert.ok(readFileSync(at('secret')).equals(secret.bytes()), `${name}: secret keys differ`);

    const size = facts.inputs[0].shape.reduce((product, extent) => product * extent, 1);
    const input = Float64Array.from({length: size}, (_, i) => values(i));
    writeFileSync(at('input'), new Uint8Array(input.buffer));
    const question = collector();
    const kept = collector();
    began = process.cpuUsage();
    seeded(2, () => module.encrypt(handle, {key: secret.bytes(), inputs: [[{values: input, shape: facts.inputs[0].shape}]],
                                            question, kept}));
    const ofQuestion = seconds(began);
    run('tacit_seeded_client', 'encrypt', client, at('secret'), '2', at('input'), at('question'));
    assert.ok(readFileSync(at('question')).equals(question.bytes()), `${name}: questions differ`);

    run('tacit', 'evaluate', at(`${name}/server.tacit`), '--keys', at('evaluation'), '--input', at('question'), '-o',
        at('results'));
    began = process.cpuUsage();
    const answers = seeded(3, () => module.decrypt(handle, {key: secret.bytes(), results: readFileSync(at('results')),
                                                            question: question.bytes()}));
    const ofAnswers = seconds(began);
    run('tacit_seeded_client', 'decrypt', client, at('secret'), '3', at('results'), at('question'), at('answers'));
    const found = Buffer.concat(answers.flat().map(({values: numbers}) => Buffer.from(numbers.buffer)));
    assert.ok(readFileSync(at('answers')).equals(found), `${name}: answers differ`);
    assert.ok(found.length > 0);
    module.closeModel(handle);
    console.log(`${name}: ${facts.parameters}, ${evaluation.bytes().length} bytes of keys in ${ofKeys} s of processor ` +
                `time, question of ${question.bytes().length} bytes in ${ofQuestion} s, answers in ${ofAnswers} s, ` +
                `heap ${module.heapBytes}`);
  }
} finally {
  rmSync(folder, {recursive: true, force: true});
}
console.log(`equal_bytes: ${examples.length} models`);
