// The package in headless Chromium, under a policy that allows nothing but its own files. The server of this test stands
// in for a service: it evaluates with the command.
//
//     node browser.test.mjs --bin BUILD/bin --wasm FOLDER/bin/tacit_client.wasm --examples EXAMPLES

import assert from 'node:assert/strict';
import {execFileSync, spawn, spawnSync} from 'node:child_process';
import {createServer} from 'node:http';
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join, resolve} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const {values: options} = parseArgs({options: {
  bin: {type: 'string'}, wasm: {type: 'string'}, examples: {type: 'string'}}});
if (spawnSync('chromium', ['--version']).status !== 0) {
  console.error('browser: SKIPPED, there is no chromium: sudo apt install chromium');
  process.exit(77);
}
const here = dirname(fileURLToPath(import.meta.url));
const packed = resolve(dirname(options.wasm), '../package');
const folder = mkdtempSync(join(tmpdir(), 'tacit-browser-'));
const at = (name) => join(folder, name);
const run = (program, ...words) => execFileSync(join(options.bin, program), words, {stdio: ['ignore', 'pipe', 'pipe']});
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'";
const types = {js: 'text/javascript', html: 'text/html', wasm: 'application/wasm', sha256: 'text/plain'};

function fileOf(path) {
  if (path === '/') return join(here, 'page.html');
  if (path === '/page.js') return join(here, 'page.js');
  if (path === '/client.tacit') return at('digits/client.tacit');
  if (path === '/receipt') return at('results.receipt');
  const name = /^\/package\/([a-z_.0-9]+)$/.exec(path)?.[1];
  return name === undefined ? undefined : join(packed, name);
}

const report = Promise.withResolvers?.() ?? (() => {
  const made = {};
  made.promise = new Promise((fulfil, reject) => Object.assign(made, {resolve: fulfil, reject}));
  return made;
})();
const posts = {
  '/keys': (body) => { writeFileSync(at('keys'), body); return ''; },
  '/secret': (body) => { writeFileSync(at('secret'), body); return ''; },
  '/report': (body) => { report.resolve(JSON.parse(body)); return ''; },
  '/evaluate': (body) => {
    writeFileSync(at('question'), body);
    run('tacit', 'evaluate', at('digits/server.tacit'), '--keys', at('keys'), '--input', at('question'), '-o', at('results'));
    return readFileSync(at('results'));
  },
};
const server = createServer(async (request, response) => {
  try {
    const parts = [];
    for await (const part of request) parts.push(part);
    const file = fileOf(request.url);
    if (request.method === 'POST' && request.url in posts) {
      response.end(posts[request.url](Buffer.concat(parts)));
    } else if (file === undefined) {
      response.writeHead(404).end();
    } else {
      response.writeHead(200, {'Content-Type': types[file.split('.').pop()] ?? 'application/octet-stream',
                               'Content-Security-Policy': policy});
      response.end(readFileSync(file));
    }
  } catch (error) {
    report.reject(error);
    response.writeHead(500).end();
  }
});

let chromium;
try {
  run('tacit', 'compile', join(options.examples, 'digits/model.onnx'), '--input-range=0,16', '-o', at('digits'));
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  chromium = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run',
                                `--user-data-dir=${at('profile')}`, `http://127.0.0.1:${server.address().port}/`],
                   {stdio: 'ignore'});
  const late = setTimeout(() => report.reject(new Error('the page reported nothing for three minutes')), 180000);
  const found = await report.promise;
  clearTimeout(late);
  assert.equal(found.error, undefined);
  assert.equal(found.values.length, 10);
  assert.match(found.refused, /^TacitRefused refused: the answer holds encrypted inputs that no server has evaluated/);
  assert.ok(found.stages.length > 0);
  // The command decrypts the same results under the key of the page.
  execFileSync('chmod', ['600', at('secret')]);
  run('tacit', 'decrypt', at('digits/client.tacit'), '--key', at('secret'), '--input', at('results'), '-o', at('scores.json'),
      '--output-format', 'json');
  const [{scores}] = JSON.parse(readFileSync(at('scores.json')));
  const expected = Array.isArray(scores) ? scores.flat() : Object.values(scores);
  found.values.forEach((value, i) => assert.ok(Math.abs(value - expected[i]) < 1e-2, `${value} ${expected[i]}`));
  console.log(`browser: ${/Chrome\/[0-9]+/.exec(found.agent)?.[0]}, keys in ${found.ofKeys.toFixed(0)} ms, a question in ` +
              `${found.ofQuestion.toFixed(0)} ms, its answer in ${found.ofAnswer.toFixed(0)} ms, heap ${found.heap}`);
} finally {
  chromium?.kill();
  server.closeAllConnections();
  server.close();
  await new Promise((ended) => (chromium === undefined || chromium.exitCode !== null ? ended() : chromium.on('exit', ended)));
  rmSync(folder, {recursive: true, force: true, maxRetries: 5});
}
