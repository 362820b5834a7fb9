// service.js against `tacit serve`: an upload in pieces, an evaluation, and refusals. Keys and questions are the command's.
//
//     node service.test.mjs --bin BUILD/bin --wasm IGNORED --examples EXAMPLES

import assert from 'node:assert/strict';
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';

import {TacitRefused} from '../errors.js';
import {Service} from '../service.js';

const {values: options} = parseArgs({options: {
  bin: {type: 'string'}, wasm: {type: 'string'}, examples: {type: 'string'}}});
const folder = mkdtempSync(join(tmpdir(), 'tacit-service-'));
const at = (name) => join(folder, name);
const program = join(options.bin, 'tacit');
const tacit = (...words) => execFileSync(program, words, {encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe']});

/** One row of numbers as a file of NumPy. */
function npy(row) {
  const text = `{'descr': '<f8', 'fortran_order': False, 'shape': (1, ${row.length}), }`.padEnd(117) + '\n';
  return Buffer.concat([Buffer.from('\x93NUMPY\x01\x00\x76\x00', 'latin1'), Buffer.from(text), Buffer.from(row.buffer)]);
}

async function refusalOf(promise) {
  try {
    await promise;
  } catch (error) {
    assert.ok(error instanceof TacitRefused, String(error.stack));
    return error.message;
  }
  return assert.fail('nothing was refused');
}

let server;
try {
  tacit('compile', join(options.examples, 'digits/model.onnx'), '--input-range=0,16', '-o', at('digits'));
  tacit('keygen', at('digits/client.tacit'), '--secret', at('secret'), '--evaluation', at('evaluation'));
  writeFileSync(at('row.npy'), npy(Float64Array.from({length: 64}, (_, i) => i % 17)));
  tacit('encrypt', at('digits/client.tacit'), '--key', at('secret'), '--input', at('row.npy'), '-o', at('question'));
  const token = tacit('serve', '--tokens', at('tokens'), '--add-client', 'anna').trim();
  server = spawn(program, ['serve', at('digits'), '--listen', '127.0.0.1:0', '--insecure-http', '--state', at('state'),
                           '--tokens', at('tokens')], {stdio: ['ignore', 'pipe', 'inherit']});
  const said = await new Promise((resolve) => server.stdout.once('data', resolve));
  const url = /http:\/\/[0-9.:]+/.exec(said)[0];

  const traffic = [];
  const service = new Service(url, {token, onTraffic: (counts) => traffic.push(counts)});
  const [{id, name, scheme}] = await service.models();
  assert.deepEqual([name, scheme], ['model.onnx', 'ckks']);
  assert.ok(Buffer.from(await service.clientHalf(id)).equals(readFileSync(at('digits/client.tacit'))));

  // An upload that was stopped continues where the server's copy ends, in requests of 4 MiB.
  const keys = readFileSync(at('evaluation'));
  const root = new Uint8Array(keys.subarray(96, 128));
  const stopping = new AbortController();
  const first = [];
  await assert.rejects(service.uploadKeys(id, new Blob([keys]), {root, signal: stopping.signal, onProgress: ({done, total}) => {
    assert.equal(total, keys.length);
    first.push(done);
    if (done === 8 << 20) stopping.abort();
  }}), /abort/i);
  assert.deepEqual(first, [0, 4 << 20, 8 << 20]);
  assert.deepEqual((await service.keys(id)).upload, {received: 8 << 20, total: keys.length});
  const rest = [];
  const state = await service.uploadKeys(id, keys, {root, onProgress: ({done}) => rest.push(done)});
  assert.deepEqual(rest, [8 << 20, 12 << 20, keys.length]);
  assert.equal(state.state, 'ready');
  assert.equal(state.root, Buffer.from(root).toString('hex'));
  await service.uploadKeys(id, keys, {root, onProgress: () => assert.fail('keys that the server has were sent again')});

  const question = {bytes: new Uint8Array(readFileSync(at('question')))};
  const {answer, receipt, seconds} = await service.evaluate(id, question);
  assert.ok(seconds > 0);
  writeFileSync(at('results'), answer);
  tacit('decrypt', at('digits/client.tacit'), '--key', at('secret'), '--input', at('results'), '--question', at('question'), '-o', at('scores.npy'));
  assert.equal(JSON.parse(Buffer.from(receipt)).keys, state.root);
  const {sent, received} = traffic.at(-1);
  assert.ok(sent >= keys.length + question.bytes.length && sent < keys.length + question.bytes.length + (4 << 20) + 1, String(sent));
  assert.ok(received > answer.length + receipt.length);
  assert.deepEqual([service.sent, service.received], [sent, received]);

  assert.match(await refusalOf(new Service(url, {token: 'tacit_x'}).models()), /: send a token that this server knows/);
  assert.match(await refusalOf(service.evaluate(id, {bytes: new Uint8Array(100)})), /: this is no file of inputs; send what encrypt wrote$/);
  assert.match(await refusalOf(service.clientHalf('../x')), /there is nothing at this address|offers no such model/);
  for (const wrong of ['example.org', 'ftp://example.org', 'https://example.org/path'])
    assert.throws(() => new Service(wrong, {token}), /is no address of a server; give one like https/);
  assert.throws(() => new Service('http://example.org', {token}), /without TLS everybody on the way reads the token/);
} finally {
  server?.kill();
  if (server !== undefined && server.exitCode === null) await new Promise((ended) => server.on('exit', ended));
  rmSync(folder, {recursive: true, force: true});
}
console.log('service: an upload in pieces, an evaluation, and refusals');
